import SwiftSyntax

/// `let total = 0` in a response type: the value is fixed.
enum ConstantWithDefault: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        let keyword = property.syntax.bindingSpecifier
        guard keyword.tokenKind == .keyword(.let), property.initialValue != nil else { return [] }
        let message = "no response can set '\(property.name)', which is a 'let' that has its value; make it a 'var'"
        let variable = keyword.with(\.tokenKind, .keyword(.var))
        return [
            Finding(
                Self.self, at: keyword, message,
                remedies: [Remedy("replace 'let' with 'var'", replacing: keyword, with: variable)])
        ]
    }
}
