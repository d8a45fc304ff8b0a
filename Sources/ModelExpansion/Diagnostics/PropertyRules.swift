/// A rule about a single stored property. The macro leaves out a property with a finding, which avoids further errors.
protocol PropertyRule: SendableMetatype {
    static func findings(in property: DeclaredProperty) -> [Finding]
}

enum PropertyRules {
    /// The most severe first. Each property gets one diagnostic at a time.
    private static let all: [any PropertyRule.Type] = [
        SeveralInOneDeclaration.self, ConditionalMarker.self, ContradictoryMarkers.self, UniqueAttribute.self,
        SwiftDataAttribute.self, SwiftDataRelationship.self, ConstantProperty.self,
        LazyOrWeakProperty.self, OverridingProperty.self, ObservedProperty.self, ReservedPropertyName.self,
        MissingType.self, ImplicitlyUnwrappedProperty.self, RelationshipOfValues.self, SearchableValue.self,
        OptionalList.self, RelationshipWithoutOptional.self,
        RelationshipWithDefault.self,
        NeitherOptionalNorDefaulted.self,
    ]

    static func findings(in property: DeclaredProperty) -> [Finding] {
        for rule in all {
            let findings = rule.findings(in: property)
            if !findings.isEmpty { return findings }
        }
        return []
    }
}
