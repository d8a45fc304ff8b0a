import SwiftSyntax
import SwiftSyntaxBuilder

/// `@Attribute(.externalStorage)`, `@Attribute(originalName: "name")`: arguments of SwiftData.
enum SwiftDataAttribute: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard let marker = property.markers.attribute, let argument = marker.argumentList?.first(where: isForeign)
        else {
            return []
        }
        let (message, remedy) =
            argument.label.map { named(argument, $0.text, of: property, in: marker) }
            ?? option(argument, of: property, in: marker)
        return [Finding(Self.self, at: argument, message, remedies: [remedy])]
    }

    private static func isForeign(_ argument: LabeledExprSyntax) -> Bool {
        if let label = argument.label?.text { return ["originalName", "hashModifier"].contains(label) }
        return argument.expression.implicitMember.map(options.contains) ?? false
    }

    /// `unique` has its own rule.
    private static let options: Set<String> = [
        "externalStorage", "spotlight", "ephemeral", "transformable", "preserveValueOnDeletion",
        "allowsCloudEncryption",
    ]

    private static func named(
        _ argument: LabeledExprSyntax, _ label: String, of property: DeclaredProperty, in marker: AttributeSyntax
    ) -> (String, Remedy) {
        guard label == "originalName" else {
            return (
                "'\(label):' is SwiftData's, and says nothing here; remove it",
                removal(argument, of: property, in: marker)
            )
        }
        let arguments =
            marker.argumentList?.map { other in
                other.id == argument.id ? "renamedFrom: \(other.expression.trimmed)" : other.text
            } ?? []
        let changed = property.syntax.replacing(marker, with: marker.replacingArguments(with: arguments))
        return (
            "'originalName:' is SwiftData's; write 'renamedFrom:'",
            Remedy("replace 'originalName:' with 'renamedFrom:'", replacing: property.syntax, with: changed)
        )
    }

    private static func option(
        _ argument: LabeledExprSyntax, of property: DeclaredProperty, in marker: AttributeSyntax
    ) -> (String, Remedy) {
        let name = argument.expression.implicitMember ?? ""
        switch name {
        case "ephemeral":
            let transient: AttributeSyntax = "@Transient"
            let changed = property.syntax.replacing(marker, with: transient)
            return (
                "'.ephemeral' is SwiftData's; what is not stored is marked '@Transient'",
                Remedy("mark it '@Transient'", replacing: property.syntax, with: changed)
            )
        case "spotlight":
            return (
                "'.spotlight' is SwiftData's; write 'searchable: true' for a text that 'search' finds, or remove it",
                removal(argument, of: property, in: marker)
            )
        case "transformable":
            return (
                "'.transformable' is SwiftData's; make the type 'Codable', or name a 'transformer:', and remove it",
                removal(argument, of: property, in: marker)
            )
        default:
            return (
                "'.\(name)' is SwiftData's, and says nothing here; remove it",
                removal(argument, of: property, in: marker)
            )
        }
    }

    private static func removal(
        _ argument: LabeledExprSyntax, of property: DeclaredProperty, in marker: AttributeSyntax
    ) -> Remedy {
        let name = argument.label.map { "\($0.text):" } ?? ".\(argument.expression.implicitMember ?? "")"
        return Remedy(
            "remove '\(name)'", replacing: property.syntax, with: property.syntax.dropping([argument], of: marker))
    }
}
