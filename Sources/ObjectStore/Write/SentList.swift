import Foundation

/// A list of embedded rows in a request.
package struct SentList: Equatable, Sendable {
    /// An embedded row, with the values of attributes that have columns.
    package struct Element: Equatable, Sendable {
        let row: RowID
        let values: [StoredValue]

        package init(_ row: RowID, _ values: [StoredValue]) { (self.row, self.values) = (row, values) }
    }

    let owner: ListOwner
    let table: TableID
    let elements: [Element]

    package init(of owner: ListOwner, in table: TableID, _ elements: [Element]) {
        (self.owner, self.table, self.elements) = (owner, table, elements)
    }
}

// MARK: In the file

// The mark of a sent row keeps these lists, so that a reply's elements are recognized even after a restart.

extension Schema {
    private struct StoredList: Codable {
        let table: String
        let row: Int64
        let list: String
        let attributes: [String]
        let rows: [Int64]
        let values: [[String]]
    }

    /// JSON with only the values that a reply repeats. This excludes secrets (`access: .writeOnly`).
    ///
    /// - Returns: nil for an empty array.
    func text(of lists: [SentList]) -> String? {
        let stored = lists.map { list in
            let (owner, target) = (self[list.owner.record.table], self[list.table])
            let attributes = target.attributeColumns.map { target[$0.property] }
            return StoredList(
                table: owner.tableName, row: list.owner.record.row.rawValue, list: owner[list.owner.property].name,
                attributes: attributes.map(\.name), rows: list.elements.map(\.row.rawValue),
                values: list.elements.map { element in
                    zip(attributes, element.values).map { $0.isRepeated ? $1.code : StoredValue.null.code }
                })
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard !stored.isEmpty, let data = try? encoder.encode(stored) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// The lists in a text, except those whose models have changed since.
    func sentLists(in text: String?) -> [SentList] {
        guard let text, let stored = try? JSONDecoder().decode([StoredList].self, from: Data(text.utf8)) else {
            return []
        }
        return stored.compactMap { list in
            guard let model = roots.first(where: { $0.tableName == list.table }),
                let property = model.property(named: list.list), let target = property.list?.target, contains(target),
                case let attributes = self[target].attributeColumns.map({ self[target][$0.property].name }),
                attributes == list.attributes, list.rows.count == list.values.count
            else { return nil }
            let elements = zip(list.rows, list.values).map { row, values in
                SentList.Element(RowID(row), values.compactMap(StoredValue.init(code:)))
            }
            guard elements.allSatisfy({ $0.values.count == attributes.count }) else { return nil }
            let owner = ListOwner(property.index, of: RecordID(table: model.table, row: RowID(list.row)))
            return SentList(of: owner, in: target, elements)
        }
    }
}

extension StoredValue {
    /// The value as text, after a letter for its storage class.
    fileprivate var code: String {
        switch self {
        case .null: "n"
        case .integer(let value): "i\(value)"
        case .real(let value): "r\(value)"
        case .text(let value): "t\(value)"
        case .blob(let value): "b" + Data(value).base64EncodedString()
        }
    }

    fileprivate init?(code: String) {
        let text = String(code.dropFirst())
        let value: StoredValue? =
            switch code.first {
            case "n": .null
            case "i": Int64(text).map(StoredValue.integer)
            case "r": Double(text).map(StoredValue.real)
            case "t": .text(text)
            case "b": Data(base64Encoded: text).map { .blob(Array($0)) }
            default: nil
            }
        guard let value else { return nil }
        self = value
    }
}
