import SwiftSyntax

/// `@Attribute @Relationship var owner: User?`: a property is one of them.
enum ContradictoryMarkers: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        let markers = property.markers.all
        guard markers.count > 1 else { return [] }
        let names = markers.map { "'@\($0.baseName)'" }.joined(separator: " and ")
        return [
            Finding(
                Self.self, at: markers[1], "'\(property.name)' can't be \(names) at once; keep one",
                remedies: markers.map { .removing($0, from: property.syntax) })
        ]
    }
}
