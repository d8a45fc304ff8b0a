package import Conventions

/// A compiled model.
///
/// Models that inherit from one share its table, columns and properties. They differ in class, URL, declared properties
/// and JSON names.
package final class ModelSchema: Sendable {
    package let table: TableID
    /// The index among the table's models.
    package let submodel: SubmodelIndex
    package let type: any Model.Type
    package let api: APIIndex
    package let modelName: String
    package let tableName: String
    let sqlName: String
    /// By ``PropertyIndex``, for all models of the family.
    package let properties: [Property]
    /// This model's properties, without hidden links. Inherited ones come first.
    package let declared: [Property]
    /// The properties that a submodel declares itself.
    let ownProperties: [PropertyIndex]
    /// In the order of declaration, by ``ColumnIndex``.
    package let columns: [Column]
    /// Avoids loading `columns`.
    let columnCount: Int
    let attributeColumns: [Column]
    /// By column: the property's index in a row's snapshot.
    let slots: [Int]
    /// Properties with a column.
    package let identity: [PropertyIndex]
    /// The identity's bits in ``EditMap/mask``.
    let identityBits: UInt64
    /// Whether rows lack an identity, and belong to the row that refers to them.
    package let isEmbedded: Bool
    /// The property in the object's URL, below the base.
    package let key: PropertyIndex?
    package let baseURL: RouteTemplate?
    /// The class's name in an earlier version of the models.
    package let renamedFrom: String?
    /// Nil for a class unknown to the store.
    package let names: AttributeNames?
    /// Keys such as `owner_id` and `label_ids`, with their relationships.
    package let identityKeys: [String: PropertyIndex]
    /// By attribute: the relationship with identities under its key.
    package let relationshipsAtKeys: [PropertyIndex: PropertyIndex]
    package let choices: [Choice]
    /// By property, including hidden links: the index in `choices`.
    let choiceNumbers: [Int?]
    /// Nil if no model inherits from this one.
    package let family: Family?
    /// Avoids a copy of ``family``.
    let hasSubmodels: Bool
    package let submodels: [ModelSchema]
    package let options: ModelOptions
    /// The columns in the full text index.
    let searchable: [Column]

    init(
        table: TableID, submodel: SubmodelIndex = .root, api: APIIndex, description: ModelDescription,
        tableName: String,
        properties: [Property], declared: [Property]? = nil, ownProperties: [PropertyIndex] = [], columns: [Column],
        identity: [PropertyIndex], key: PropertyIndex?, baseURL: RouteTemplate?, names: AttributeNames?,
        identityKeys: [String: PropertyIndex], family: Family? = nil, submodels: [ModelSchema] = []
    ) {
        self.table = table
        self.submodel = submodel
        self.api = api
        self.type = description.type
        self.modelName = description.name
        self.tableName = tableName
        self.sqlName = SQL.quoted(tableName)
        self.properties = properties
        self.declared = (declared ?? properties).filter { !$0.isChoiceLink }
        self.ownProperties = ownProperties
        self.columns = columns
        self.columnCount = columns.count
        self.attributeColumns = columns.filter { $0.target == nil }
        self.slots = columns.map(\.property.rawValue)
        self.identity = identity
        self.identityBits = Self.bits(of: identity)
        self.isEmbedded = description.options.embedded
        self.key = key
        self.baseURL = baseURL
        self.renamedFrom = description.options.renamedFrom
        self.names = names
        self.identityKeys = identityKeys
        let choices = properties.compactMap(\.choice)
        self.choices = choices
        self.choiceNumbers = properties.map { property in
            choices.firstIndex { $0.members.contains(property.index) }
        }
        self.relationshipsAtKeys = Dictionary(
            (declared ?? properties).compactMap { property in
                guard property.target == nil else { return nil }
                return identityKeys[property.jsonPath.joined(separator: ".")].map { (property.index, $0) }
            }, uniquingKeysWith: { first, _ in first })
        self.family = family
        self.hasSubmodels = family != nil
        self.submodels = submodels
        self.owns = properties.contains { $0.owns }
        self.hasDeleteRules = properties.contains { $0.deleteRule != .nullify }
        self.hasLinks = columns.contains { $0.target != nil }
        let linkEnds = properties.map { property in
            property.link.map { LinkEnds(target: $0.target, inverse: $0.inverse) }
        }
        self.linkEnds = linkEnds
        self.columnBits = Self.bits(of: columns.map(\.property))
        self.oneWayLinks = Self.bits(
            of: properties.map(\.index).filter { linkEnds[$0.rawValue].map { $0.inverse == nil } ?? false })
        self.twoWayLinks = Self.bits(of: properties.map(\.index).filter { linkEnds[$0.rawValue]?.inverse != nil })
        self.lists = properties.compactMap(\.list)
        self.listProperties = properties.filter { $0.list != nil }.map(\.index)
        var listCount = 0
        self.listNumbers = properties.map { property in
            guard property.list != nil else { return nil }
            defer { listCount += 1 }
            return listCount
        }
        self.loadedWords = max(1, (columns.count + 63) / 64)
        self.loadedColumns = Self.loadedColumns(columns: columns.count, lists: listCount)
        self.propertyColumns = properties.map(\.column)
        self.fixed = Set(properties.filter(\.isFixed).map(\.index))
        let constantDefaults = Self.constantDefaults(of: properties)
        self.constantDefaults = constantDefaults
        self.hasFixed = properties.contains(where: \.isFixed)
        self.isSimple = table != .unknown && family == nil && !hasFixed && properties.count <= 64
        self.mayBeMadeWithEdits =
            family != nil || identity.contains { index in constantDefaults.map { $0.has(index) } ?? true }
        self.defaults = properties.compactMap { property in
            if case .attribute(_, let value, _) = property.kind { (property.index, value) } else { nil }
        }
        self.sentNames = properties.map { $0.isNeverSent ? nil : $0.name }
        self.neverSent = Set(properties.filter(\.isNeverSent).map(\.name))
        self.options = description.options
        self.searchable = columns.filter { properties[$0.property.rawValue].isSearchable }
    }

    convenience init(_ model: ModelSchema, _ description: ModelDescription, with submodels: [ModelSchema]) {
        self.init(
            table: model.table, api: model.api, description: description, tableName: model.tableName,
            properties: model.properties,
            declared: model.declared, columns: model.columns, identity: model.identity, key: model.key,
            baseURL: model.baseURL, names: model.names, identityKeys: model.identityKeys, family: model.family,
            submodels: submodels)
    }

    /// A class unknown to the store, with objects in memory only.
    convenience init(unknown description: ModelDescription) {
        let inherited = description.options.parent?.modelDescription.properties ?? []
        let properties = (inherited + description.properties).enumerated().map { index, property in
            let kind: Property.Kind =
                switch property.kind {
                case .attribute(let kind, let value, let options): .attribute(kind, default: value, options: options)
                case .toOne(_, let options): .toOne(Link(target: .unknown, inverse: nil, options: options))
                case .toMany(_, let options):
                    .toMany(
                        List(
                            id: ListID(-1), target: .unknown, inverse: nil,
                            storage: .column(property: PropertyIndex(-1), column: "", position: ""),
                            options: options))
                }
            return Property(
                index: PropertyIndex(index), name: property.name, jsonPath: [property.name], kind: kind,
                isString: property.isString, column: nil)
        }
        self.init(
            table: .unknown, api: .main, description: description, tableName: description.name, properties: properties,
            ownProperties: (inherited.count..<properties.count).map(PropertyIndex.init), columns: [], identity: [],
            key: nil, baseURL: nil, names: nil, identityKeys: [:])
    }

    /// Properties that are read-only once the server has the object.
    let fixed: Set<PropertyIndex>
    let hasFixed: Bool
    /// Whether edits are independent of the class: the table has one model, all attributes are editable, and each
    /// property has its own bit.
    let isSimple: Bool
    /// Whether a new object's identity or discriminator may be set at once.
    let mayBeMadeWithEdits: Bool
    /// The attributes' defaults, including null.
    let defaults: [(index: PropertyIndex, value: @Sendable () -> StoredValue)]
    /// The defaults other than null. Nil unless all are constant.
    let constantDefaults: PropertyMap<StoredValue>?
    /// By property.
    private let sentNames: [String?]
    let neverSent: Set<String>
    /// Whether a deletion may delete other rows, or be denied.
    let hasDeleteRules: Bool
    let owns: Bool
    /// Whether the table has foreign keys, of to-one links.
    ///
    /// Rows of such tables aren't upserted: SQLite would journal each changed page, including pages of the links'
    /// indexes. Instead, the row is looked up, and a new one is inserted by a simpler statement.
    let hasLinks: Bool
    private let linkEnds: [LinkEnds?]

    /// Nil for other properties than to-one links.
    func linkEnds(of property: PropertyIndex) -> LinkEnds? {
        linkEnds.indices.contains(property.rawValue) ? linkEnds[property.rawValue] : nil
    }

    /// Properties with columns. Indexes that differ by 64 share a bit.
    let columnBits: UInt64
    /// Links without an inverse.
    let oneWayLinks: UInt64
    let twoWayLinks: UInt64

    private static func bits(of properties: [PropertyIndex]) -> UInt64 {
        properties.reduce(0) { $0 | 1 &<< UInt64(truncatingIfNeeded: $1.rawValue) }
    }

    func linkTarget(of property: PropertyIndex) -> TableID? { linkEnds(of: property)?.target }

    package let lists: [List]
    let listProperties: [PropertyIndex]
    /// By property.
    private let listNumbers: [Int?]
    /// The SQL columns of ``LoadedMask``: words for columns, then for lists.
    let loadedColumns: [String]
    /// The number of words for columns.
    let loadedWords: Int
    private let propertyColumns: [ColumnIndex?]

    package subscript(property: PropertyIndex) -> Property { properties[property.rawValue] }
    @inline(__always)
    package subscript(column: ColumnIndex) -> Column { columns[column.rawValue] }

    package func contains(_ property: PropertyIndex) -> Bool { properties.indices.contains(property.rawValue) }

    /// Nil for a to-many relationship.
    package func column(of property: PropertyIndex) -> Column? {
        propertyColumns[property.rawValue].map { self[$0] }
    }

    @inline(__always)
    func columnIndex(of property: PropertyIndex) -> ColumnIndex? { propertyColumns[property.rawValue] }

    /// The list's number in its table. Nil for other properties.
    @inline(__always)
    func number(ofList property: PropertyIndex) -> Int? { listNumbers[property.rawValue] }

    /// Each column has 64 properties.
    static func loadedColumns(columns: Int, lists: Int) -> [String] {
        [("_said", max(1, columns)), ("_said_lists", lists)].flatMap { name, count in
            (0..<(count + 63) / 64).map { $0 == 0 ? name : "\(name)_\($0 + 1)" }
        }
    }

    /// The name in pending edits. Nil: never sent.
    func sentName(of property: PropertyIndex) -> String? { sentNames[property.rawValue] }

    package var identityColumns: [Column] { identity.compactMap { column(of: $0) } }

    package func property(named name: String) -> Property? { properties.first { $0.name == name } }

    /// Also finds Swift names.
    package func attribute(forJSON key: String) -> Property? {
        names?.inbound.match(key).map { properties[$0.property] } ?? property(named: key)
    }

    /// Leaves out duplicates, and prefixes of the identity's index.
    var declaredIndexes: [[Column]] {
        let single = columns.filter { column in
            if case .attribute(_, _, let options) = self[column.property].kind { options.indexed } else { false }
        }
        let several = options.indexes.map { names in
            names.compactMap { property(named: $0).flatMap { column(of: $0.index) } }
        }
        var known = Set(identityColumns.indices.map { identityColumns[...$0].map(\.index) })
        return (single.map { [$0] } + several).filter { !$0.isEmpty && known.insert($0.map(\.index)).inserted }
    }
}

