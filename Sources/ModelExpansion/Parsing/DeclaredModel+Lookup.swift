extension DeclaredModel {
    /// All but transient ones, including those with an error.
    var nameable: [DeclaredProperty] { properties.filter { $0.markers.transient == nil && !$0.name.isEmpty } }

    /// By the Swift name, the JSON name, or the foreign key of a relationship, regardless of word breaks.
    func property(named name: String) -> DeclaredProperty? {
        let key = ConventionNames.looseKey(name)
        return nameable.first { $0.name == name }
            ?? nameable.first { $0.names.contains { ConventionNames.looseKey($0) == key } }
    }

    var identity: [DeclaredProperty] {
        if arguments.namesIdentity { return arguments.identity.compactMap { property(named: $0.value) } }
        let conventional = nameable.first { $0.name == "identifier" } ?? nameable.first { $0.name == "id" }
        return conventional.map { [$0] } ?? []
    }
}

extension DeclaredProperty {
    /// `nil` if its expression has to be evaluated.
    var jsonName: String? {
        if let json = markers.json { return json.value }
        return markers.hasJSONArgument ? nil : ConventionNames.jsonName(ofProperty: name)
    }

    private var foreignKey: String? {
        mayBeRelationship ? ConventionNames.foreignKey(ofProperty: name, json: markers.json?.value) : nil
    }

    fileprivate var names: [String] { [name, jsonName, foreignKey].compactMap(\.self) }
}
