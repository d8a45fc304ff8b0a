import Conventions

// A choice is an attribute with the model's name, and a hidden link for each model.

extension SchemaCompiler {
    func choices(among properties: [PropertyDescription], at table: TableID) -> [PropertyIndex: Choice] {
        var found: [PropertyIndex: Choice] = [:]
        for property in properties {
            guard let declared = property.choice else { continue }
            let mapping = mapping(of: description(of: table))
            let identityKey =
                declared.options.sentKey
                ?? mapping.foreignKeyName(for: property.name, explicitName: property.jsonName).name
            let typeKey =
                declared.options.typeKey
                ?? mapping.typeKeyName(for: property.name, explicitName: property.jsonName).name
            found[PropertyIndex(property.index)] = Choice(
                PropertyIndex(property.index),
                links: properties.filter { $0.choiceName == property.name }.map { PropertyIndex($0.index) },
                to: declared.choices, with: declared.options.resolved(by: style(of: table).relationships),
                typePath: typeKey.keyPathKeys ?? [typeKey], identityPath: identityKey.keyPathKeys ?? [identityKey])
        }
        return found
    }

    /// `subject_post`, with the column `subject_post_id`.
    func choiceColumnName(of property: String, to type: any Model.Type) -> String {
        let names = [property, table(of: type).map { description(of: $0).name } ?? "\(type)"]
        return names.map { AttributeMapping.columnName(forPropertyNamed: $0).name }.joined(separator: "_")
    }

    /// Names before renames, or before it led to several models.
    func formerNames(ofChoiceLink link: PropertyDescription, to target: TableID) -> [String] {
        guard let name = link.choiceName, case .toOne(let type, let options) = link.kind else { return [] }
        let renamed = options.renamedFrom.map { String($0.prefix { $0 != "." }) }
        let models = ["\(type)"] + [description(of: target).options.renamedFrom].compactMap(\.self)
        let names = [name] + [renamed].compactMap(\.self)
        return names.flatMap { name in models.map { "\(name).\($0)" } } + names
    }

    /// Attributes at the relationship's keys are read-only if it is sent by them. JSON:API sends linkage instead.
    func leavingKeys(to choices: some Collection<Choice>, among properties: [Property]) -> [Property] {
        let sent = choices.filter { $0.options.sentAs == .identities }
        guard !sent.isEmpty else { return properties }
        return properties.map { property in
            guard case .attribute(let kind, let value, var options) = property.kind, property.choice == nil,
                property.resourcePath == nil, options.access != .writeOnly,
                sent.contains(where: { [$0.typePath, $0.identityPath].contains(property.jsonPath) })
            else { return property }
            var property = property
            (options.access, options.alwaysSent) = (.readOnly, false)
            property.kind = .attribute(kind, default: value, options: options)
            return property
        }
    }

    mutating func checkChoices(of model: ModelSchema, among models: [ModelSchema]) {
        for choice in model.choices {
            let name = "\(model.modelName).\(model[choice.property].name)"
            for problem in problems(of: choice, in: model) { problems.append("\(name) \(problem)") }
            checkTypes(of: choice, name, among: models)
        }
    }

    private func problems(of choice: Choice, in model: ModelSchema) -> [String] {
        let options = choice.options
        var problems: [String] = []
        if options.route != nil || options.adds != nil || options.merges != nil || options.verbs != .all {
            problems.append(
                "leads to one of several models, so it has no route of its own: leave the route out, and fetch the object"
            )
        }
        if case .named(let inverse) = options.inverse {
            problems.append(
                "names the inverse \"\(inverse)\", but leads to one of several models, which has none: leave `inverse:` out"
            )
        }
        if options.owns {
            problems.append(
                "leads to one of several models, so it can't own them: leave `owns:` out, or use `onDelete:`")
        }
        switch options.sentAs {
        case .key:
            problems.append(
                "leads to one of several models, so it is sent by type and identity: say `sentAs: .identities`, "
                    + "`.identitiesByName` or `.never`")
        default: break
        }
        if model.isEmbedded {
            problems.append(
                "leads to one of several models, which an embedded model can't do: declare it in the model that \(model.modelName) "
                    + "is embedded in, or give \(model.modelName) an identity")
        }
        if model.identity.contains(choice.property) || model.key == choice.property {
            problems.append("leads to one of several models, so it can't identify \(withArticle(model.modelName))")
        }
        return problems
    }

    private mutating func checkTypes(of choice: Choice, _ name: String, among models: [ModelSchema]) {
        var seen: [TableID: String] = [:]
        var found: [(model: ModelSchema, names: [String])] = []
        for (element, type) in choice.choices.types {
            // Reported already as an unknown target.
            guard let table = table(of: type) else { continue }
            let target = models[table.rawValue].model(submodel(of: type))
            if target.isEmbedded {
                problems.append(
                    "\(name) may lead to \(target.modelName), which is embedded and has no identity: remove the case \(element)"
                )
            }
            if let other = seen.updateValue(element, forKey: table) {
                problems.append(
                    "\(name) has the cases \(other) and \(element) for one table, so it is unclear which one an object is: "
                        + "remove one, and have the other take the model that both inherit from")
            }
            found.append((target, [element]))
        }
        do {
            _ = try MixedTypes(found, by: choice.choices.key)
        } catch {
            problems.append("\(name): \(error.text)")
        }
    }
}