// MARK: - Defaults

extension ModelSchema {
    fileprivate static func constantDefaults(of properties: [Property]) -> PropertyMap<StoredValue>? {
        var values: PropertyMap<StoredValue> = [:]
        for property in properties {
            guard case .attribute(_, let value, _) = property.kind else { continue }
            guard property.hasConstantDefault else { return nil }
            values[property.index] = value().nonNull
        }
        return values
    }

    /// - Parameter last: the previous object's defaults, shared if equal.
    func makeDefaults(like last: PropertyMap<StoredValue>) -> PropertyMap<StoredValue> {
        var (count, own) = (0, PropertyMap<StoredValue>?.none)
        for (index, value) in defaults {
            guard let value = value().nonNull else { continue }
            if own == nil, count < last.count, last[count].key == index, last[count].value == value {
                count += 1
            } else {
                if own == nil { own = PropertyMap(uniqueKeysWithValues: last.prefix(count).map { ($0.key, $0.value) }) }
                own?[index] = value
            }
        }
        return own
            ?? (count == last.count
                ? last : PropertyMap(uniqueKeysWithValues: last.prefix(count).map { ($0.key, $0.value) }))
    }
}

extension StoredValue {
    fileprivate var nonNull: StoredValue? { isNull ? nil : self }
}

