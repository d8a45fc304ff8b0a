import Conventions
import Foundation

/// The models' declarations at the last opening, which the file keeps as JSON.
struct SchemaDescription: Codable, Equatable, Sendable {
    /// A higher version is of a newer library.
    static let newestVersion = 1

    var version = Self.newestVersion
    var tables: [DescribedTable]
    var statements: [String]

    init(tables: [DescribedTable], statements: [String]) {
        self.tables = tables
        self.statements = statements
    }

    init(_ schema: Schema) {
        self.init(
            tables: schema.roots.map { DescribedTable($0, in: schema) },
            statements: schema.creationStatements + schema.ruleTriggers.values.sorted() + schema.searchStatements)
    }

    // MARK: JSON

    /// Equal models give equal JSON.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings, numbers and booleans always encode.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    init?(text: String) {
        guard let read = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = read
    }

    /// Also reads the version of a newer library's JSON.
    static func version(of text: String) -> Int? {
        struct Versioned: Decodable { let version: Int }
        return (try? JSONDecoder().decode(Versioned.self, from: Data(text.utf8)))?.version
    }
}

struct DescribedTable: Codable, Equatable, Sendable {
    var name: String
    /// The class's name.
    var model: String
    var identity: [String]
    var properties: [DescribedProperty]
    /// Nil if there are no submodels, and in older files.
    var family: DescribedFamily?

    func property(named name: String) -> DescribedProperty? { properties.first { $0.name == name } }
}

struct DescribedFamily: Codable, Equatable, Sendable {
    struct Submodel: Codable, Equatable, Sendable {
        /// The class's name.
        var model: String
        /// Integers are converted to text.
        var values: [String]
    }

    var discriminator: String
    var submodels: [Submodel]
}

struct DescribedProperty: Codable, Equatable, Sendable {
    /// The Swift name.
    var name: String
    /// Nil for a to-many relationship.
    var column: String?
    /// The kind of an attribute, with the least and greatest integer.
    var kind: String?
    var range: [Int64]?
    var isOptional = false
    /// Whether the default isn't null.
    var hasDefault = false
    var target: String?
    var list: DescribedList?

    var join: String? { if case .join(let name, _, _)? = list { name } else { nil } }
}

/// A link and a position in the members' rows, or a join table.
enum DescribedList: Codable, Equatable, Sendable {
    case column(String, position: String)
    case join(String, isReversed: Bool, isTwoSided: Bool)
}

// MARK: Of models

extension DescribedTable {
    fileprivate init(_ model: ModelSchema, in schema: Schema) {
        self.init(
            name: model.tableName, model: model.modelName, identity: model.identityColumns.map(\.name),
            properties: model.properties.map { DescribedProperty($0, of: model, in: schema) },
            family: DescribedFamily(model))
    }
}

extension DescribedFamily {
    fileprivate init?(_ model: ModelSchema) {
        guard let family = model.family else { return nil }
        self.init(
            discriminator: model[family.discriminator].name,
            submodels: model.submodels.map { Submodel(model: $0.modelName, values: family.texts(of: $0.submodel)) })
    }
}

extension Family {
    /// Integers are converted to text.
    func texts(of submodel: SubmodelIndex) -> [String] {
        values(of: submodel).compactMap { value in
            switch value {
            case .text(let text): text
            case .integer(let number): String(number)
            case .null, .real, .blob: nil
            }
        }
    }
}

extension DescribedProperty {
    init(_ property: Property, of model: ModelSchema, in schema: Schema) {
        self.init(name: property.name, column: model.column(of: property.index)?.name)
        switch property.kind {
        case .attribute(let kind, let value, _):
            self.kind = kind.name
            range = kind.range
            isOptional = property.isOptional
            hasDefault = !value().isNull
        case .toOne(let link): target = schema[link.target].tableName
        case .toMany(let list):
            target = schema[list.target].tableName
            self.list =
                switch list.storage {
                case .column(_, let column, let position): .column(column, position: position)
                case .join(let join, let isReversed):
                    .join(join.name, isReversed: isReversed, isTwoSided: join.isTwoSided)
                }
        }
    }
}

extension AttributeKind {
    /// Files have these names, which must keep their meaning.
    var name: String {
        switch self {
        case .boolean: "boolean"
        case .integer: "integer"
        case .unsigned: "unsigned"
        case .wideInteger(let isSigned): isSigned ? "integer128" : "unsigned128"
        case .real: "real"
        case .float: "float"
        case .decimal: "decimal"
        case .text: "text"
        case .date: "date"
        case .data: "data"
        case .url: "url"
        case .uuid: "uuid"
        case .json: "json"
        // Both have the same stored form.
        case .list(let element), .set(let element): "list of \(element.name)"
        case .dictionary(let element): "dictionary of \(element.name)"
        }
    }

