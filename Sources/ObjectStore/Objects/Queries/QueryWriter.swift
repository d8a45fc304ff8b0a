/// Writes a query as one SQL statement.
///
///     the query's row    FROM "issue"
///     a to-one link      LEFT JOIN "user" AS _2 ON _2._id = "issue"."user"; once for each path
///     a to-many list     an EXISTS or count subquery with its own joins
///
/// Values beyond a missing link are NULL. Unsaved rows are combined with the file's; see ``UnsavedRows``.
struct QueryWriter {
    let schema: Schema
    let unsaved: UnsavedRows?
    private(set) var parameters: [StoredValue] = []
    /// Whether the statement needs ``DecimalCollation`` and ``ExactNumbers``. The next variables are for other
    /// functions.
    private(set) var usesDecimals = false
    /// The levels of each ``JSONCollation`` in use.
    private(set) var usedJSON: Set<UInt> = []
    private(set) var usesURLs = false
    private(set) var usesFolding = false
    private(set) var usesListedValues = false
    private(set) var isTooDeep = false
    private(set) var hasSQL = false
    /// A problem in SQL written by the user.
    private(set) var problem: StoreError?
    private var scopes: [Scope] = []
    private var aliasCount = 0

    init(_ schema: Schema, unsaved: UnsavedRows?) {
        self.schema = schema
        self.unsaved = unsaved
    }

    /// A row of the file, or of the unsaved rows.
    struct Row {
        let model: ModelSchema
        let alias: String
        /// The alias of the unsaved row, which replaces the file's if it exists.
        var unsavedAlias: String?
        /// The submodel that an unsaved row must have.
        var submodel = SubmodelIndex.root

        func column(_ name: String) -> String {
            guard let unsavedAlias else { return "\(alias).\(name)" }
            return "iif(\(unsavedAlias)._id IS NULL, \(alias).\(name), \(own("\(unsavedAlias).\(name)")))"
        }

        /// The row's id in SQL, NULL if there is no row.
        var id: String {
            guard let unsavedAlias else { return "\(alias)._id" }
            let isThere = "iif(\(unsavedAlias)._model IS NULL, NULL, \(unsavedAlias)._id)"
            return "iif(\(unsavedAlias)._id IS NULL, \(alias)._id, \(own(isThere)))"
        }

        private func own(_ value: String) -> String {
            guard let unsavedAlias, !submodel.isRoot else { return value }
            return "iif(\(unsavedAlias)._model = \(submodel.rawValue), \(value), NULL)"
        }
    }

    private struct Scope {
        var joins: [[PropertyReference]: Row] = [:]
        var text = ""
        var conditions: [String] = []
    }

    /// A row at the end of links from a SELECT's main row.
    struct Place {
        fileprivate let scope: Int
        fileprivate let path: [PropertyReference]
        let row: Row
    }

    // MARK: Parts

    mutating func bind(_ value: StoredValue) -> String {
        parameters.append(value)
        return "?\(parameters.count)"
    }

    private mutating func newAlias() -> String {
        aliasCount += 1
        return "_\(aliasCount)"
    }

    mutating func begin(_ model: ModelSchema) -> Place {
        scopes.append(Scope())
        return Place(scope: 0, path: [], row: Row(model: model, alias: model.sqlName))
    }

    /// Call it after all terms and conditions are written, because they add joins.
    mutating func source(_ place: Place) -> String {
        let model = place.row.model
        guard let unsavedRows = unsaved?[model.table] else { return model.sqlName + scopes[0].text }
        let rows = unsavedRows.rows(of: model, isOfModel("_file", model), where: nil)
        return "\(rows) AS \(model.sqlName)\(scopes[0].text)"
    }

    func isPlain(_ place: Place) -> Bool { scopes[0].text.isEmpty && unsaved?[place.row.model.table] == nil }

