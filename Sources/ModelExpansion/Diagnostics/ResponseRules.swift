enum ResponseRules {
    /// The most severe first. Each property gets one diagnostic at a time.
    private static let all: [any PropertyRule.Type] = [
        SeveralInOneDeclaration.self, ConditionalMarker.self, ContradictoryMarkers.self, UniqueAttribute.self,
        SwiftDataAttribute.self, SwiftDataRelationship.self, ConstantWithDefault.self, MissingType.self,
        ImplicitlyUnwrappedProperty.self, OptionalList.self, RelationshipOfValues.self, RelationshipWithDefault.self,
        MissingDefault.self,
    ]

    static func findings(in property: DeclaredProperty) -> [Finding] {
        guard property.markers.transient == nil || property.markers.all.count > 1 else { return [] }
        for rule in all {
            let findings = rule.findings(in: property)
            if !findings.isEmpty { return findings }
        }
        return []
    }
}
