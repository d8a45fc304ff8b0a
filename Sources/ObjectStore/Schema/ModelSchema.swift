package import Conventions

/// A model, compiled: its table and columns, identity, links and lists, and the names by which they are found.
///
/// Models that inherit from one share its table: each has a `ModelSchema` of the same table, columns and properties,
/// with what differs from one to the other: the class, the URL, which of the properties it has, and their JSON names.
package final class ModelSchema: Sendable {
    /// The table that keeps the rows.
    package let table: TableID
    /// Which of the models of the table this is.
    package let submodel: SubmodelIndex
    package let type: any Model.Type
    /// The API that has its objects.
    package let api: APIIndex
    /// The class's name.
    package let modelName: String
    /// The table's name in SQL.
    package let tableName: String
    /// The table's name as it stands in a statement.
    let sqlName: String
    /// By ``PropertyIndex``; those that only other models of the family have are among them.
    package let properties: [Property]
    /// The properties that the model has, inherited ones first.
    package let declared: [Property]
    /// The properties that a submodel declares itself, in their order.
    let ownProperties: [PropertyIndex]
    /// The attributes and to-one links, in the order of their declaration; by ``ColumnIndex``.
    package let columns: [Column]
    /// How many they are, without a look at them.
    let columnCount: Int
    /// Those of attributes: values and no links.
    let attributeColumns: [Column]
    /// The slot in a row's snapshot of each column: the property's index.
    let slots: [Int]
    /// The properties (all with a column) that name an object at the server.
    package let identity: [PropertyIndex]
    /// A bit for each of them, as ``EditMap/mask`` has it.
    let identityBits: UInt64
    /// Whether the rows have no identity and belong to the row that references them.
    package let isEmbedded: Bool
    /// The property whose value names the object in its URL, below the base.
    package let key: PropertyIndex?
    package let baseURL: RouteTemplate?
    /// The class's name in an earlier version of the models.
    package let renamedFrom: String?
    /// How the JSON keys of this model are found; `nil` for a class that the store does not know.
    package let names: AttributeNames?
    /// Keys such as `owner_id` and `label_ids`, with the relationship whose targets' identities they hold.
    package let identityKeys: [String: PropertyIndex]
    /// By attribute: the relationship whose targets' identities stand at its key too.
    package let relationshipsAtKeys: [PropertyIndex: PropertyIndex]
    /// `nil` when no model inherits from this one.
    package let family: Family?
    /// Whether other models inherit from this one, or this from another: whether ``family`` is there, without a copy of
    /// it.
    let hasSubmodels: Bool
    /// The models that inherit from this one.
    package let submodels: [ModelSchema]
    /// The arguments of `@Model`.
    package let options: ModelOptions
    /// The columns of the table whose text is searched.
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
        self.declared = declared ?? properties
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
        self.saidWords = max(1, (columns.count + 63) / 64)
        self.saidColumns = Self.saidColumns(columns: columns.count, lists: listCount)
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

    /// The same with the models that inherit from it.
    convenience init(_ model: ModelSchema, _ description: ModelDescription, with submodels: [ModelSchema]) {
        self.init(
            table: model.table, api: model.api, description: description, tableName: model.tableName,
            properties: model.properties,
            declared: model.declared, columns: model.columns, identity: model.identity, key: model.key,
            baseURL: model.baseURL, names: model.names, identityKeys: model.identityKeys, family: model.family,
            submodels: submodels)
    }

    /// A stand-in for a class that the store was not opened with: its objects work in memory, and nowhere else.
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

    /// The attributes of which the server takes no edit once it knows the object.
    let fixed: Set<PropertyIndex>
    /// Whether there are such.
    let hasFixed: Bool
    /// Whether an edit of an object has nothing to do with its class: it is the table's only one, the server takes
    /// edits of all attributes, and there is a bit for each property.
    let isSimple: Bool
    /// Whether what names a new object, or its class, may be set from the start.
    let mayBeMadeWithEdits: Bool
    /// What a new object's attributes are, null for nothing.
    let defaults: [(index: PropertyIndex, value: @Sendable () -> StoredValue)]
    /// The same of all attributes where that is the same for each object; `nil` where it must be asked for.
    let constantDefaults: PropertyMap<StoredValue>?
    /// By property: the name by which an edit waits to be sent; `nil` where none does.
    private let sentNames: [String?]
    /// The names of the properties that are never sent.
    let neverSent: Set<String>
    /// Whether the deletion of a row does more to others than to unlink them.
    let hasDeleteRules: Bool
    /// Whether some relationship of it owns what it references.
    let owns: Bool
    /// Whether rows reference others, by foreign keys.
    ///
    /// SQLite opens a statement journal for an upsert into such a table, and copies each page into it that the
    /// statement changes, the links' indexes included. So a row is looked up first, and inserted by a statement that
    /// needs none.
    let hasLinks: Bool
    private let linkEnds: [LinkEnds?]

    /// What a to-one link leads to; `nil` for any other property.
    func linkEnds(of property: PropertyIndex) -> LinkEnds? {
        linkEnds.indices.contains(property.rawValue) ? linkEnds[property.rawValue] : nil
    }

    /// A bit for each property that has a column; those 64 apart share one.
    let columnBits: UInt64
    /// The same of the to-one links without another direction.
    let oneWayLinks: UInt64
    /// The same of the to-one links with one.
    let twoWayLinks: UInt64

    private static func bits(of properties: [PropertyIndex]) -> UInt64 {
        properties.reduce(0) { $0 | 1 &<< UInt64(truncatingIfNeeded: $1.rawValue) }
    }

    /// The table that a to-one link references; `nil` for any other property.
    func linkTarget(of property: PropertyIndex) -> TableID? { linkEnds(of: property)?.target }

    /// The to-many relationships.
    package let lists: [List]
    /// The properties that they are.
    let listProperties: [PropertyIndex]
    /// By property: see ``number(ofList:)``.
    private let listNumbers: [Int?]
    /// The columns that keep a row's ``SaidMask``: the words of columns, then those of lists.
    let saidColumns: [String]
    /// How many of them are of columns.
    let saidWords: Int
    /// By property: the column that keeps it, likewise.
    private let propertyColumns: [ColumnIndex?]

    package subscript(property: PropertyIndex) -> Property { properties[property.rawValue] }
    @inline(__always)
    package subscript(column: ColumnIndex) -> Column { columns[column.rawValue] }

    package func contains(_ property: PropertyIndex) -> Bool { properties.indices.contains(property.rawValue) }

    /// The column that keeps a property; `nil` for a to-many relationship.
    package func column(of property: PropertyIndex) -> Column? {
        propertyColumns[property.rawValue].map { self[$0] }
    }

    /// The same by its index.
    @inline(__always)
    func columnIndex(of property: PropertyIndex) -> ColumnIndex? { propertyColumns[property.rawValue] }

    /// Which of the table's lists it is; `nil` for what is no list.
    @inline(__always)
    func number(ofList property: PropertyIndex) -> Int? { listNumbers[property.rawValue] }

    /// The names of the columns that keep a ``SaidMask``: `_said`, `_said_lists`, and more where a table has more than
    /// 64.
    static func saidColumns(columns: Int, lists: Int) -> [String] {
        [("_said", max(1, columns)), ("_said_lists", lists)].flatMap { name, count in
            (0..<(count + 63) / 64).map { $0 == 0 ? name : "\(name)_\($0 + 1)" }
        }
    }

    /// The name by which an edit of the property waits to be sent; `nil` where it is never sent.
    func sentName(of property: PropertyIndex) -> String? { sentNames[property.rawValue] }

    /// The columns of the identity, in its order.
    package var identityColumns: [Column] { identity.compactMap { column(of: $0) } }

    /// The property of that Swift name.
    package func property(named name: String) -> Property? { properties.first { $0.name == name } }

    /// The property of a JSON key or, if there is none, of a Swift name.
    package func attribute(forJSON key: String) -> Property? {
        names?.inbound.match(key).map { properties[$0.property] } ?? property(named: key)
    }

    /// The columns of each index that the model declares, each once, without what the identity's own index answers.
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

    /// What a new object's attributes are.
    ///
    /// - Parameter last: what the one before has, which is shared where it is the same.
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
    /// Whether the server may have made an object of a new one that was sent. The object has all values that were sent,
    /// except nulls and defaults, which the server may have replaced.
    ///
    /// - Parameters:
    ///   - said: the server's values of `columns`, which are attributes.
    ///   - sent: the values of the new object.
    func mayBeMade(_ said: [StoredValue], of sent: [StoredValue], in columns: [Column]) -> Bool {
        (countOfEqual(said, to: sent, in: columns) { $0.isNull || $0 == self[$1.property].defaultValue } ?? 0) > 0
    }

    /// Whether the server's object has all values that were sent, except nulls, which the server may have replaced.
    func isSame(_ said: [StoredValue], as sent: [StoredValue], in columns: [Column]) -> Bool {
        countOfEqual(said, to: sent, in: columns) { value, _ in value.isNull } != nil
    }

    /// Pairs the server's objects with the new ones that were sent. An object that has all values of a new one, its
    /// defaults included, is paired first.
    ///
    /// - Parameter sent: the new objects, each once for each time that it was sent.
    /// - Returns: the new objects by the index of the server's.
    func pairs(
        of said: [(index: Int, values: [StoredValue])], with sent: [(row: RowID, values: [StoredValue])],
        in columns: [Column]
    ) -> [Int: RowID] {
        var (pairs, sent): ([Int: RowID], _) = ([:], sent)
        func pair(_ isPair: ([StoredValue], [StoredValue]) -> Bool) {
            for (index, values) in said where pairs[index] == nil {
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

    /// The number of values that a reply repeats, of those that it can repeat. Nil: it has another value instead of
    /// one.
    ///
    /// - Parameter isOpen: whether the server may have replaced a value.
    private func countOfEqual(
        _ said: [StoredValue], to sent: [StoredValue], in columns: [Column], isOpen: (StoredValue, Column) -> Bool
    ) -> Int? {
        var count = 0
        for (column, (said, sent)) in zip(columns, zip(said, sent)) {
            if !self[column.property].isRepeated || isOpen(sent, column) { continue }
            guard said == sent else { return nil }
            count += 1
        }
        return count
    }
}
