import SwiftSyntax

extension DeclaredModel {
    /// The members that `@Model(inherits:)` adds.
    var submodelMembers: [String] {
        [ownPropertiesType, "\(prefix)static let ownProperties = OwnProperties()"]
            + [ownDescription, ownInsertingInitializer, ownRowInitializer]
    }

    private var ownPropertiesType: String {
        let description = description(in: "\(name).ownProperties").split(separator: "\n").joined(separator: "\n    ")
        return """
            \(prefix)struct OwnProperties: Sendable {
            \((tokens + ["    \(access.prefix)static let _description = \(description)"]).joined(separator: "\n"))
            }
            """
    }

    private var ownDescription: String {
        """
        \(prefix)override class var modelDescription: RestfulData.ModelDescription {
            OwnProperties._description
        }
        """
    }

    private var ownInsertingInitializer: String {
        """
        \(prefix)override init(in context: RestfulData.ObjectContext) {
            super.init(_object: RestfulData.ObjectState(insertingInto: context, \(name).self))
            _object.register(self)
        }
        """
    }

    private var ownRowInitializer: String {
        """
        \(prefix)required init(_object: RestfulData.ObjectState) {
            super.init(_object: _object)
        }
        """
    }
}
