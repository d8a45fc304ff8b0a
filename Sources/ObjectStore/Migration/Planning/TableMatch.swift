/// A table of the models with the one in the file that it goes on from.
struct TableMatch: Sendable {
    let table: ModelTable
    /// `nil` for a model that the file does not know.
    let old: DescribedTable?
    /// By the property's Swift name, what it goes on from.
    let properties: [String: DescribedProperty]

    /// - Parameter tableNames: by the old names of tables, the new ones.
    init(_ table: ModelTable, old: DescribedTable?, _ tableNames: [String: String], _ schema: Schema) {
        self.table = table
        self.old = old
        var properties: [String: DescribedProperty] = [:]
        var taken: Set<String> = []
        func match(_ name: String, _ property: Property, _ owner: ModelSchema) {
            guard let candidate = old?.property(named: name), !taken.contains(name) else { return }
            let described = DescribedProperty(property, of: owner, schema)
            let leadsAlike = candidate.target.map { tableNames[$0] ?? $0 } == described.target
            guard leadsAlike else { return }
            taken.insert(name)
            properties[property.name] = candidate
        }
        // What says that it was renamed goes before what merely has the name now.
        for (owner, property) in table.properties where old?.property(named: property.name) == nil {
            if let name = property.renamedFrom { match(name, property, owner) }
        }
        for (owner, property) in table.properties { match(property.name, property, owner) }
        // A name may have changed in Swift alone, where both give one column.
        for (owner, property) in table.properties where properties[property.name] == nil {
            let column = property.column.map { owner.columns[$0].name }
            if let column, let same = old?.properties.first(where: { $0.column == column }) {
                match(same.name, property, owner)
            }
        }
        self.properties = properties
    }

    /// The old properties that nothing goes on from.
    var removed: [DescribedProperty] {
        let kept = Set(properties.values.map(\.name))
        return old?.properties.filter { !kept.contains($0.name) } ?? []
    }

    /// The old names of properties that have others now.
    var renamed: [(from: String, to: String)] {
        table.properties.compactMap { _, property in
            properties[property.name].flatMap { $0.name == property.name ? nil : ($0.name, property.name) }
        }
    }
}
