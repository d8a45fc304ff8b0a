// Models whose objects have no identity and live in their owner.

extension SchemaCompiler {
    /// A relationship to embedded objects owns them, goes out with them nested, and its object takes them with it.
    func options(_ options: RelationshipOptions, leadingTo target: Int) -> RelationshipOptions {
        guard descriptions[target].options.embedded else { return options }
        var options = options
        options.owns = true
        options.onDelete = .cascade
        if options.sentAs != .never { options.sentAs = .nested }
        return options
    }

    func leadsToEmbedded(_ property: PropertyDescription) -> Bool {
        property.destination.flatMap(index(of:)).map { descriptions[$0].options.embedded } ?? false
    }

    func rule(of property: PropertyDescription) -> DeleteRule? {
        leadsToEmbedded(property) ? .cascade : property.onDelete
    }

    mutating func checkEmbedding(of table: ModelSchema, _ tables: [ModelSchema]) {
        let name = table.modelName
        let options = descriptions[table.index].options
        if options.baseURL != nil || options.key != nil {
            problems.append("\(name) is embedded, so it has no URL of its own: leave out its base URL and key")
        }
        if !options.identity.isEmpty {
            problems.append("\(name) is embedded, so it has no identity: leave out `identity:` or `embedded:`")
        }
        let owners = tables.flatMap { owner in
            owner.properties.filter { ($0.link?.target ?? $0.list?.target) == table.index }.map { (owner, $0) }
        }
        // Those that only lead back to the owner which the embedded object itself is.
        let leading = owners.filter { !leadsBack($0.1, in: $0.0, tables) }
        if leading.isEmpty {
            problems.append("\(name) is embedded, and no relationship leads to it: declare one, or give it an identity")
        }
        for (owner, property) in leading {
            let inverse = property.link?.inverse ?? property.list?.inverse
            if let inverse, table.properties[inverse].list != nil {
                problems.append(
                    "\(owner.modelName).\(property.name) and \(name).\(table.properties[inverse].name) are many-to-many, and "
                        + "an embedded object has one owner: declare \(table.properties[inverse].name) as one object, or give "
                        + "\(name) an identity")
            }
            if property.list?.options.merges == true {
                problems.append(
                    "\(owner.modelName).\(property.name) merges, and embedded objects are replaced as a whole: leave out "
                        + "`merges:`")
            }
        }
        let back = leading.compactMap { $0.1.link?.inverse ?? $0.1.list?.inverse }
        if back.count > 1 {
            let names = back.map { table.properties[$0].name }.joined(separator: " and ")
            problems.append(
                "\(name) leads back to two owners by \(names), and an embedded object has one: say `inverse: nil` in one of them"
            )
        }
    }

    /// Between two embedded models that lead to each other, a link whose inverse is a list leads to the owner.
    private func leadsBack(_ property: Property, in owner: ModelSchema, _ tables: [ModelSchema]) -> Bool {
        guard owner.isEmbedded, let link = property.link, let inverse = link.inverse else { return false }
        return tables[link.target].properties[inverse].list != nil
    }
}
