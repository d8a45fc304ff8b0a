import Conventions
import ObjectStore

/// The text of `store.explain`.
struct Explanation {
    private let table: Table
    private let schema: Schema
    private let routes: RouteTable?

    init(_ table: Table, _ schema: Schema, _ routes: RouteTable?) {
        self.table = table
        self.schema = schema
        self.routes = routes
    }

    var text: String {
        [head, section("Attributes", attributes), section("Relationships", relationships), section("Routes", routeRows)]
            .filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var head: String {
        let derived = AttributeMapping.tableName(forModelNamed: table.modelName)
        let reason = derived.name == table.name ? derived.explanation : "named in @Model(table:)"
        let identity = table.identity.map { table.properties[$0].name }.joined(separator: ", ")
        let key = table.key.map { table.properties[$0].name }
        return """
            \(table.modelName)
              table     \(table.name)  (\(reason))
              identity  \(identity)\(key.map { $0 == identity ? "" : "; in URLs: \($0)" } ?? "")

            """
    }

    private func section(_ title: String, _ rows: [[String]]) -> String {
        guard !rows.isEmpty else { return "" }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            let cells = row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            return "    " + cells.joined(separator: "  ")
        }
        return "  \(title)\n" + lines.joined(separator: "\n") + "\n"
    }

    // MARK: Attributes

    private var attributes: [[String]] {
        table.properties.compactMap { property in
            guard case .attribute(_, _, let options) = property.kind, let column = property.column else { return nil }
            let compiled = table.columns[column]
            var notes = [table.names?[property.index].explanation ?? ""]
            switch options.access {
            case .readWrite: break
            case .readOnly: notes.append("never sent")
            case .writeOnly: notes.append("never taken from replies")
            case .createOnly: notes.append("sent at creation only")
            }
            return [
                property.name, "← \"\(property.jsonPath.joined(separator: "."))\"",
                "\(compiled.name) \(compiled.type.rawValue)", notes.joined(separator: "; "),
            ]
        }
    }

    // MARK: Relationships

    private var relationships: [[String]] {
        table.properties.compactMap { property in
            switch property.kind {
            case .attribute: nil
            case .toOne(let link):
                row(
                    property, to: link.target, "one", link.options, link.inverse,
                    "column " + (property.column.map { table.columns[$0].name } ?? ""))
            case .toMany(let list):
                row(property, to: list.target, "many", list.options, list.inverse, storage(of: list))
            }
        }
    }

    private func row(
        _ property: Property, to target: Int, _ number: String, _ options: RelationshipOptions, _ inverse: Int?,
        _ storage: String
    ) -> [String] {
        let other = schema.tables[target]
        let identityKey = table.identityKeys.first { $0.value == property.index }?.key
        let keys = [property.jsonPath.joined(separator: ".")] + (identityKey.map { [$0] } ?? [])
        var notes = [storage]
        if let inverse {
            let rule = options.inverse == .inferred ? "the only way back" : "declared"
            notes.append("inverse \(other.modelName).\(other.properties[inverse].name) (\(rule))")
        }
        switch options.sentAs {
        case .identities: notes.append("sent as \"\(identityKey ?? keys[0])\"")
        case .key(let key): notes.append("sent as \"\(keys[0])\" by \(key)")
        case .nested: notes.append("sent whole")
        case .never: notes.append("not sent")
        }
        if options.owns { notes.append("owns its members") }
        if options.merges { notes.append("replies are merged in") }
        return [
            property.name, "→ \(number == "many" ? "[\(other.modelName)]" : other.modelName)",
            "← " + keys.map { "\"\($0)\"" }.joined(separator: " or "), notes.joined(separator: "; "),
        ]
    }

    private func storage(of list: List) -> String {
        switch list.storage {
        case .column(_, let column, _): "column \(schema.tables[list.target].name).\(column)"
        case .join(let join, _): "table \(join.name)"
        }
    }

    // MARK: Routes

    private var routeRows: [[String]] {
        guard let routes else { return [] }
        var rows: [[String]] = []
        if let model = routes.models[table.index] {
            rows += [
                ["index", "GET \(model.base)", "the base URL"], ["create", "POST \(model.base)", "the base URL"],
            ]
            if let object = model.object {
                rows += [("fetch", "GET"), ("save", "PATCH"), ("delete", "DELETE")].map { name, method in
                    [name, "\(method) \(object)", "the base URL and the key \"\(model.keyName ?? "")\""]
                }
            }
        }
        for property in table.properties {
            guard let route = routes.route(of: property.index, in: table) else { continue }
            let rule = route.isDerived ? derivation(of: property) : "registered"
            rows.append(["$\(property.name).fetch", "GET \(route.template)", rule])
            if property.list != nil { rows.append(["$\(property.name).add", "POST \(route.template)", rule]) }
        }
        return rows
    }

    private func derivation(of property: Property) -> String {
        guard let target = property.list?.target, let base = schema.tables[target].baseURL else { return "derived" }
        return "derived from \(schema.tables[target].modelName)'s base URL \(base)"
    }
}
