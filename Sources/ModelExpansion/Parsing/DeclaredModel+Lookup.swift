extension DeclaredModel {
    /// What names can mean: all but the transient properties. One that has a flaw of its own is included.
    var nameable: [DeclaredProperty] { properties.filter { $0.markers.transient == nil && !$0.name.isEmpty } }

    /// The property that a template or an argument of `@Model` means by `name`: its Swift name, its JSON name, or the
    /// foreign key of a relationship, whatever the word breaks.
    func property(named name: String) -> DeclaredProperty? {
        let key = ConventionNames.looseKey(name)
        return nameable.first { $0.name == name }
            ?? nameable.first { $0.names.contains { ConventionNames.looseKey($0) == key } }
    }

    /// The properties that identify the object at the server; empty if none does.
    var identity: [DeclaredProperty] {
        if arguments.namesIdentity { return arguments.identity.compactMap { property(named: $0.value) } }
        let conventional = nameable.first { $0.name == "identifier" } ?? nameable.first { $0.name == "id" }
        return conventional.map { [$0] } ?? []
    }
}

extension DeclaredProperty {
    /// The JSON name; `nil` if it is given by an expression that the macro can't evaluate.
    var jsonName: String? {
        if let json = markers.json { return json.value }
        return markers.hasJSONArgument ? nil : ConventionNames.jsonName(ofProperty: name)
    }

    private var foreignKey: String? {
        mayBeRelationship ? ConventionNames.foreignKey(ofProperty: name, json: markers.json?.value) : nil
    }

    /// All names that can mean the property.
    fileprivate var names: [String] { [name, jsonName, foreignKey].compactMap(\.self) }
}
