import SwiftSyntax

/// `@Attribute @Relationship var owner: User?`, `@Attribute("a") @Attribute("b")`.
enum ContradictoryMarkers: PropertyRule {
    static func findings(in property: DeclaredProperty) -> [Finding] {
        let markers = property.markers.all
        guard markers.count > 1 else { return [] }
        let names = markers.map { "'@\($0.baseName)'" }
        guard Set(names).count > 1 else {
            let message = "'\(property.name)' has \(markers.count) times \(names[0]); say all in one"
            return [Finding(Self.self, at: markers[1], message)]
        }
        return [
            Finding(
                Self.self, at: markers[1],
                "'\(property.name)' can't be \(names.joined(separator: " and ")) at once; keep one",
                remedies: markers.map { .removing($0, from: property.syntax) })
        ]
    }
}
