extension SchemaCompiler {
    /// Embedded targets are owned, sent nested, and deleted with the owner.
    func options(
        _ options: RelationshipOptions, referencing target: TableID, lists: ListExtent = .judged
    ) -> RelationshipOptions {
        guard description(of: target).options.embedded else {
            var options = options.resolved(by: lists)
            // Bodies can't refer to a singular resource.
            if isUnnamed(target), options.sentAs != .nested { options.sentAs = .never }
            return options
        }
        var options = options
        options.owns = true
        options.onDelete = .cascade
        if options.sentAs != .never { options.sentAs = .nested }
        return options
    }

    private func isUnnamed(_ table: TableID) -> Bool {
        description(of: table).options.identity == [PropertyDescription.singularIdentityName]
    }

    func referencesEmbedded(_ property: PropertyDescription) -> Bool {
        property.target.flatMap(table(of:)).map { description(of: $0).options.embedded } ?? false
    }

    func rule(of property: PropertyDescription) -> DeleteRule? {
        referencesEmbedded(property) ? .cascade : property.onDelete
    }

    mutating func checkEmbedding(of model: ModelSchema, among models: [ModelSchema]) {
        let name = model.modelName
        let options = model.options
        if options.baseURL != nil || options.key != nil {
            problems.append("\(name) is embedded, so it has no URL of its own: leave out its base URL and key")
        }
        if !options.identity.isEmpty {
            problems.append("\(name) is embedded, so it has no identity: leave out `identity:` or `embedded:`")
        }
        let owners = models.flatMap { owner in
            owner.properties.filter { $0.target == model.table }.map { (owner, $0) }
        }
        // Leaves out relationships back to the owner.
        let leading = owners.filter { !leadsBack($0.1, of: $0.0, among: models) }
        if leading.isEmpty {
            problems.append("\(name) is embedded, and no relationship leads to it: declare one, or give it an identity")
        }
        for (owner, property) in leading {
            if let inverse = property.inverse, model[inverse].list != nil {
                problems.append(
                    "\(owner.modelName).\(property.name) and \(name).\(model[inverse].name) are many-to-many, and "
                        + "an embedded object has one owner: declare \(model[inverse].name) as one object, or give "
                        + "\(name) an identity")
            }
            if property.list?.options.merges == true {
                problems.append(
                    "\(owner.modelName).\(property.name) merges, and embedded objects are replaced as a whole: leave out "
                        + "`merges:`")
            }
        }
        let back = leading.compactMap(\.1.inverse)
        if back.count > 1 {
            let names = back.map { model[$0].name }.joined(separator: " and ")
            problems.append(
                "\(name) leads back to two owners by \(names), and an embedded object has one: say `inverse: nil` in one of them"
            )
        }
    }

    /// Between two embedded models, a link with a list as inverse leads to the owner.
    private func leadsBack(_ property: Property, of owner: ModelSchema, among models: [ModelSchema]) -> Bool {
        guard owner.isEmbedded, let link = property.link, let inverse = link.inverse else { return false }
        return models[link.target.rawValue][inverse].list != nil
    }
}