    fileprivate var range: [Int64]? {
        if case .integer(let range) = self { [range.lowerBound, range.upperBound] } else { nil }
    }
}

extension ModelSchema {
    /// The former model's table name by convention.
    var earlierTableName: String? { renamedFrom.map { AttributeMapping.tableName(forModelNamed: $0).name } }
}

extension Property {
    var renamedFrom: String? {
        switch kind {
        case .attribute(_, _, let options): options.renamedFrom
        case .toOne(let link): link.options.renamedFrom
        case .toMany(let list): list.options.renamedFrom
        }
    }

    var defaultValue: StoredValue {
        if case .attribute(_, let value, _) = kind { value() } else { .null }
    }

    /// Whether each call gives another value, such as `UUID()`.
    var hasVaryingDefault: Bool { !hasConstantDefault && defaultValue != defaultValue }
}

// MARK: Of tables

// Derives the description of a format-1 file from its tables. The `heir` is the current model of a table, or
// property of a column.

extension SchemaDescription {
    /// A column gets the kind of its current property if the SQLite type agrees.
    init(derivedFrom layout: FileLayout, for schema: Schema) {
        let names = layout.tables.filter { $0.value.isModelTable }.keys.sorted()
        self.init(
            tables: names.map { name in
                let heir =
                    schema.roots.first { $0.tableName == name } ?? schema.roots.first { $0.earlierTableName == name }
                return DescribedTable(derivedFrom: name, in: layout, heir: heir)
            }, statements: [])
    }
}

extension ModelSchema {
    /// The property for which a column or join table was made, and its Swift name then. A join table's name is passed
    /// without its owner's.
    fileprivate func heir(ofColumn column: String, isLink: Bool) -> (name: String, property: Property)? {
        let suffix = isLink ? "_id" : ""
        func columnName(_ property: String) -> String {
            AttributeMapping.columnName(forPropertyNamed: property).name + suffix
        }
        if let same = properties.first(where: { columnName($0.name) == column }) { return (same.name, same) }
        return properties.lazy.compactMap { property in property.renamedFrom.map { ($0, property) } }
            .first { columnName($0.0) == column }
    }
}

extension DescribedTable {
    fileprivate init(derivedFrom name: String, in layout: FileLayout, heir: ModelSchema?) {
        let table = layout.tables[name]
        let columns = table?.columns.filter { !$0.name.hasPrefix("_") } ?? []
        let attributesAndLinks = columns.map { DescribedProperty(derivedFrom: $0, heir: heir) }
        self.init(
            name: name, model: heir?.renamedFrom ?? heir?.modelName ?? name,
            identity: Self.columns(ofIndex: table?.indexes["\(name)_identity"]),
            properties: attributesAndLinks + Self.lists(of: name, in: layout, heir: heir))
        if heir?.tableName == name, let modelName = heir?.modelName { model = modelName }
    }

    private static func columns(ofIndex statement: String?) -> [String] {
        guard let list = statement?.split(separator: "(", maxSplits: 1).last else { return [] }
        return list.split(separator: ")").first.map { names in
            names.split(separator: ",").map { name in
                String(name.drop { $0 == " " || $0 == "\"" }.prefix { $0 != "\"" })
            }
        } ?? []
    }

    private static func lists(of name: String, in layout: FileLayout, heir: ModelSchema?) -> [DescribedProperty] {
        layout.tables.sorted { $0.key < $1.key }.flatMap { other, table -> [DescribedProperty] in
            if table.isJoinTable { return joinedLists(of: name, by: other, table, heir: heir) }
            return table.columns.compactMap { column in
                guard column.target == name, column.name.hasSuffix("_id") else { return nil }
                let position = "_\(column.name.dropLast(3))_position"
                guard table.column(position) != nil else { return nil }
                let known = heir?.properties.first { $0.list?.column == column.name }
                return DescribedProperty(
                    name: known?.name ?? "\(other)s", target: other, list: .column(column.name, position: position))
            }
        }
    }

    private static func joinedLists(
        of name: String, by join: String, _ table: TableLayout, heir: ModelSchema?
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
            let known = heir?.properties.first { $0.list?.isReversed(in: join) ?? false }
            lists.append(
                DescribedProperty(
                    name: known?.name ?? "\(source ?? "")s", target: source,
                    list: .join(join, isReversed: true, isTwoSided: true)))
        }
        return lists
    }
}