    /// Joins a link's row, once for each path.
    private mutating func join(_ link: PropertyReference, from place: Place) -> Place? {
        let path = place.path + [link]
        if let known = scopes[place.scope].joins[path] { return Place(scope: place.scope, path: path, row: known) }
        guard let index = place.row.model.index(of: link), let column = place.row.model.column(of: index),
            let destination = schema.destination(of: link, in: place.row.model)
        else { return nil }
        let (key, alias) = (place.row.column(column.sqlName), newAlias())
        var row = Row(model: destination, alias: alias)
        var text = " LEFT JOIN \(destination.sqlName) AS \(alias) ON \(alias)._id = \(key)"
        if let isOfModel = isOfModel(alias, destination) { text += " AND \(isOfModel)" }
        if let unsavedRows = unsaved?[destination.table] {
            let beside = newAlias()
            (row.unsavedAlias, row.submodel) = (beside, destination.submodel)
            text += " LEFT JOIN \(unsavedRows.name) AS \(beside) ON \(beside)._id = \(key)"
        }
        scopes[place.scope].joins[path] = row
        scopes[place.scope].text += text
        return Place(scope: place.scope, path: path, row: row)
    }

    /// Nil unless the model shares its table with others.
    private mutating func isOfModel(_ alias: String, _ model: ModelSchema) -> String? {
        guard !model.submodel.isRoot, let family = model.family else { return nil }
        let values = family.values(of: model.submodel).map { bind($0) }.joined(separator: ", ")
        return "\(alias).\(model[family.column].sqlName) IN (\(values))"
    }

    // MARK: Terms

    mutating func sql(_ term: Term, at place: Place) -> String {
        switch term {
        case .row: return place.row.id
        case .property(let property): return sql(property, at: place)
        case .linked(let link, let term): return join(link, from: place).map { sql(term, at: $0) } ?? "NULL"
        case .count(let list, let condition):
            guard let members = members(of: list, condition, at: place) else { return "NULL" }
            let count = "(SELECT count(*) FROM \(members))"
            return place.path.isEmpty ? count : "iif(\(place.row.id) IS NULL, NULL, \(count))"
        case .folded(let term):
            usesFolding = true
            return "\(TextFolding.name)(\(sql(term, at: place)))"
        case .aggregate(let aggregate, let term): return sql(aggregate, of: term, at: place)
        case .constant(let value): return bind(value)
        case .numbers(let pair): return sql(pair, at: place)
        case .tooDeep:
            isTooDeep = true
            return "NULL"
        }
    }

    private mutating func sql(_ pair: NumberPair, at place: Place) -> String {
        let isDecimal = schema.kind(of: .numbers(pair), in: place.row.model)?.isDecimal == true
        let (left, right) = (sql(pair.left, at: place), sql(pair.right, at: place))
        guard isDecimal else { return "(\(left) \(pair.operation.rawValue) \(right))" }
        usesDecimals = true
        let function = "\(ExactNumbers.operation)('\(pair.operation.rawValue)', \(left), \(right))"
        return "\(function) COLLATE \(DecimalCollation.name)"
    }

    private mutating func sql(_ property: PropertyReference, at place: Place) -> String {
        let model = place.row.model
        guard let index = model.index(of: property), let column = model.column(of: index) else { return "NULL" }
        let value = place.row.column(column.sqlName)
        if let link = model[index].link {
            // A link to one of several models needs the target's class. A link to a deleted object is NULL.
            guard schema.contains(link.target) else { return value }
            if !link.submodel.isRoot { return join(property, from: place)?.row.id ?? "NULL" }
            guard let gone = unsaved?[link.target]?.goneRows else { return value }
            return "iif(\(value) IN (\(gone)), NULL, \(value))"
        }
        guard let kind = model.attributeKind(index), let collation = kind.collation else { return value }
        if let levels = kind.jsonLevels { usedJSON.insert(levels) } else { usesDecimals = true }
        return "\(value) COLLATE \(collation)"
    }

    private mutating func sql(_ aggregate: Term.Aggregate, of term: Term, at place: Place) -> String {
        let kind = schema.kind(of: term, in: place.row.model)
        return self.aggregate(aggregate, of: sql(term, at: place), kind)
    }

