import Testing

@testable import ObjectStore

/// Compares the file with a dump of it; see `Store.dump`.
func expect(
    _ store: Store, holds expected: String, of models: any Model.Type...,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let dump = try store.dump(models)
    #expect(dump == expected, "\(dump)", sourceLocation: sourceLocation)
}

extension Store {
    /// All non-NULL values of the file, with identities in place of local keys: a line per row.
    ///
    /// ```
    /// repository
    ///   10 name=hello stars=0 is_private=0 owner_id=(1) _owner_position=0
    /// repository_topics
    ///   (10) - (swift) 0 0
    /// ```
    func dump(_ models: [any Model.Type] = []) throws -> String { try Dump(store: self).text(of: models) }

    /// Whether SQLite finds all links, indexes and pages of the file intact.
    func check() throws -> [String] {
        let database = try Database(path)
        return try database.rows("PRAGMA integrity_check").compactMap { $0[0] }.filter { $0 != "ok" }
            + database.rows("PRAGMA foreign_key_check").map { "foreign key: \($0)" }
    }
}

private struct Dump {
    let store: Store
    let database: Database
    /// By table and row: the identity.
    private var labels: [[String: String]] = []

    init(store: Store) throws {
        self.store = store
        database = try Database(store.path)
        for model in store.schema.roots {
            let columns = model.identityColumns.map(\.name)
            var labels: [String: String] = [:]
            var unnamed = 0
            for row in try database.rows(
                "SELECT \(SQL.list(["_id"] + columns)) FROM \(SQL.quoted(model.tableName)) ORDER BY _id")
            {
                let values = row.dropFirst()
                if values.isEmpty {
                    unnamed += 1
                    labels[row[0] ?? ""] = "\(unnamed)"
                } else if values.contains(where: { $0 == nil }) {
                    unnamed += 1
                    labels[row[0] ?? ""] = "new \(unnamed)"
                } else {
                    labels[row[0] ?? ""] = values.map { $0 ?? "" }.joined(separator: "/")
                }
            }
            self.labels.append(labels)
        }
    }

    func text(of models: [any Model.Type]) throws -> String {
        let chosen = store.schema.roots.filter { model in
            models.isEmpty || models.contains { ObjectIdentifier($0) == ObjectIdentifier(model.type) }
        }
        var lines: [String] = []
        for model in chosen { try lines += section(model.tableName, rows(of: model)) }
        for join in store.schema.joinTables where chosen.contains(where: { $0.table == join.source }) {
            try lines += section(join.name, rows(of: join))
        }
        try lines += section("_pending_link", pendingLinks())
        return lines.joined(separator: "\n")
    }

    private func section(_ name: String, _ rows: [String]) -> [String] {
        rows.isEmpty ? [] : [name] + rows.sortedByNumber.map { "  " + $0 }
    }

    private func label(_ table: TableID, _ id: String?) -> String {
        id.flatMap { labels[table.rawValue][$0] } ?? "nothing"
    }

    private func rows(of model: ModelSchema) throws -> [String] {
        let positions = store.schema.positionColumns(of: model)
        let names = model.columns.map(\.name) + positions + ["_unsent"]
        return try database.rows("SELECT _id, \(SQL.list(names)) FROM \(SQL.quoted(model.tableName))").map { row in
            var text = label(model.table, row[0])
            for (name, value) in zip(names, row.dropFirst()) {
                guard let value else { continue }
                if name == "_unsent" {
                    text += " unsent: " + UnsentChanges(text: value).entries.keys.sorted().joined(separator: ", ")
                } else if let target = model.columns.first(where: { $0.name == name })?.target {
                    text += " \(name)=(\(label(target, value)))"
                } else if !model.identityColumns.contains(where: { $0.name == name }) {
                    text += " \(name)=\(value)"
                }
            }
            return text
        }
    }

    private func rows(of join: JoinTable) throws -> [String] {
        let places = join.isTwoSided ? "position, inverse_position" : "position"
        return try database.rows("SELECT source_id, target_id, \(places) FROM \(SQL.quoted(join.name))").map { row in
            let places = row.dropFirst(2).map { $0 ?? "-" }.joined(separator: " ")
            return "(\(label(join.source, row[0]))) - (\(label(join.target, row[1]))) \(places)"
        }
    }

    private func pendingLinks() throws -> [String] {
        try database.rows(
            "SELECT source, source_id, relationship, target, target_identity, position FROM _pending_link"
        )
        .map { row in
            let model = store.schema.roots.first { $0.tableName == row[0] }
            let source = model.map { label($0.table, row[1]) } ?? "nothing"
            return "\(row[0] ?? "")(\(source)).\(row[2] ?? "") -> \(row[3] ?? "")(\(row[4] ?? ""))"
                + (row[5].map { " at \($0)" } ?? "")
        }
    }
}

extension [String] {
    /// By the number at the beginning, then by text: 2 before 10.
    fileprivate var sortedByNumber: [String] {
        sorted { left, right in
            let (a, b) = (Self.number(left), Self.number(right))
            return a == b ? left < right : a < b
        }
    }

    private static func number(_ text: String) -> Int {
        Int(text.drop { $0 == "(" }.prefix { $0.isNumber }) ?? Int.max
    }
}
