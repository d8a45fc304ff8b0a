import SwiftSyntax

extension DeclaredModel {
    /// What `@Model` adds to the class: the tokens of its properties, what it declares, and its row in a context.
    var members: [String] {
        if isSubmodel { return submodelMembers }
        return [propertiesType, "\(prefix)static let properties = Properties()"]
            + [description, state, insertingInitializer, rowInitializer]
    }

    /// How what is added begins: nobody's, in a module of any default isolation, as an object is where its context is.
    var prefix: String { "nonisolated \(access.prefix)" }

    /// In a module whose default isolation is the main actor the class, and so a stored property, is the main actor's;
    /// but who has the object has its row. It is safe, as neither is `Sendable`: both are in one context, wherever that
    /// is.
    private var state: String {
        "@safe nonisolated(unsafe) \(access.prefix)let _object: RestfulData.ObjectState"
    }

    /// A token for each property, under the property's own name and access.
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

    /// A class that others inherit from can't have it as a `static let`, which they couldn't override.
    private var heirDescription: [String] {
        guard arguments.namesDiscriminator else { return [] }
        return [
            "    \(access.prefix)static let _description = "
                + description(in: "\(name).properties").split(separator: "\n").joined(separator: "\n    ")
        ]
    }

    /// The call that makes the description, with the tokens of `properties`.
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
        // With a superclass, which the macro can't tell from a protocol, `self` is there after the superclass's
        // initializer.
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