    /// Decimals, and unsigned integers that SQLite sees as negative, have functions of this library.
    mutating func aggregate(_ aggregate: Term.Aggregate, of value: String, _ kind: AttributeKind?) -> String {
        let isExact = kind?.isDecimal == true || kind?.isUnsigned == true
        switch aggregate {
        case .count: return "count(\(value))"
        case .sum, .average:
            guard isExact else { return "\(aggregate == .sum ? "sum" : "avg")(\(value))" }
            usesDecimals = true
            let function = aggregate == .sum ? ExactNumbers.sum : ExactNumbers.mean
            return "\(function)(\(value), \(kind?.isUnsigned == true ? 1 : 0))"
        case .minimum, .maximum:
            let function = aggregate == .minimum ? "min" : "max"
            guard kind?.isUnsigned == true else { return "\(function)(\(value))" }
            // Maps unsigned integers to signed ones with the same order, and back.
            let lowest = "-9223372036854775807 - 1"
            func flipped(_ value: String) -> String {
                "iif(\(value) < 0, \(value) + 9223372036854775807 + 1, \(value) + (\(lowest)))"
            }
            return flipped("\(function)(\(flipped(value)))")
        }
    }

    // MARK: Lists

    /// The FROM clause for members that meet a condition.
    private mutating func members(of list: PropertyReference, _ condition: Condition?, at place: Place) -> String? {
        guard let index = place.row.model.index(of: list), let list = place.row.model[index].list,
            schema.contains(list.target)
        else { return nil }
        let owner = place.row.id
        scopes.append(Scope())
        defer { scopes.removeLast() }
        let source = source(of: list, owner: owner, needsRow: condition != nil)
        let member = Place(scope: scopes.count - 1, path: [], row: source.row)
        if let condition { scopes[member.scope].conditions.append(sql(condition, at: member)) }
        let scope = scopes[member.scope]
        let conditions = scope.conditions.joined(separator: " AND ")
        return source.text + scope.text + (conditions.isEmpty ? "" : " WHERE " + conditions)
    }

    /// Adds the comparison with the owner to the current SELECT's conditions.
    private mutating func source(of list: List, owner: String, needsRow: Bool) -> (text: String, row: Row) {
        let (target, scope) = (schema[list.target, list.submodel], scopes.count - 1)
        let (alias, unsavedRows) = (newAlias(), unsaved?[list.target])
        switch schema.side(of: list) {
        case .link(let side):
            if let unsavedRows {
                let isOfModel = isOfModel("_file", target)
                let rows = unsavedRows.rows(of: target, isOfModel, where: "\(side.owner) = \(owner)")
                return ("\(rows) AS \(alias)", Row(model: target, alias: alias))
            }
            scopes[scope].conditions.append("\(alias).\(side.owner) = \(owner)")
            if let isOfModel = isOfModel(alias, target) { scopes[scope].conditions.append(isOfModel) }
            return ("\(side.table) AS \(alias)", Row(model: target, alias: alias))
        case .join(let side):
            let pairs = newAlias()
            var text = "\(side.table) AS \(pairs)"
            let edited = unsaved?.memberships(in: side.table)
            if let edited {
                text = "\(edited.members(by: side, of: owner)) AS \(pairs)"
            } else {
                scopes[scope].conditions.append("\(pairs).\(side.owner) = \(owner)")
            }
            var row = Row(model: target, alias: alias)
            // Members of an edited list may be deleted.
            guard needsRow || edited != nil || unsavedRows != nil || !target.submodel.isRoot else { return (text, row) }
            let key = "\(pairs).\(side.member)"
            guard let unsavedRows else {
                text += " JOIN \(target.sqlName) AS \(alias) ON \(alias)._id = \(key)"
                if let isOfModel = isOfModel(alias, target) { text += " AND \(isOfModel)" }
                return (text, row)
            }
            let beside = newAlias()
            (row.unsavedAlias, row.submodel) = (beside, target.submodel)
            text += " LEFT JOIN \(target.sqlName) AS \(alias) ON \(alias)._id = \(key)"
            if let isOfModel = isOfModel(alias, target) { text += " AND \(isOfModel)" }
            text += " LEFT JOIN \(unsavedRows.name) AS \(beside) ON \(beside)._id = \(key)"
            scopes[scope].conditions.append("\(row.id) IS NOT NULL")
            return (text, row)
        }
    }

