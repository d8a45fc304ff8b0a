import SwiftSyntax

/// `var login`.
enum MissingType: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard property.annotation == nil, let binding = property.binding else { return [] }
        if binding.initializer == nil {
            let message =
                "'\(property.name)' has neither a type nor a default; write its type, as in '\(property.name): Int?'"
            return [Finding(Self.self, at: property.nameSyntax, message, remedies: [remedy(binding, "<#Type#>?")])]
        }
        guard property.markers.relationship != nil, property.shape == nil else { return [] }
        let message = "the type of a relationship is written out: '[Model]' for many objects, 'Model?' for one"
        return [Finding(Self.self, at: property.nameSyntax, message, remedies: [remedy(binding, "[<#Model#>]")])]
    }

    private static func remedy(_ binding: PatternBindingSyntax, _ type: String) -> Remedy {
        Remedy("add a type", replacing: binding, with: binding.typed(type))
    }
}
