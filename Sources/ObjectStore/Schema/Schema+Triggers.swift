// The delete rules of relationships that no reference of the deleted row's partners expresses: links, whose column is the
// row's own, and lists in a join table. They keep the rules where a row is deleted by other means than this library's writer,
// which follows them itself and takes apart first what would set off a trigger.

extension Schema {
    /// By the trigger's name: the statement that makes it.
    var ruleTriggers: [String: String] {
        var triggers: [String: String] = [:]
        for table in tables {
            for property in table.properties where property.deleteRule != .nullify {
                guard let body = trigger(property, table) else { continue }
                let name = "\(Self.triggerPrefix)\(table.name)_\(property.name)"
                triggers[name] = "CREATE TRIGGER \(SQL.quoted(name)) \(body)"
            }
        }
        return triggers
    }

    /// Every trigger of that prefix is made by ``prepareTriggers(_:)`` and can be dropped at any time.
    static let triggerPrefix = "_rule_"

    private func trigger(_ property: Property, _ table: ModelSchema) -> String? {
        let owner = SQL.quoted(table.name)
        let message = "'\(table.modelName).\(property.name) denies the deletion'"
        if let link = property.link, let column = property.column, !isColumn(link.inverse, of: link.target) {
            let name = SQL.quoted(table.columns[column].name)
            let target = SQL.quoted(tables[link.target].name)
            return property.deleteRule == .deny
                ? "BEFORE DELETE ON \(owner) WHEN OLD.\(name) IS NOT NULL BEGIN SELECT RAISE(ABORT, \(message)); END"
                : "AFTER DELETE ON \(owner) BEGIN DELETE FROM \(target) WHERE _id = OLD.\(name); END"
        }
        guard let list = property.list, case .join(let join, let isReversed) = list.storage else { return nil }
        let (mine, theirs) = isReversed ? ("target_id", "source_id") : ("source_id", "target_id")
        let rows = SQL.quoted(join.name)
        let target = SQL.quoted(tables[list.target].name)
        if property.deleteRule == .deny {
            return "BEFORE DELETE ON \(owner) WHEN EXISTS (SELECT 1 FROM \(rows) WHERE \(mine) = OLD._id) "
                + "BEGIN SELECT RAISE(ABORT, \(message)); END"
        }
        // The rows of the join table go with the owner, by their own reference, before any trigger of the owner runs.
        return "AFTER DELETE ON \(rows) WHEN NOT EXISTS (SELECT 1 FROM \(owner) WHERE _id = OLD.\(mine)) "
            + "BEGIN DELETE FROM \(target) WHERE _id = OLD.\(theirs); END"
    }

    /// Whether the inverse is a link, so that its column's reference keeps the rule.
    private func isColumn(_ inverse: Int?, of table: Int) -> Bool {
        inverse.map { tables[table].properties[$0].link != nil } ?? false
    }

    /// Makes the triggers that the models ask for, and drops those that they ask for no more. Whoever makes a table anew
    /// calls this afterwards.
    func prepareTriggers(_ connection: Connection) throws {
        let wanted = ruleTriggers
        let present = try Self.triggers(connection)
        for name in present.keys.sorted() where wanted[name] != present[name] {
            try connection.execute("DROP TRIGGER \(SQL.quoted(name))")
        }
        for (name, sql) in wanted.sorted(by: { $0.key < $1.key }) where present[name] != sql {
            try connection.execute(sql)
        }
    }

    /// Drops all of them.
    static func dropTriggers(_ connection: Connection) throws {
        for name in try triggers(connection).keys.sorted() {
            try connection.execute("DROP TRIGGER \(SQL.quoted(name))")
        }
    }

    /// By name, the statements of those that the file has.
    private static func triggers(_ connection: Connection) throws -> [String: String] {
        var present: [String: String] = [:]
        let read = try RawStatement(
            connection, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, 6) = ?")
        read.bind(.text(triggerPrefix), at: 1)
        while try read.step() { present[read.text(0)] = read.text(1) }
        return present
    }
}

extension Property {
    /// What the deletion of the object does to what the property leads to.
    var deleteRule: DeleteRule { link?.options.onDelete ?? list?.options.onDelete ?? .nullify }
}
