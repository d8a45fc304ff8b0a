// A row whose discriminator changes becomes another model's. The objects that it had live on: they share their state with the
// object of the new class, so they follow the row, but nothing leads to them any more.

extension ObjectContext {
    /// Sets the live objects of a row to the model that it is now.
    func followModel(_ table: Int, _ id: Int64, _ row: Snapshot) {
        let model = schema.tables[table].model(of: row)
        (maps[table].any(id) as? any Model)?._object.table = model
        maps[table].retire(id) { ObjectIdentifier(Swift.type(of: $0)) != ObjectIdentifier(model.type) }
    }

    /// The object of the new class for a row of which only objects of a former class are live.
    func renewedObject(_ table: Int, _ id: Int64) -> (any Model)? {
        guard let former = maps[table].retired(id) as? any Model else { return nil }
        let object = former._object.table.type.init(_object: former._object)
        maps[table].insert(object, for: id)
        unsaved.replace(former, with: object)
        return object
    }

    /// The object of a row that was just read, of the class that the row says, in a table with several models.
    func object(_ table: Int, _ id: Int64, of statement: RawStatement) -> any Model {
        let root = schema.tables[table]
        guard let live = liveObject(table, id), let family = root.family else {
            return materialize(table, id, Self.snapshot(root, statement))
        }
        // What the file says may be newer than what was merged.
        guard family.number(of: statement.value(Int32(family.column + 1))) != live._object.table.number else {
            return live
        }
        let row = Self.snapshot(root, statement)
        live._object.snapshot = row
        followModel(table, id, row)
        return liveObject(table, id) ?? materialize(table, id, row)
    }

    static func snapshot(_ table: ModelSchema, _ statement: RawStatement) -> Snapshot {
        Snapshot.row(of: statement, from: 1, slots: table.slots, count: table.properties.count)
    }
}
