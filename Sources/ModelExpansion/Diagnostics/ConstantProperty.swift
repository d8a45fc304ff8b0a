import SwiftSyntax

/// `let login: String`: a reply can change every property.
enum ConstantProperty: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        let keyword = property.syntax.bindingSpecifier
        guard keyword.tokenKind == .keyword(.let) else { return [] }
        let message = "a model's property is a 'var', as a reply can change it; or mark '\(property.name)' '@Transient'"
        let variable = keyword.with(\.tokenKind, .keyword(.var))
        return [
            Finding(
                Self.self, at: keyword, message,
                remedies: [
                    Remedy("replace 'let' with 'var'", replacing: keyword, with: variable),
                    .marking("@Transient", property.syntax),
                ])
        ]
    }
}
