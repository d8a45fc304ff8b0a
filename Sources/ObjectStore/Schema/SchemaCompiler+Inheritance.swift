import Conventions

// Models that inherit from another one: their place in its table.

extension SchemaCompiler {
    /// The family of a model that others inherit from; `nil` where none does.
    mutating func family(_ family: ModelFamily, own: [Property]) -> Family? {
        let description = family.description
        guard let name = description.options.discriminator else {
            if let first = family.submodels.first?.description.name {
                problems.append(
                    "\(first) inherits from \(description.name), which has no discriminator: name the attribute that tells "
                        + "them apart with @Model(discriminator:)")
            }
            return nil
        }
        guard let property = own.first(where: { $0.name == name }), let column = property.column,
            property.link == nil
        else {
            problems.append(missing(name, as: "discriminator", of: description))
            return nil
        }
        guard let convert = property.discriminating else {
            problems.append("\(description.name)'s discriminator \"\(name)\" is neither text nor a whole number")
            return nil
        }
        guard !family.submodels.isEmpty else { return nil }
        if description.options.embedded {
            problems.append("\(description.name) is embedded, so no model inherits from it: give it an identity")
        }
        let values = [[]] + family.submodels.map { self.values(of: $0.description, convert) }
        checkValues(values, family)
        return Family(
            discriminator: property.index, column: column, values: values,
            ownProperties: Dictionary(
                uniqueKeysWithValues: family.submodels.map {
                    (ObjectIdentifier($0.description.type), $0.ownProperties)
                }))
    }

    private mutating func values(
        of submodel: ModelDescription, _ convert: (String) -> StoredValue?
    ) -> [StoredValue] {
        let declared = submodel.options.discriminatorValues
        let texts = declared.isEmpty ? AttributeMapping.discriminatorValues(forModelNamed: submodel.name) : declared
        let values = texts.compactMap(convert)
        if values.count < texts.count {
            problems.append(
                "\(submodel.name)'s discriminator is a whole number; name the one that stands for it with "
                    + "@Model(inherits:as:)")
        }
        return values
    }

    private mutating func checkValues(_ values: [[StoredValue]], _ family: ModelFamily) {
        var known: [StoredValue: String] = [:]
        for (submodel, values) in values.enumerated() {
            let name = family.classes[submodel].name
            for value in values {
                if let other = known.updateValue(name, forKey: value) {
                    problems.append(
                        "\(other) and \(name) both stand for the discriminator \(value); rename one with `as:`")
                }
            }
        }
    }

    mutating func submodel(
        _ submodel: SubmodelIndex, of family: ModelFamily, root: ModelSchema, names: AttributeNames?
    ) -> ModelSchema {
        var description = family.classes[submodel.rawValue]
        description.options.envelope = root.options.envelope
        let declared = family.properties(of: submodel).map { property in
            let index = PropertyIndex(property.index)
            return root[index].declared(as: family.property(index, of: submodel), names?[property.index].path)
        }
        var properties = root.properties
        for property in declared { properties[property.index.rawValue] = property }
        return ModelSchema(
            table: root.table, submodel: submodel, description: description, tableName: root.tableName,
            properties: properties, declared: declared, ownProperties: family.ownProperties(of: submodel),
            columns: root.columns, identity: root.identity,
            key: description.options.key == nil ? root.key : key(of: description, among: declared),
            baseURL: baseURL(of: description) ?? root.baseURL, names: names,
            identityKeys: identityKeys(
                of: family.properties(of: submodel).map { family.property(PropertyIndex($0.index), of: submodel) },
                names),
            family: root.family)
    }
}