// MARK: Objects in a reply that were sent

extension ModelSchema {
    /// Whether the server may have made the object of a new one that was sent. It may replace nulls and defaults.
    ///
    /// - Parameters:
    ///   - received: the server's values of `columns`, which are attributes.
    ///   - sent: the new object's.
    func mayBeMade(_ received: [StoredValue], of sent: [StoredValue], in columns: [Column]) -> Bool {
        (countOfEqual(received, to: sent, in: columns) { $0.isNull || $0 == self[$1.property].defaultValue } ?? 0) > 0
    }

    /// The server may replace nulls only.
    func isSame(_ received: [StoredValue], as sent: [StoredValue], in columns: [Column]) -> Bool {
        countOfEqual(received, to: sent, in: columns) { value, _ in value.isNull } != nil
    }

    /// The values that the server has made an object of: those of the last request with all of the object's values, or
    /// else of the last one whose defaults it may have replaced.
    ///
    /// - Parameter sent: the new object's values in each request, the last ones last.
    func source(
        of received: [StoredValue], among sent: [[StoredValue]], in columns: [Column]
    ) -> [StoredValue]? {
        let possible = sent.filter { $0 == received || mayBeMade(received, of: $0, in: columns) }
        return possible.last { isSame(received, as: $0, in: columns) } ?? possible.last
    }

