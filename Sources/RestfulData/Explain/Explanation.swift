import Conventions
import ObjectStore

/// The text of `store.explain`.
struct Explanation {
    let table: ModelSchema
    let schema: Schema
    let client: APIClient?

    var text: String {
        [
            head, section("Attributes", rows(attributes)), section("Relationships", relationships),
            section("Routes", rows(routes)), section("Bodies", rows(bodies)),
        ]
        .filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var head: String {
        let derived = AttributeMapping.tableName(forModelNamed: table.modelName)
        let reason = derived.name == table.name ? derived.explanation : "named in @Model(table:)"
        let identity =
            table.isEmbedded
            ? "none; its objects live in their owner"
            : table.identity.map { table.properties[$0].name }.joined(separator: ", ")
        let key = table.key.map { table.properties[$0].name }
        return """
            \(table.modelName)
              table     \(table.name)  (\(reason))
              identity  \(identity)\(key.map { $0 == identity ? "" : "; in URLs: \($0)" } ?? "")
            \(family.map { "  family    \($0)\n" } ?? "")
            """
    }

    /// How a row is told from those of other models in the table.
    private var family: String? {
        guard let family = table.family else { return nil }
        let root = schema.tables[table.index]
        let discriminator = table.properties[family.discriminator]
        let key = "\"\(discriminator.jsonPath.joined(separator: "."))\""
        guard table.number > 0 else {
            let submodels = root.submodels.map { "\($0.modelName) for \(family.values[$0.number][0].text)" }
            return "by \(key): \(submodels.joined(separator: ", ")), \(table.modelName) for anything else"
        }
        let values = family.values[table.number].map(\.text).joined(separator: ", ")
        return "a \(root.modelName) whose \(key) is \(values)"
    }

    private func section(_ title: String, _ lines: [String]) -> String {
        lines.isEmpty ? "" : "  \(title)\n" + lines.map { "    \($0)\n" }.joined()
    }

    /// The cells, each column as wide as its widest.
    func rows(_ cells: [[String]]) -> [String] {
        guard let first = cells.first else { return [] }
        let widths = first.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            .joined(separator: "  ")
        }
    }

    /// How a property came by its JSON key.
    func rule(of property: Property) -> String { table.names?[property.index].explanation ?? "" }

    private var attributes: [[String]] {
        table.declared.compactMap { property in
            guard case .attribute(_, _, let options) = property.kind, let column = property.column else { return nil }
            let compiled = table.columns[column]
            var notes = [rule(of: property)]
            switch options.access {
            case .readWrite: break
            case .readOnly: notes.append("never sent")
            case .writeOnly: notes.append("never taken from replies, and forgotten once sent")
            case .createOnly: notes.append("sent at creation only")
            }
            notes += property.wireNotes
            return [
                property.name, "← \"\(property.jsonPath.joined(separator: "."))\"",
                "\(compiled.name) \(compiled.type.rawValue)", notes.joined(separator: "; "),
            ]
        }
    }
}

extension StoredValue {
    fileprivate var text: String {
        switch self {
        case .integer(let number): "\(number)"
        case .text(let text): "\"\(text)\""
        default: ""
        }
    }
}
