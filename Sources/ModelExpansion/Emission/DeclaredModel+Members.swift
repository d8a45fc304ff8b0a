import SwiftSyntax
import SwiftSyntaxBuilder

extension DeclaredModel {
    /// What `@Model` adds to the class: the tokens of its properties, what it declares, and its place in a context.
    var members: [DeclSyntax] {
        [propertiesType, "\(raw: access.prefix)static let properties = Properties()"]
            + [description, "\(raw: access.prefix)let _object: RestfulData.ObjectState"]
            + [insertingInitializer, rowInitializer]
    }

    /// A token for each property, under the property's own name and access.
    private var propertiesType: DeclSyntax {
        let tokens = modelled.enumerated().map { index, property in
            "    \(property.access.prefix)let \(property.spelling) = \(property.token(at: index, in: name))"
        }
        return """
            \(raw: access.prefix)struct Properties: Sendable {
            \(raw: tokens.joined(separator: "\n"))
            }
            """
    }

    private var description: DeclSyntax {
        let options = arguments.list?.text(inClass: name) ?? ""
        let tokens = modelled.map { "properties.\($0.spelling)" }.joined(separator: ", ")
        return """
            \(raw: access.prefix)static let modelDescription = RestfulData.ModelDescription(
                \(raw: name).self, \(literal: plainName), RestfulData.ModelOptions(\(raw: options)),
                [\(raw: tokens)])
            """
    }

    private var insertingInitializer: DeclSyntax {
        """
        \(raw: access.prefix)init(in context: RestfulData.Context) {
            _object = RestfulData.ObjectState(insertingInto: context, \(raw: name).modelDescription)
            _object.register(self)
        }
        """
    }

    /// `required` where a subclass could be without it.
    private var rowInitializer: DeclSyntax {
        """
        \(raw: access.prefix)\(raw: isFinal ? "" : "required ")init(_object: RestfulData.ObjectState) {
            self._object = _object
        }
        """
    }
}
