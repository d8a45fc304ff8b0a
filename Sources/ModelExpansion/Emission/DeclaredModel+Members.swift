import SwiftSyntax

extension DeclaredModel {
    var members: [String] {
        if isSubmodel { return submodelMembers }
        return [propertiesType, "\(prefix)static let properties = Properties()"]
            + [description, state, insertingInitializer, rowInitializer]
    }

    /// `nonisolated` under any default isolation, because an object's isolation is that of its context.
    var prefix: String { "nonisolated \(access.prefix)" }

    /// Under a default isolation, a stored property would belong to the main actor, while objects may be elsewhere.
    /// Safe: the object and its state are non-`Sendable`, so both stay in one context.
    private var state: String {
        "@safe nonisolated(unsafe) \(access.prefix)let _object: RestfulData.ObjectState"
    }

    /// A token for each property, with its name and access.
    private var propertiesType: String {
        """
        \(prefix)struct Properties: Sendable {
        \((tokens + heirDescription).joined(separator: "\n"))
        }
        """
    }

    var tokens: [String] {
        modelled.enumerated().map { index, property in
            "    \(property.access.prefix)let \(property.spelling) = \(property.token(at: index, in: name))"
        }
    }

    private var description: String {
        guard !arguments.namesDiscriminator else {
            return """
                \(prefix)class var modelDescription: RestfulData.ModelDescription {
                    Properties._description
                }
                """
        }
        return """
            \(prefix)static let modelDescription = \(description(in: "properties"))
            """
    }

    /// Subclasses couldn't override a `static let`.
    private var heirDescription: [String] {
        guard arguments.namesDiscriminator else { return [] }
        return [
            "    \(access.prefix)static let _description = "
                + description(in: "\(name).properties").split(separator: "\n").joined(separator: "\n    ")
        ]
    }

    func description(in properties: String) -> String {
        let options = arguments.list?.text(inClass: name) ?? ""
        let tokens = modelled.map { "\(properties).\($0.spelling)" }.joined(separator: ", ")
        return """
            RestfulData.ModelDescription(
                \(name).self, \(plainName.emittedLiteral), RestfulData.ModelOptions(\(options)),
                [\(tokens)])
            """
    }

    private var insertingInitializer: String {
        // `self` is available only after a superclass's initializer, and a macro can't tell a superclass from a
        // protocol.
        if isFinal, !inheritedTypes.isEmpty {
            return """
                \(prefix)convenience init(in context: RestfulData.ObjectContext) {
                    self.init(_object: RestfulData.ObjectState(insertingInto: context, \(name).self))
                    _object.register(self)
                }
                """
        }
        return """
            \(prefix)init(in context: RestfulData.ObjectContext) {
                _object = RestfulData.ObjectState(insertingInto: context, \(name).self)
                _object.register(self)
            }
            """
    }

    /// `required` if the class can have subclasses.
    private var rowInitializer: String {
        """
        \(prefix)\(isFinal ? "" : "required ")init(_object: RestfulData.ObjectState) {
            self._object = _object
        }
        """
    }
}
