import SwiftSyntax

/// `lazy var`, `weak var`: a model's values belong to the store.
enum LazyOrWeakProperty: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        Array(property.syntax.modifiers).filter(isUnsupported).map { modifier in
            let name = modifier.name.text
            let message =
                "'\(name)' can't be said of a model's property, whose value the store holds; remove it, "
                + "or mark '\(property.name)' '@Transient'"
            var plain = property.syntax
            plain.modifiers = plain.modifiers.filter { !isUnsupported($0) }
            plain.leadingTrivia = property.syntax.leadingTrivia
            return Finding(
                Self.self, at: modifier, message,
                remedies: [
                    Remedy("remove '\(name)'", replacing: property.syntax, with: plain),
                    .marking("@Transient", property.syntax),
                ])
        }
    }

    private static func isUnsupported(_ modifier: DeclModifierSyntax) -> Bool {
        [.keyword(.lazy), .keyword(.weak), .keyword(.unowned)].contains(modifier.name.tokenKind)
    }
}
