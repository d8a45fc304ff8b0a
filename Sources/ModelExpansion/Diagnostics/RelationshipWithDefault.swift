import SwiftSyntax

/// `@Relationship var labels: [Label] = .defaults`: a default has no context to make objects in.
enum RelationshipWithDefault: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard property.markers.relationship != nil, let binding = property.binding,
            let initializer = binding.initializer,
            !initializer.value.is(NilLiteralExprSyntax.self), !initializer.value.isEmptyList, property.annotation != nil
        else { return [] }
        let message = "a relationship starts out empty; remove the default of '\(property.name)'"
        let bare = binding.with(\.initializer, nil).with(\.trailingTrivia, binding.trailingTrivia)
        return [
            Finding(
                Self.self, at: initializer, message,
                remedies: [Remedy("remove the default", replacing: binding, with: bare)])
        ]
    }
}
