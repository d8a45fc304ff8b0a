extension DeletedRows {
    /// The value that the server last said of a property of the object; null if it had none.
    package func serverValue(_ property: Property, of model: ModelSchema) -> StoredValue {
        guard let column = model.column(of: property.index), let cells = rows.first?.cells else { return .null }
        let value = cells[column.name]?.value ?? .null
        guard case .text(let text) = cells["_unsent"]?.value,
            let base = UnsentChanges(text: text).entries[property.name]?.base
        else { return value }
        return base.isNull ? value : base
    }

    /// The same rows as those of another object that was deleted with this one; nil if it wasn't.
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
    /// The model of the first of deleted rows, by its discriminator.
    package func model(of rows: DeletedRows, in table: TableID) -> ModelSchema {
        let root = self[table]
        guard let family = root.family else { return root }
        let value = rows.serverValue(root[family.discriminator], of: root)
        let submodel = family.submodel(of: value)
        return models.first { $0.table == table && $0.submodel == submodel } ?? root
    }
}