extension DescribedProperty {
    fileprivate init(derivedFrom column: ColumnLayout, heir model: ModelSchema?) {
        let isLink = column.target != nil
        let heir = model?.heir(ofColumn: column.name, isLink: isLink)
        let bare = isLink && column.name.hasSuffix("_id") ? String(column.name.dropLast(3)) : column.name
        self.init(name: heir?.name ?? camelCase(bare), column: column.name, target: column.target)
        if isLink { return }
        // Unknown, so assume that there are nulls.
        isOptional = true
        if case .attribute(let kind, let value, _)? = heir?.property.kind, kind.columnType.rawValue == column.type {
            self.kind = kind.name
            range = kind.range
            hasDefault = !value().isNull
        } else {
            self.kind = Self.kinds[column.type] ?? "text"
        }
    }

    /// A REAL may be a date or a number.
    private static let kinds = ["INTEGER": "integer", "REAL": "unknown real", "TEXT": "text", "BLOB": "data"]
}

extension List {
    fileprivate var column: String? { if case .column(_, let column, _) = storage { column } else { nil } }

    fileprivate func isReversed(in name: String) -> Bool {
        if case .join(let join, let isReversed) = storage { isReversed && join.name == name } else { false }
    }
}

/// The likely name of a column's property.
private func camelCase(_ column: String) -> String {
    let words = column.split(separator: "_")
    return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
}

// MARK: Layout

/// The file's tables, as SQLite describes them.
struct FileLayout: Equatable, Sendable {
    var tables: [String: TableLayout] = [:]

    init(_ connection: Connection) throws {
        // For LIKE, the underscore would be a wildcard.
        let names = try connection.strings(
            "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'")
        for name in names { tables[name] = try TableLayout(of: name, connection) }
    }

    init(madeBy statements: [String]) throws {
        self = try Connection.inMemory { connection in
            // If SQLite lacks full text search, the statement that needs it throws.
            try? connection.knowWords()
            for statement in statements { try connection.execute(statement) }
            return try FileLayout(connection)
        }
    }

    var hasModels: Bool { tables.keys.contains { !$0.hasPrefix("_") } }

    func links(to target: String) -> [(table: String, column: String)] {
        tables.sorted { $0.key < $1.key }.flatMap { name, table in
            table.columns.filter { $0.target == target }.map { (name, $0.name) }
        }
    }
}

struct TableLayout: Equatable, Sendable {
    var columns: [ColumnLayout] = []
    var indexes: [String: String] = [:]
    var statement = ""

    init(of name: String, _ connection: Connection) throws {
        try readColumns(of: name, connection)
        try readLinks(of: name, connection)
        let made = try RawStatement(
            connection, "SELECT type, name, sql FROM main.sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL")
        made.bind(.text(name), at: 1)
        while try made.step() {
            switch made.text(0) {
            case "index": indexes[made.text(1)] = made.text(2)
            case "table": statement = made.text(2)
            default: continue
            }
        }
    }

    private mutating func readColumns(of name: String, _ connection: Connection) throws {
        let info = try RawStatement(
            connection, "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?)")
        info.bind(.text(name), at: 1)
        while try info.step() {
            columns.append(
                ColumnLayout(
                    name: info.text(0), type: info.text(1), isRequired: info.integer(2) != 0,
                    hasDefault: !info.isNull(3), isKey: info.integer(4) != 0))
        }
    }

    private mutating func readLinks(of name: String, _ connection: Connection) throws {
        let keys = try RawStatement(
            connection, "SELECT \"from\", \"table\", on_delete FROM pragma_foreign_key_list(?)")
        keys.bind(.text(name), at: 1)
        while try keys.step() {
            guard let index = columns.firstIndex(where: { $0.name == keys.text(0) }) else { continue }
            columns[index].target = keys.text(1)
            columns[index].onDelete = keys.text(2)
        }
    }

    func column(_ name: String) -> ColumnLayout? { columns.first { $0.name == name } }
    var isModelTable: Bool { column("_id") != nil && column("_unsent") != nil }
    var isJoinTable: Bool { column("source_id")?.target != nil && column("target_id")?.target != nil }
}

struct ColumnLayout: Equatable, Sendable {
    var name: String
    var type: String
    var isRequired: Bool
    /// Whether the statement that created the table or added the column has a default.
    var hasDefault: Bool
    var isKey: Bool
    var target: String?
    var onDelete = ""

    /// Whether all but name and default are equal.
    func isLike(_ other: ColumnLayout) -> Bool {
        (type, isRequired, isKey, target, onDelete)
            == (other.type, other.isRequired, other.isKey, other.target, other.onDelete)
    }
}

extension Connection {
    /// 0 if there is no row.
    func integer(_ sql: String) throws(SQLiteFailure) -> Int64 {
        let statement = try RawStatement(self, sql)
        guard try statement.step() else { return 0 }
        return statement.integer(0)
    }

    /// The first column of all rows.
    func strings(_ sql: String) throws(SQLiteFailure) -> [String] {
        let statement = try RawStatement(self, sql)
        var strings: [String] = []
        while try statement.step() { strings.append(statement.text(0)) }
        return strings
    }
}
