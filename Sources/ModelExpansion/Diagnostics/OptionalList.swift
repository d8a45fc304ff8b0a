import SwiftSyntax

/// `@Relationship var labels: [Label]?`: an empty list stands for `nil`.
enum OptionalList: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard property.markers.relationship != nil, case .optional(.array) = property.shape,
            let annotation = property.annotation?.as(OptionalTypeSyntax.self)
        else { return [] }
        let message = "a relationship to many objects is never nil, as it can be empty; remove the '?'"
        let list = annotation.wrappedType.with(\.trailingTrivia, annotation.trailingTrivia)
        return [
            Finding(
                Self.self, at: annotation, message,
                remedies: [Remedy("remove '?'", replacing: TypeSyntax(annotation), with: list)])
        ]
    }
}
