import SwiftSyntax

/// `override var title = ""`: the table has one column for both classes.
enum OverridingProperty: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        let modifiers = property.syntax.modifiers.filter { $0.name.tokenKind == .keyword(.override) }
        return modifiers.map { modifier in
            let message =
                "'\(property.name)' is a property of the model that this class inherits from, which declares it for "
                + "both; remove it here"
            return Finding(Self.self, at: modifier, message)
        }
    }
}