    /// A SELECT of the owners of lists with such a member. It is independent of the query's row, so SQLite can start
    /// with the members if they are few.
    private mutating func owners(of list: PropertyReference, _ condition: Condition, in model: ModelSchema) -> String? {
        guard condition.isSelective, unsaved == nil, let index = model.index(of: list), let list = model[index].list,
            schema.contains(list.target)
        else { return nil }
        let (target, alias) = (schema[list.target, list.submodel], newAlias())
        scopes.append(Scope())
        defer { scopes.removeLast() }
        var (owner, text) = ("", "")
        switch schema.side(of: list) {
        case .link(let side): (owner, text) = ("\(alias).\(side.owner)", "\(side.table) AS \(alias)")
        case .join(let side):
            let pairs = newAlias()
            owner = "\(pairs).\(side.owner)"
            text =
                "\(side.table) AS \(pairs) JOIN \(target.sqlName) AS \(alias) ON \(alias)._id = \(pairs).\(side.member)"
        }
        let member = Place(scope: scopes.count - 1, path: [], row: Row(model: target, alias: alias))
        var conditions = [sql(condition, at: member), "\(owner) IS NOT NULL"]
        if let isOfModel = isOfModel(alias, target) { conditions.append(isOfModel) }
        return "SELECT \(owner) FROM \(text)\(scopes[member.scope].text) WHERE \(conditions.joined(separator: " AND "))"
    }

    // MARK: Conditions

    mutating func sql(_ condition: Condition, at place: Place) -> String {
        // Pairs nest deepest, so this function's stack frame is small.
        guard case .both(let pair) = condition else { return sql(single: condition, at: place) }
        // With the deeper condition first, the text takes less of the parser's stack.
        let (first, second) = pair.left.depth >= pair.right.depth ? (pair.left, pair.right) : (pair.right, pair.left)
        let sql = sql(first, at: place)
        return "(\(sql) \(pair.isAnd ? "AND" : "OR") \(self.sql(second, at: place)))"
    }

    private mutating func sql(single condition: Condition, at place: Place) -> String {
        switch condition {
        case .compare(let term, let comparison, let value): return compare(term, comparison, with: value, at: place)
        case .compareTerms(let left, let comparison, let right):
            let isUnsigned = schema.kind(of: left, in: place.row.model)?.isUnsigned == true
            let (first, second) = (sqlToCompare(left, at: place), sql(right, at: place))
            guard isUnsigned, comparison.isOrder else { return "\(first) \(comparison.rawValue) \(second)" }
            return "(\(first) < 0, \(first)) \(comparison.rawValue) (\(second) < 0, \(second))"
        case .among(let term, let values):
            return membership(of: sqlToCompare(term, with: values.all, at: place), in: values.all)
        case .text(let term, let match, let text): return sql(match, of: sql(term, at: place), text)
        case .object(let term, let isEqual, let object):
            return "\(sql(term, at: place)) \(isEqual ? "=" : "IS NOT") \(bind(object.value))"
        case .hasMember(let path, let list, let condition): return hasMember(list, of: path, condition, at: place)
        case .found(let match): return found(match, at: place)
        case .sql(let text): return sql(text)
        case .isNot(let condition):
            // A comparison with nil is false in Swift, NULL in SQL.
            return "NOT ifnull(\(sql(condition, at: place)), 0)"
        case .both, .tooDeep:
            isTooDeep = true
            return "0"
        }
    }

    /// Matches unsaved objects by their current texts, other rows by the index.
    private mutating func found(_ match: SearchMatch, at place: Place) -> String {
        let id = place.row.id
        let inFile = "\(id) IN (\(match.rows(bind(.text(match.expression)))))"
        guard let unsavedRows = unsaved?[place.row.model.table] else { return inFile }
        let found = "[" + match.unsaved.keys.sorted().map { String($0.rawValue) }.joined(separator: ",") + "]"
        let here = "\(id) IN (SELECT value FROM json_each(\(bind(.text(found)))))"
        return "iif(\(id) IN (SELECT _id FROM \(unsavedRows.name)), \(here), \(inFile))"
    }

    private mutating func sql(_ text: SQLText) -> String {
        (hasSQL, usesDecimals, usesFolding) = (true, true, true)
        do throws(StoreError) {
            var values: [(name: String, value: StoredValue)] = []
            let first = parameters.count
            let sql = try text.text(schema) {
                values.append((name: "?\(first + values.count + 1)", value: $0))
                return values[values.count - 1].name
            }
            parameters += values.map(\.value)
            return "(\(sql))"
        } catch {
            problem = error
            return "0"
        }
    }

