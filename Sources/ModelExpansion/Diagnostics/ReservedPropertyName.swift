import SwiftSyntax

/// `var properties`, `var context`: it would hide a member that `@Model` adds or every model has.
enum ReservedPropertyName: PropertyRule {
    static let names: Set<String> = [
        "properties", "Properties", "ownProperties", "OwnProperties", "modelDescription", "_object",
    ]

    /// Members of every model.
    private static let inherited: Set<String> = [
        "context", "isDeleted", "isInserted", "hasChanges", "unsentProperties", "changedProperties", "identityPart",
        "fetchedAt", "create", "save", "fetch", "delete", "syncState", "snapshot", "outboxEntry", "discardQueued",
    ]

    /// Added code uses these with another meaning.
    private static let meant: Set<String> = ["Self", "Swift", "RestfulData"]

    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard let owner = owner(of: property.name) else { return [] }
        let message =
            "'\(property.name)' is \(owner); choose another, and keep the JSON name"
            + " with '@Attribute(\"\(ConventionNames.jsonName(ofProperty: property.name))\")'"
        return [Finding(Self.self, at: property.nameSyntax, message, remedies: [remedy(property)].compactMap(\.self))]
    }

    private static func owner(of name: String) -> String? {
        if inherited.contains(name) { return "the name of a member that every model has" }
        if names.contains(name) { return "the name of a member that '@Model' adds" }
        return meant.contains(name) ? "what other things are called in the code that '@Model' adds" : nil
    }

    /// Keeps the JSON name. `nil` unless the property is certainly an attribute.
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
