import SwiftSyntax

/// `@Relationship var owner: User`: the link may be empty.
enum RelationshipWithoutOptional: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard property.markers.relationship != nil, let shape = property.shape, !shape.mayReferenceModels,
            let annotation = property.annotation
        else { return [] }
        let type = annotation.trimmedDescription
        let message =
            "a relationship is an optional or an array, as nothing may be linked yet; "
            + "'\(property.name)' is '\(type)'"
        let remedies = shape.isNamed ? [Remedy.makingOptional(annotation)] : []
        return [Finding(Self.self, at: annotation, message, remedies: remedies)]
    }
}

extension TypeShape {
    fileprivate var isNamed: Bool {
        if case .named = self { true } else { false }
    }
}
