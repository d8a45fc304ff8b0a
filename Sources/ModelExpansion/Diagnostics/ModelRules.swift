/// A rule about a class, or its properties together.
protocol ModelRule: SendableMetatype {
    static func findings(in model: DeclaredModel) -> [Finding]
}

enum ModelRules {
    private static let all: [any ModelRule.Type] = [
        GenericModel.self, OpenModel.self, UndiscriminatedModel.self, FinalParent.self, OtherSuperclass.self,
        SubmodelWithIdentity.self, RenamesWithoutEffect.self, SingularFalse.self, IsolatedModel.self,
        SendableModel.self,
        IdentifiableModel.self, ReservedMember.self,
        OwnInitializer.self,
        ConditionalProperty.self, TransientWithoutDefault.self, PrivateNestedType.self, MissingIdentity.self,
        UnknownIdentityName.self, IdentityWithDefault.self, IdentityOfManyObjects.self, MalformedRoute.self,
        UnknownPlaceholder.self, UnreadCodingKeys.self, MalformedJSONName.self, DuplicateJSONName.self,
        TooManyProperties.self,
    ]

    static func findings(in model: DeclaredModel) -> [Finding] {
        model.properties.filter { $0.markers.transient == nil || $0.markers.all.count > 1 }
            .flatMap { PropertyRules.findings(in: $0) }
            + all.flatMap { $0.findings(in: model) }
    }
}
