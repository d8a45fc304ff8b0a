import SwiftSyntax

/// `@Relationship var tags: [String]`: a relationship references models.
enum RelationshipOfValues: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard let marker = property.markers.relationship, let shape = property.shape, shape.isOfValues else {
            return []
        }
        let type = property.annotation.map { "'\($0.trimmedDescription)' holds" } ?? "it holds"
        let message = "'\(property.name)' is no relationship, as \(type) values and no models; remove '@Relationship'"
        return [Finding(Self.self, at: marker, message, remedies: [.removing(marker, from: property.syntax)])]
    }
}

extension TypeShape {
    fileprivate var isOfValues: Bool {
        switch self {
        case .value, .dictionary, .set, .other: true
        case .named: false
        case .optional(let inner), .array(let inner), .implicitlyUnwrapped(let inner): inner.isOfValues
        }
    }
}
