import SwiftSyntax
import SwiftSyntaxBuilder

extension DeclaredModel {
    /// What `@Model(inherits:)` adds: the tokens of what the class declares itself, and what it must redeclare of its
    /// parent's.
    var submodelMembers: [DeclSyntax] {
        [ownPropertiesType, "\(raw: prefix)static let ownProperties = OwnProperties()"]
            + [ownDescription, ownInsertingInitializer, ownRowInitializer]
    }

    private var ownPropertiesType: DeclSyntax {
        let description = description(in: "\(name).ownProperties").split(separator: "\n").joined(separator: "\n    ")
        return """
            \(raw: prefix)struct OwnProperties: Sendable {
            \(raw: (tokens + ["    \(access.prefix)static let _description = \(description)"]).joined(separator: "\n"))
            }
            """
    }

    private var ownDescription: DeclSyntax {
        """
        \(raw: prefix)override class var modelDescription: RestfulData.ModelDescription {
            OwnProperties._description
        }
        """
    }

    private var ownInsertingInitializer: DeclSyntax {
        """
        \(raw: prefix)override init(in context: RestfulData.ObjectContext) {
            super.init(_object: RestfulData.ObjectState(insertingInto: context, \(raw: name).modelDescription))
            _object.register(self)
        }
        """
    }

    private var ownRowInitializer: DeclSyntax {
        """
        \(raw: prefix)required init(_object: RestfulData.ObjectState) {
            super.init(_object: _object)
        }
        """
    }
}
