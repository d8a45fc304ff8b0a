extension DeletedRows {
    /// The base of the property's pending edit. Without an edit or a known base, the stored value.
    package func serverValue(_ property: Property, of model: ModelSchema) -> StoredValue {
        guard let column = model.column(of: property.index), let cells = rows.first?.cells else { return .null }
        let value = cells[column.name]?.value ?? .null
        guard case .text(let text) = cells["_unsent"]?.value,
            let base = UnsentChanges(text: text).entries[property.name]?.base
        else { return value }
        return base.isNull ? value : base
    }

    /// Stores a reply's attributes as the bases of pending edits, or else as values.
    mutating func take(_ values: PropertyValues, of model: ModelSchema) {
        guard !rows.isEmpty else { return }
        var edited: Set<PropertyIndex> = []
        changeUnsentOfRoot { unsent in
            for property in model.properties where unsent.entries[property.name] != nil {
                guard let value = values.attributes[property.name] else { continue }
                unsent.entries[property.name]?.base = value
                edited.insert(property.index)
            }
        }
        for property in model.properties where property.link == nil && !edited.contains(property.index) {
            guard let value = values.attributes[property.name], let column = model.column(of: property.index) else {
                continue
            }
            rows[0].cells[column.name] = value.isNull ? nil : Cell(value)
        }
    }

    /// Call it when the object's creation has an outcome. Sent additions of it to lists are dropped, its other writes
    /// lose `sent`.
    mutating func forgetCreation() {
        guard let root = rows.first, let id = root.cells["_id"]?.value.row?.rawValue else { return }
        let isOfRoot = { (write: Write) in
            write.relationship.isEmpty ? write.table == root.table && write.row == id : write.member == id
        }
        writes = writes.map { writes in
            Set(
                writes.filter { $0.sent == nil || $0.relationship.isEmpty || !isOfRoot($0) }
                    .map { isOfRoot($0) ? $0.withoutSent : $0 })
        }
    }

    var unsentOfRoot: UnsentChanges {
        guard case .text(let text)? = rows.first?.cells["_unsent"]?.value else { return UnsentChanges() }
        return UnsentChanges(text: text)
    }

    mutating func changeUnsentOfRoot(_ change: (inout UnsentChanges) -> Void) {
        guard case .text(let text)? = rows.first?.cells["_unsent"]?.value else { return }
        var unsent = UnsentChanges(text: text)
        change(&unsent)
        rows[0].cells["_unsent"] = unsent.text.map { Cell(.text($0)) }
    }

    /// The same deletion with another row as its root. `nil` if that row wasn't deleted.
    package func withRoot(_ row: RowID, of model: ModelSchema) -> DeletedRows? {
        guard let found = rows.first(where: { $0.table == model.tableName && $0.cells["_id"]?.value.row == row }) else {
            return nil
        }
        var deleted = self
        deleted.rows = [found] + rows.filter { $0 != found }
        return deleted
    }
}

extension Schema {
    /// Of models that share a table, the discriminator selects one.
    package func model(of rows: DeletedRows, in table: TableID) -> ModelSchema {
        let root = self[table]
        guard let family = root.family else { return root }
        let value = rows.serverValue(root[family.discriminator], of: root)
        let submodel = family.submodel(of: value)
        return models.first { $0.table == table && $0.submodel == submodel } ?? root
    }
}