    /// Objects with all values of a new one, defaults too, are paired first.
    ///
    /// - Parameter sent: has a new object once for each request.
    /// - Returns: the new objects by the server's index.
    func pairs(
        of received: [(index: Int, values: [StoredValue])], with sent: [(row: RowID, values: [StoredValue])],
        in columns: [Column]
    ) -> [Int: RowID] {
        var (pairs, sent): ([Int: RowID], _) = ([:], sent)
        func pair(_ isPair: ([StoredValue], [StoredValue]) -> Bool) {
            for (index, values) in received where pairs[index] == nil {
                guard let place = sent.firstIndex(where: { isPair(values, $0.values) }) else { continue }
                let row = sent[place].row
                pairs[index] = row
                sent.removeAll { $0.row == row }
            }
        }
        pair { isSame($0, as: $1, in: columns) && mayBeMade($0, of: $1, in: columns) }
        pair { mayBeMade($0, of: $1, in: columns) }
        return pairs
    }

    /// Nil for a different value. Ignores properties that replies omit.
    ///
    /// - Parameter isReplaceable: whether the server may replace a value.
    private func countOfEqual(
        _ received: [StoredValue], to sent: [StoredValue], in columns: [Column],
        isReplaceable: (StoredValue, Column) -> Bool
    ) -> Int? {
        var count = 0
        for (column, (received, sent)) in zip(columns, zip(received, sent)) {
            if !self[column.property].isRepeated || isReplaceable(sent, column) { continue }
            guard received == sent else { return nil }
            count += 1
        }
        return count
    }
}
