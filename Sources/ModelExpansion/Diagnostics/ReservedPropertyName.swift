import SwiftSyntax

/// `var properties`, `var context`: the name of something that `@Model` adds or every model has, which the property
/// would hide.
enum ReservedPropertyName: PropertyRule {
    static let names: Set<String> = [
        "properties", "Properties", "ownProperties", "OwnProperties", "modelDescription", "_object",
    ]

    /// What every model has.
    private static let inherited: Set<String> = [
        "context", "isDeleted", "isInserted", "hasChanges", "unsentProperties", "changedProperties", "identityPart",
        "fetchedAt", "create", "save", "fetch", "delete",
    ]

    static func findings(in property: DeclaredProperty) -> [Finding] {
        let isInherited = inherited.contains(property.name)
        guard isInherited || names.contains(property.name) else { return [] }
        let owner = isInherited ? "every model has" : "'@Model' adds"
        let message =
            "'\(property.name)' is the name of a member that \(owner); choose another, and keep the JSON name"
            + " with '@Attribute(\"\(ConventionNames.jsonName(ofProperty: property.name))\")'"
        return [Finding(Self.self, at: property.nameSyntax, message, remedies: [remedy(property)].compactMap(\.self))]
    }

    /// Another name with the JSON name kept, if the property certainly is an attribute.
    private static func remedy(_ property: DeclaredProperty) -> Remedy? {
        guard !property.mayBeRelationship, property.markers.all.isEmpty, let binding = property.binding else {
            return nil
        }
        let base =
            property.name == "_object" ? "object" : property.name.prefix(1).lowercased() + property.name.dropFirst()
        let newName = "\(base)Value"
        let name = IdentifierPatternSyntax(identifier: .identifier(newName))
            .with(\.trailingTrivia, binding.pattern.trailingTrivia)
        var renamed = property.syntax
        renamed.bindings = [binding.with(\.pattern, PatternSyntax(name))]
        let marker = "@Attribute(\"\(ConventionNames.jsonName(ofProperty: property.name))\")"
        return Remedy("rename it to '\(newName)'", replacing: property.syntax, with: renamed.marked(marker))
    }
}