    private mutating func hasMember(
        _ list: PropertyReference, of path: [PropertyReference], _ condition: Condition?, at place: Place
    ) -> String {
        var owner = place
        for link in path {
            guard let next = join(link, from: owner) else { return "0" }
            owner = next
        }
        if let condition, let owners = owners(of: list, condition, in: owner.row.model) {
            return "\(owner.row.id) IN (\(owners))"
        }
        return members(of: list, condition, at: owner).map { "EXISTS (SELECT 1 FROM \($0))" } ?? "0"
    }

    /// Adds the collation of URLs if needed.
    ///
    /// - Parameter values: the values compared with; nil if columns are compared.
    private mutating func sqlToCompare(_ term: Term, with values: [StoredValue]? = nil, at place: Place) -> String {
        let sql = sql(term, at: place)
        guard case .url? = schema.kind(of: term, in: place.row.model),
            values?.contains(where: URLCollation.hasOtherSpellings) ?? true
        else { return sql }
        usesURLs = true
        return "\(sql) COLLATE \(URLCollation.name)"
    }

    /// With `=` instead of `IS`, SQLite knows that a joined row must exist.
    private mutating func compare(
        _ term: Term, _ comparison: Condition.Comparison, with value: StoredValue, at place: Place
    ) -> String {
        let sql = sqlToCompare(term, with: [value], at: place)
        let symbol = comparison == .equal && !value.isNull ? "=" : comparison.rawValue
        guard comparison.isOrder, case .integer(let bits) = value,
            schema.kind(of: term, in: place.row.model)?.isUnsigned == true
        else { return "\(sql) \(symbol) \(bind(value))" }
        // Integers over 2^63-1 are stored as negative ones.
        return "(\(sql) < 0, \(sql)) \(symbol) (\(bits < 0 ? 1 : 0), \(bind(value)))"
    }

    private mutating func sql(_ match: Condition.TextMatch, of term: String, _ text: String) -> String {
        switch match {
        case .contains: return "instr(lower(\(term)), lower(\(bind(.text(text))))) > 0"
        case .containsExactly: return "instr(\(term), \(bind(.text(text)))) > 0"
        case .hasPrefix:
            // A range comparison uses an index.
            let start = "\(term) >= \(bind(.text(text)))"
            return text.firstAfterPrefixed.map { "(\(start) AND \(term) < \(bind(.text($0))))" } ?? start
        case .hasSuffix:
            guard !text.isEmpty else { return "\(term) IS NOT NULL" }
            let end = bind(.blob(Array(text.utf8)))
            return "substr(CAST(\(term) AS BLOB), -\(text.utf8.count)) = \(end)"
        }
    }

    /// Passes the values as one JSON array, because SQLite limits parameters (https://sqlite.org/limits.html). The
    /// column stands alone, so SQLite uses its index. NULL counts as false.
    private mutating func membership(of term: String, in values: [StoredValue]) -> String {
        let isNull = values.contains(.null) ? " OR \(term) IS NULL" : ""
        let others = values.filter { !$0.isNull }
        if let json = StoredValue.jsonArray(others) {
            return "(\(term) IN (SELECT value FROM json_each(\(bind(.text(json)))))\(isNull))"
        }
        usesListedValues = true
        let json = bind(.text(ListedValues.jsonArray(others)))
        return "(\(term) IN (SELECT \(ListedValues.name)(value) FROM json_each(\(json)))\(isNull))"
    }

    mutating func filter(_ condition: Condition?, at place: Place) -> String {
        var conditions: [String] = []
        // Unsaved rows are already limited to the model.
        let model = place.row.model
        if unsaved?[model.table] == nil, !model.submodel.isRoot, let family = model.family {
            let column = "\(place.row.alias).\(model[family.column].sqlName)"
            conditions.append(membership(of: column, in: family.values(of: model.submodel)))
        }
        if let condition = condition?.folded { conditions.append(sql(condition, at: place)) }
        return conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    }
}

extension Condition.Comparison {
    fileprivate var isOrder: Bool { self != .equal && self != .unequal }
}

extension String {
    /// The first text in byte order after all texts with this prefix.
    fileprivate var firstAfterPrefixed: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            // Skips the surrogates.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            return String(text)
        }
        return nil
    }
}
