import SwiftSyntax

/// `var owner: User!`: a partial reply may leave it out, and reading it would trap.
enum ImplicitlyUnwrappedProperty: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard let annotation = property.annotation, let type = annotation.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)
        else { return [] }
        let message = "'\(property.name)' would trap where a reply left it out; make it an optional"
        let optional = OptionalTypeSyntax(
            wrappedType: type.wrappedType, questionMark: .postfixQuestionMarkToken(trailingTrivia: type.trailingTrivia))
        return [
            Finding(
                Self.self, at: annotation, message,
                remedies: [Remedy("replace '!' with '?'", replacing: annotation, with: TypeSyntax(optional))])
        ]
    }
}
