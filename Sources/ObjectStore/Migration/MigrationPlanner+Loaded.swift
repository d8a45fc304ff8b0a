// The bits of ``LoadedMask`` follow the order of a model's properties. They move before other changes.

extension MigrationPlanner {
    mutating func updateLoaded() {
        for index in matches.indices {
            guard let placement = matches[index].loadedUpdate(for: rowSteps(of: matches[index].model)) else {
                continue
            }
            plan.steps.append(.updateLoaded(placement))
            matches[index].before?.columns += placement.added.map { name in
                ColumnLayout(name: name, type: "INTEGER", isRequired: false, hasDefault: false, isKey: false)
            }
        }
    }
}

/// The place of a property's bit.
struct LoadedBit: Equatable {
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
    fileprivate func loadedUpdate(for steps: [RowStep]) -> LoadedUpdate? {
        guard let old, let before else { return nil }
        let oldPlaces = before.column("_said") == nil ? nil : old.loadedBits
        let isSame = model.properties.allSatisfy { property in
            guard let same = properties[property.name] else { return true }
            return oldPlaces?[same.name] == model.loadedBit(of: property)
        }
        // Bits of removed properties are cleared, since properties added later could get them.
        if oldPlaces != nil, isSame, removed.isEmpty, steps.allSatisfy(\.replaced.isEmpty) { return nil }
        var terms: [String: [String]] = [:]
        var moves: [(from: LoadedBit, to: LoadedBit)] = []
        for property in model.properties {
            guard let same = properties[property.name], let place = model.loadedBit(of: property),
                let loaded = isLoaded(same, by: oldPlaces, in: before)
            else { continue }
            terms[place.column, default: []].append("((\(loaded)) << \(place.bit))")
            // Files without these bits have no queued deletions.
            if let former = oldPlaces?[same.name] { moves.append((from: former, to: place)) }
        }
        let replaced = steps.enumerated().map { number, step in
            let loaded = old.properties.filter { step.replaced.contains($0.name) }
                .compactMap { isLoaded($0, by: oldPlaces, in: before) }
            return (LoadedUpdate.column(ofStep: number), loaded.map { "(\($0))" })
        }
        let values = model.loadedColumns.map { ($0, terms[$0] ?? []) } + replaced
        return LoadedUpdate(
            table: model.tableName, added: values.map(\.0).filter { before.column($0) == nil },
            values: values.map { ($0, $1.isEmpty ? "0" : $1.joined(separator: " | ")) },
            columns: model.loadedColumns, moves: moves)
    }

    /// SQL for the bit of an old property. Nil if it had none.
    private func isLoaded(
        _ property: DescribedProperty, by places: [String: LoadedBit]?, in before: TableLayout
    ) -> String? {
        if let places {
            return places[property.name].map { "ifnull(\($0.column), 0) >> \($0.bit) & 1" }
        }
        // Older formats have a column for each list. In other columns, any value counts as loaded.
        let column = property.list == nil ? property.column : "_said_\(property.name)"
        return column.flatMap { before.column($0) }.map { "\(SQL.quoted($0.name)) IS NOT NULL" }
    }
}

extension ModelSchema {
    /// Nil for a property that isn't stored.
    func loadedBit(of property: Property) -> LoadedBit? {
        if let list = number(ofList: property.index) { return LoadedBit(list, in: loadedColumns[loadedWords...]) }
        return property.column.map { LoadedBit($0.rawValue, in: loadedColumns[..<loadedWords]) }
    }
}

extension DescribedTable {
    /// The bits of the old properties.
    fileprivate var loadedBits: [String: LoadedBit] {
        let columns = properties.filter { $0.column != nil }
        let lists = properties.filter { $0.column == nil }
        let words = ModelSchema.loadedColumns(columns: columns.count, lists: 0).count
        let names = ModelSchema.loadedColumns(columns: columns.count, lists: lists.count)
        let places =
            columns.enumerated().map { ($1.name, LoadedBit($0, in: names[..<words])) }
            + lists.enumerated().map { ($1.name, LoadedBit($0, in: names[words...])) }
        return Dictionary(places) { first, _ in first }
    }
}
