import Conventions

extension SchemaDescription {
    /// What a file without a description was made by, as far as its tables tell. A column that a model still has is taken
    /// to be of that model's kind where its type in SQLite is the same; of others the type is all that is known.
    init(derivedFrom layout: FileLayout, for schema: Schema) {
        let names = layout.tables.filter { $0.value.isModelTable }.keys.sorted()
        let known = schema.modelTables
        self.init(
            tables: names.map { name in
                let heir = known.first { $0.name == name } ?? known.first { $0.earlierTableNames.contains(name) }
                return DescribedTable(derivedFrom: name, layout, heir)
            }, statements: [])
    }
}

extension ModelTable {
    /// The names that the conventions gave to the tables of the class's earlier names.
    var earlierTableNames: [String] { renamedFrom.map { AttributeMapping.tableName(forModelNamed: $0).name } }

    /// The declared property that a column, or a join table without its owner's name, was made for, and its Swift name then.
    fileprivate func heir(ofColumn column: String, isLink: Bool) -> (name: String, property: Property)? {
        let suffix = isLink ? "_id" : ""
        func name(_ property: String) -> String {
            AttributeMapping.columnName(forPropertyNamed: property).name + suffix
        }
        if let same = properties.first(where: { name($0.property.name) == column }) {
            return (same.property.name, same.property)
        }
        return properties.lazy.compactMap { entry in
            entry.property.renamedFrom.map { (name: $0, property: entry.property) }
        }.first { name($0.name) == column }
    }
}

extension DescribedTable {
    fileprivate init(derivedFrom name: String, _ layout: FileLayout, _ heir: ModelTable?) {
        let table = layout.tables[name]
        let columns = table?.columns.filter { !$0.name.hasPrefix("_") } ?? []
        var properties = columns.map { DescribedProperty(derivedFrom: $0, heir) }
        properties += Self.lists(of: name, layout, heir)
        self.init(
            name: name, model: heir?.renamedFrom.first ?? heir?.modelName ?? name,
            identity: Self.columns(ofIndex: table?.indexes["\(name)_identity"]), properties: properties)
        if heir?.name == name, let modelName = heir?.modelName { model = modelName }
    }

    /// The columns that the statement of an index names.
    private static func columns(ofIndex statement: String?) -> [String] {
        guard let list = statement?.split(separator: "(", maxSplits: 1).last else { return [] }
        return list.split(separator: ")").first.map { names in
            names.split(separator: ",").map { name in
                String(name.drop { $0 == " " || $0 == "\"" }.prefix { $0 != "\"" })
            }
        } ?? []
    }

    private static func lists(of name: String, _ layout: FileLayout, _ heir: ModelTable?) -> [DescribedProperty] {
        layout.tables.sorted { $0.key < $1.key }.flatMap { other, table -> [DescribedProperty] in
            if table.isJoinTable { return joined(other, table, to: name, heir) }
            return table.columns.compactMap { column in
                guard column.target == name, column.name.hasSuffix("_id") else { return nil }
                let position = "_\(column.name.dropLast(3))_position"
                guard table.column(position) != nil else { return nil }
                let list = DescribedList.column(column.name, position: position)
                let known = heir?.properties.first { $0.property.list?.storageColumn == column.name }
                return DescribedProperty(
                    name: known?.property.name ?? "\(other)s", target: other, list: list)
            }
        }
    }

    private static func joined(
        _ join: String, _ table: TableLayout, to name: String, _ heir: ModelTable?
    ) -> [DescribedProperty] {
        let isTwoSided = table.column("inverse_position") != nil
        let source = table.column("source_id")?.target
        let target = table.column("target_id")?.target
        var lists: [DescribedProperty] = []
        if source == name, join.hasPrefix("\(name)_") {
            let column = String(join.dropFirst(name.count + 1))
            let known = heir?.heir(ofColumn: column, isLink: false)
            lists.append(
                DescribedProperty(
                    name: known?.name ?? camelCase(column), target: target,
                    list: .join(join, isReversed: false, isTwoSided: isTwoSided)))
        }
        if isTwoSided, target == name {
            let known = heir?.properties.first { $0.property.list?.isReversed(in: join) ?? false }
            lists.append(
                DescribedProperty(
                    name: known?.property.name ?? "\(source ?? "")s", target: source,
                    list: .join(join, isReversed: true, isTwoSided: true)))
        }
        return lists
    }
}

extension DescribedProperty {
    fileprivate init(derivedFrom column: ColumnLayout, _ table: ModelTable?) {
        let isLink = column.target != nil
        let heir = table?.heir(ofColumn: column.name, isLink: isLink)
        let bare = isLink && column.name.hasSuffix("_id") ? String(column.name.dropLast(3)) : column.name
        self.init(name: heir?.name ?? camelCase(bare), column: column.name, target: column.target)
        if isLink { return }
        // Whether nulls were allowed is not known, so they are looked for.
        isOptional = true
        if case .attribute(let kind, _, _)? = heir?.property.kind, kind.columnType.rawValue == column.type {
            self.kind = kind.name
            if case .integer(let range) = kind { self.range = [range.lowerBound, range.upperBound] }
            hasDefault = !(heir?.property.defaultValue.isNull ?? true)
        } else {
            self.kind = Self.kinds[column.type] ?? "text"
        }
    }

    /// What a type in SQLite says of a kind. A REAL may be a date or a number, which only the models knew.
    private static let kinds = ["INTEGER": "integer", "REAL": "unknown real", "TEXT": "text", "BLOB": "data"]
}

extension List {
    fileprivate var storageColumn: String? {
        if case .column(_, let column, _) = storage { column } else { nil }
    }

    fileprivate func isReversed(in name: String) -> Bool {
        if case .join(let join, let isReversed) = storage { isReversed && join.name == name } else { false }
    }
}

/// `full_name` as `fullName`: what a column without a model was probably called.
private func camelCase(_ column: String) -> String {
    let words = column.split(separator: "_")
    return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
}
