// The bits of ``SaidMask`` follow the order of a model's properties. They move before other changes.

extension MigrationPlanner {
    mutating func placeSaid() {
        for index in matches.indices {
            guard let placement = matches[index].placementOfSaid(for: rowSteps(of: matches[index].model)) else {
                continue
            }
            plan.steps.append(.placeSaid(placement))
            matches[index].before?.columns += placement.added.map { name in
                ColumnLayout(name: name, type: "INTEGER", isRequired: false, hasDefault: false, isKey: false)
            }
        }
    }
}

/// The place of a property's bit.
struct SaidPlace: Equatable {
    let column: String
    let bit: Int

    fileprivate init(_ number: Int, in columns: ArraySlice<String>) {
        column = columns[columns.startIndex + number / 64]
        bit = number % 64
    }
}

extension TableMatch {
    /// Nil if the places are unchanged, or the table is new.
    ///
    /// - Parameter steps: they need the bits of properties that they replace.
    fileprivate func placementOfSaid(for steps: [RowStep]) -> SaidPlacement? {
        guard let old, let before else { return nil }
        let oldPlaces = before.column("_said") == nil ? nil : old.saidPlaces
        let isSame = model.properties.allSatisfy { property in
            guard let same = properties[property.name] else { return true }
            return oldPlaces?[same.name] == model.saidPlace(of: property)
        }
        // Otherwise a property added later could get the bit of a removed one.
        if oldPlaces != nil, isSame, removed.isEmpty, steps.allSatisfy(\.replaced.isEmpty) { return nil }
        var terms: [String: [String]] = [:]
        for property in model.properties {
            guard let same = properties[property.name], let place = model.saidPlace(of: property),
                let said = isSaid(same, by: oldPlaces, in: before)
            else { continue }
            terms[place.column, default: []].append("((\(said)) << \(place.bit))")
        }
        let replaced = steps.enumerated().map { number, step in
            let said = old.properties.filter { step.replaced.contains($0.name) }
                .compactMap { isSaid($0, by: oldPlaces, in: before) }
            return (SaidPlacement.column(ofStep: number), said.map { "(\($0))" })
        }
        let values = model.saidColumns.map { ($0, terms[$0] ?? []) } + replaced
        return SaidPlacement(
            table: model.tableName, added: values.map(\.0).filter { before.column($0) == nil },
            values: values.map { ($0, $1.isEmpty ? "0" : $1.joined(separator: " | ")) })
    }

    /// SQL for the bit of an old property. Nil if it had none.
    private func isSaid(
        _ property: DescribedProperty, by places: [String: SaidPlace]?, in before: TableLayout
    ) -> String? {
        if let places {
            return places[property.name].map { "ifnull(\($0.column), 0) >> \($0.bit) & 1" }
        }
        // Older formats have a column for each list. In other columns, any value counts as known.
        let column = property.list == nil ? property.column : "_said_\(property.name)"
        return column.flatMap { before.column($0) }.map { "\(SQL.quoted($0.name)) IS NOT NULL" }
    }
}

extension ModelSchema {
    /// Nil for a property that isn't stored.
    func saidPlace(of property: Property) -> SaidPlace? {
        if let list = number(ofList: property.index) { return SaidPlace(list, in: saidColumns[saidWords...]) }
        return property.column.map { SaidPlace($0.rawValue, in: saidColumns[..<saidWords]) }
    }
}

extension DescribedTable {
    /// By property.
    fileprivate var saidPlaces: [String: SaidPlace] {
        let columns = properties.filter { $0.column != nil }
        let lists = properties.filter { $0.column == nil }
        let words = ModelSchema.saidColumns(columns: columns.count, lists: 0).count
        let names = ModelSchema.saidColumns(columns: columns.count, lists: lists.count)
        let places =
            columns.enumerated().map { ($1.name, SaidPlace($0, in: names[..<words])) }
            + lists.enumerated().map { ($1.name, SaidPlace($0, in: names[words...])) }
        return Dictionary(places) { first, _ in first }
    }
}
