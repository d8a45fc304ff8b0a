/// A condition on the rows of a table: a ``QueryPredicate`` without its types. SQLite answers it for the file's rows,
/// and ``holds(for:)`` the same for objects whose edits the file doesn't know.
indirect enum Condition: Sendable {
    enum Comparison: String, Sendable {
        case equal = "IS"
        case unequal = "IS NOT"
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    case compare(Term, Comparison, StoredValue)
    case compareTerms(Term, Comparison, Term)
    case isAmong(Term, [StoredValue])
    case text(Term, TextMatch, String)
    /// Whether a link leads to an object, or a row is its.
    case object(Term, isEqual: Bool, ObjectReference)
    /// Whether a list has a member for which the condition holds. The path is the links to the list's owner.
    case hasMember(path: [PropertyReference], PropertyReference, Condition?)
    /// The words of a search occur in the model's searchable attributes.
    case found(SearchMatch)
    /// What the user says in SQL.
    case sql(SQLText)
    /// The opposite of one that is not joined; made by ``not(_:)``.
    case isNot(Condition)
    /// Made by ``and(_:_:)`` and ``or(_:_:)`` only, which keep it balanced.
    case both(ConditionPair)
    /// Conditions within each other beyond ``maximumDepth``: every question is refused.
    case tooDeep

    /// How a text is looked for in another: byte by byte.
    enum TextMatch: Sendable {
        /// Letter case aside for ASCII letters.
        case contains
        case containsExactly
        case hasPrefix
        case hasSuffix
    }

    /// How deep conditions may stand within each other. They are read by recursion, on tasks' threads too, whose stack
    /// is half a megabyte. What SQLite's own parser has no room for (YYSTACKDEPTH,
    /// https://sqlite.org/compile.html#yystackdepth) it refuses itself.
    static let maximumDepth = 300

    /// How deep it is, by what it needs of the stack here and of the parser's.
    var depth: Int {
        switch self {
        case .compare(let term, _, _), .text(let term, _, _), .object(let term, _, _): 8 + term.depth
        case .compareTerms(let left, _, let right): 8 + max(left.depth, right.depth)
        case .isAmong(let term, _): 16 + term.depth
        case .found: 16
        case .hasMember(_, _, let condition): 16 + (condition?.depth ?? 0)
        case .sql: 8
        case .isNot(let condition): 5 + condition.depth
        case .both(let pair): pair.depth
        case .tooDeep: Self.maximumDepth + 1
        }
    }

    /// Itself, unless it is too deep.
    var bounded: Condition { depth > Self.maximumDepth ? .tooDeep : self }
}

// MARK: - Joined conditions

/// Two conditions of which both hold, or one of which does.
///
/// Any number of conditions, joined one by one, make a tree whose height is the logarithm of their number: it is read
/// by recursion here, and by a parser with little room in SQLite.
struct ConditionPair: Sendable {
    let isAnd: Bool
    let left: Condition
    let right: Condition
    /// Of the pairs of the same kind from here on.
    let height: Int
    let depth: Int

    fileprivate init(isAnd: Bool, _ left: Condition, _ right: Condition) {
        self.isAnd = isAnd
        (self.left, self.right) = (left, right)
        height = 1 + max(left.height(isAnd), right.height(isAnd))
        let (deeper, other) = left.depth >= right.depth ? (left, right) : (right, left)
        depth = 1 + max(deeper.depth, 2 + other.depth)
    }
}

extension Condition {
    static func and(_ left: Condition, _ right: Condition) -> Condition { joined(isAnd: true, left, right) }
    static func or(_ left: Condition, _ right: Condition) -> Condition { joined(isAnd: false, left, right) }

    /// The opposite; of joined conditions the joined opposites, as the parser has more to keep for a `NOT`.
    static func not(_ condition: Condition) -> Condition {
        switch condition {
        case .isNot(let inner): inner
        case .both(let pair): joined(isAnd: !pair.isAnd, not(pair.left), not(pair.right))
        case .tooDeep: .tooDeep
        case .compare, .compareTerms, .isAmong, .text, .object, .hasMember, .found, .sql:
            Condition.isNot(condition).bounded
        }
    }

    fileprivate func height(_ isAnd: Bool) -> Int {
        if case .both(let pair) = self, pair.isAnd == isAnd { pair.height } else { 0 }
    }

    /// Joins two balanced trees to one (as AVL trees are: Adelson-Velsky, Landis 1962).
    private static func joined(isAnd: Bool, _ left: Condition, _ right: Condition) -> Condition {
        let lead = left.height(isAnd) - right.height(isAnd)
        if lead > 1, case .both(let pair) = left {
            return balanced(isAnd: isAnd, pair.left, joined(isAnd: isAnd, pair.right, right))
        }
        if lead < -1, case .both(let pair) = right {
            return balanced(isAnd: isAnd, joined(isAnd: isAnd, left, pair.left), pair.right)
        }
        return pair(isAnd: isAnd, left, right)
    }

    /// A pair of trees whose heights differ by two at most, turned so that they differ by one at most.
    private static func balanced(isAnd: Bool, _ left: Condition, _ right: Condition) -> Condition {
        let lead = left.height(isAnd) - right.height(isAnd)
        if lead > 1, case .both(let outer) = left {
            if case .both(let inner) = outer.right, outer.left.height(isAnd) < outer.right.height(isAnd) {
                return pair(
                    isAnd: isAnd, pair(isAnd: isAnd, outer.left, inner.left), pair(isAnd: isAnd, inner.right, right))
            }
            return pair(isAnd: isAnd, outer.left, pair(isAnd: isAnd, outer.right, right))
        }
        if lead < -1, case .both(let outer) = right {
            if case .both(let inner) = outer.left, outer.right.height(isAnd) < outer.left.height(isAnd) {
                return pair(
                    isAnd: isAnd, pair(isAnd: isAnd, left, inner.left), pair(isAnd: isAnd, inner.right, outer.right))
            }
            return pair(isAnd: isAnd, pair(isAnd: isAnd, left, outer.left), outer.right)
        }
        return pair(isAnd: isAnd, left, right)
    }

    private static func pair(isAnd: Bool, _ left: Condition, _ right: Condition) -> Condition {
        let pair = ConditionPair(isAnd: isAnd, left, right)
        return pair.depth > maximumDepth ? .tooDeep : .both(pair)
    }
}

// MARK: - What is known of it

extension Condition {
    /// Whether it reads nothing but the row that is asked about, so that memory can answer for an object.
    var isOwn: Bool {
        switch self {
        case .compare(let term, _, _), .isAmong(let term, _), .text(let term, _, _), .object(let term, _, _): term.isOwn
        case .compareTerms(let left, _, let right): left.isOwn && right.isOwn
        case .hasMember, .sql: false
        case .both(let pair): pair.left.isOwn && pair.right.isOwn
        case .isNot(let condition): condition.isOwn
        case .found, .tooDeep: true
        }
    }

    /// Whether it holds for few rows only, as far as can be told: one value is asked for.
    var isSelective: Bool {
        switch self {
        case .compare(_, .equal, let value): !value.isNull
        case .object(_, let isEqual, _): isEqual
        case .isAmong(_, let values): !values.contains(.null)
        case .text(_, .hasPrefix, let text): !text.isEmpty
        case .both(let pair):
            pair.isAnd
                ? pair.left.isSelective || pair.right.isSelective : pair.left.isSelective && pair.right.isSelective
        case .hasMember(_, _, let condition): condition?.isSelective ?? false
        case .compare, .compareTerms, .text, .found, .sql, .isNot, .tooDeep: false
        }
    }

    /// The properties of the row itself that it compares.
    var ownProperties: [PropertyReference] {
        switch self {
        case .compare(let term, _, _), .isAmong(let term, _), .text(let term, _, _), .object(let term, _, _):
            term.path.map { $0.count == 1 ? $0 : [] } ?? []
        case .both(let pair): pair.left.ownProperties + pair.right.ownProperties
        case .isNot(let condition): condition.ownProperties
        case .compareTerms, .hasMember, .found, .sql, .tooDeep: []
        }
    }

    /// The objects that it names.
    var objects: [ObjectReference] {
        switch self {
        case .object(_, _, let object): [object]
        case .compare(let term, _, _), .isAmong(let term, _), .text(let term, _, _): term.objects
        case .compareTerms(let left, _, let right): left.objects + right.objects
        case .hasMember(_, _, let condition): condition?.objects ?? []
        case .isNot(let condition): condition.objects
        case .both(let pair): pair.left.objects + pair.right.objects
        case .found, .sql, .tooDeep: []
        }
    }

    /// The same, where several values that one property may have are asked for together, so that its index is read
    /// once.
    var folded: Condition {
        guard case .both(let pair) = self else { return self }
        if pair.isAnd { return .and(pair.left.folded, pair.right.folded) }
        var (others, values): ([Condition], [[PropertyReference]: [StoredValue]]) = ([], [:])
        var order: [[PropertyReference]] = []
        gather(&others, &values, in: &order)
        let folded = order.compactMap { path -> Condition? in
            guard let found = values[path], let term = Term(path: path) else { return nil }
            return found.count == 1 ? .compare(term, .equal, found[0]) : .isAmong(term, found)
        }
        let all = others + folded
        return all.first.map { all.dropFirst().reduce($0, Condition.or) } ?? self
    }

    /// The conditions of which one has to hold, and by property the values of which it has to be one.
    private func gather(
        _ others: inout [Condition], _ values: inout [[PropertyReference]: [StoredValue]],
        in order: inout [[PropertyReference]]
    ) {
        switch self {
        case .compare(let term, .equal, let value) where !value.isNull && term.path != nil:
            guard let path = term.path else { return }
            if values[path] == nil { order.append(path) }
            values[path, default: []].append(value)
        case .both(let pair) where !pair.isAnd:
            pair.left.gather(&others, &values, in: &order)
            pair.right.gather(&others, &values, in: &order)
        default: others.append(folded)
        }
    }
}

extension Term {
    /// The property at the end of links; `nil` for no property at all.
    init?(path: [PropertyReference]) {
        guard let property = path.last else { return nil }
        self = Term.property(property).linked(by: path.dropLast())
    }

    /// The same of what links lead to.
    func linked(by path: some Collection<PropertyReference>) -> Term {
        guard 2 * path.count + depth <= Condition.maximumDepth else { return .tooDeep }
        return path.reversed().reduce(self) { .linked($1, $0) }
    }

    /// The objects that it names.
    var objects: [ObjectReference] {
        switch self {
        case .row, .property, .constant, .tooDeep: []
        case .numbers(let pair): pair.left.objects + pair.right.objects
        case .linked(_, let term), .folded(let term), .aggregate(_, let term): term.objects
        case .count(_, let condition): condition?.objects ?? []
        }
    }
}

// MARK: - For an object in memory

extension Condition {
    /// Whether the condition holds for an object in memory.
    func holds(for state: ObjectState) -> Bool {
        // Within each other are these most often: their function has little on the stack.
        guard case .both(let pair) = self else { return holdsByItself(for: state) }
        return pair.isAnd
            ? pair.left.holds(for: state) && pair.right.holds(for: state)
            : pair.left.holds(for: state) || pair.right.holds(for: state)
    }

    private func holdsByItself(for state: ObjectState) -> Bool {
        switch self {
        case .compare(let term, let comparison, let value):
            let stored = state.value(of: term)
            return comparison.holds(stored, value, order: state.model.comparison(stored, value, by: term))
        case .compareTerms(let left, let comparison, let right):
            let (first, second) = (state.value(of: left), state.value(of: right))
            return comparison.holds(first, second, order: state.model.comparison(first, second, by: left))
        case .isAmong(let term, let values):
            let stored = state.value(of: term)
            return values.contains { state.model.comparison(stored, $0, by: term) == 0 }
        case .text(let term, let match, let text):
            guard case .text(let value) = state.value(of: term) else { return false }
            return match.holds(value, text)
        case .object(let term, let isEqual, let object): return (state.value(of: term) == object.value) == isEqual
        case .isNot(let condition): return !condition.holds(for: state)
        case .found(let match): return match.unsaved[state.localID] != nil
        case .both, .hasMember, .sql, .tooDeep: return false
        }
    }
}

extension Condition.TextMatch {
    fileprivate func holds(_ value: String, _ text: String) -> Bool {
        switch self {
        case .contains: Self.contains(Self.lowercasedASCII(value), Self.lowercasedASCII(text))
        case .containsExactly: Self.contains(Array(value.utf8), Array(text.utf8))
        case .hasPrefix: value.utf8.starts(with: text.utf8)
        case .hasSuffix: value.utf8.reversed().starts(with: text.utf8.reversed())
        }
    }

    /// As SQLite's `lower` does it.
    private static func lowercasedASCII(_ text: String) -> [UInt8] {
        text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }

    /// As SQLite's `instr` does it: byte by byte.
    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard !part.isEmpty else { return true }
        guard text.count >= part.count else { return false }
        return (0...text.count - part.count).contains { text[$0..<$0 + part.count].elementsEqual(part) }
    }
}

extension StoredValue {
    /// Whether it is less than others, or greater.
    fileprivate var isOrdered: Bool {
        switch self {
        case .null: false
        case .real(let value): !value.isNaN
        case .integer, .text, .blob: true
        }
    }
}

extension Condition.Comparison {
    /// - Parameter order: of the two values; negative when left comes first.
    fileprivate func holds(_ left: StoredValue, _ right: StoredValue, order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .unequal: order != 0
        case .less: order < 0 && left.isOrdered && right.isOrdered
        case .lessOrEqual: order <= 0 && left.isOrdered && right.isOrdered
        case .greater: order > 0 && left.isOrdered && right.isOrdered
        case .greaterOrEqual: order >= 0 && left.isOrdered && right.isOrdered
        }
    }
}

// MARK: - As a context sees it

/// An object that a condition names.
struct ObjectReference: Sendable {
    /// Its row.
    var value: StoredValue
    let model: String
    /// Where it lives; `nil` once that has ended.
    let context: ObjectIdentifier?

    init(_ object: some Model) {
        let state = object._object
        value = StoredValue(state.localID)
        model = state.model.modelName
        context = state.context.map { ObjectIdentifier($0) }
    }
}

extension Condition {
    /// The same condition where a row that became one with another stands for that one, nothing references one that is
    /// deleted and, of what the file alone is asked about, links to rows that the context has deleted and not saved
    /// count as nil.
    func seen(by context: ObjectContext, _ model: ModelSchema) -> Condition {
        switch self {
        case .both(let pair):
            let (left, right) = (pair.left.seen(by: context, model), pair.right.seen(by: context, model))
            return pair.isAnd ? .and(left, right) : .or(left, right)
        case .isNot(let condition): return .not(condition.seen(by: context, model))
        default: return seenAlone(by: context, model)
        }
    }

    /// The same of one that is not made of others, which takes more of the stack than to go through those.
    private func seenAlone(by context: ObjectContext, _ model: ModelSchema) -> Condition {
        switch self {
        case .compare(.property(let reference), let comparison, .null):
            guard let property = model.index(of: reference) else { return self }
            let gone = context.unsavedDeletions(referencedBy: property, of: model)
            guard !gone.isEmpty else { return self }
            let referencesGone = Condition.isAmong(.property(reference), gone)
            return comparison == .equal ? .or(self, referencesGone) : .and(self, .not(referencesGone))
        case .compare(let term, let comparison, let value) where term.hasObjects:
            return .compare(term.seen(by: context, model), comparison, value)
        case .compareTerms(let left, let comparison, let right) where left.hasObjects || right.hasObjects:
            return .compareTerms(left.seen(by: context, model), comparison, right.seen(by: context, model))
        case .isAmong(let term, let values) where term.hasObjects:
            return .isAmong(term.seen(by: context, model), values)
        case .object(let term, let isEqual, var object):
            guard let target = context.schema.target(of: term, in: model), let row = object.value.row else {
                return self
            }
            let survivor = context.survivor(of: RecordID(table: target, row: row))
            let isDeleted = context.liveObject(RecordID(table: target, row: survivor))?._object.isDeleted ?? false
            // The file may not know of a deletion yet; 0 is no row's key.
            object.value = StoredValue(isDeleted ? RowID(0) : survivor)
            return .object(term, isEqual: isEqual, object)
        case .hasMember(let path, let list, let condition):
            guard let condition, let member = context.schema.member(of: list, path: path, in: model) else {
                return self
            }
            return .hasMember(path: path, list, condition.seen(by: context, member))
        case .compare, .compareTerms, .isAmong, .text, .found, .sql, .tooDeep, .both, .isNot: return self
        }
    }
}

extension Term {
    fileprivate var hasObjects: Bool { !objects.isEmpty }

    /// The same of the conditions by which members are counted.
    func seen(by context: ObjectContext, _ model: ModelSchema) -> Term {
        guard hasObjects else { return self }
        switch self {
        case .row, .property, .constant, .tooDeep: return self
        case .linked(let link, let term):
            guard let destination = context.schema.destination(of: link, in: model) else { return self }
            return .linked(link, term.seen(by: context, destination))
        case .count(let list, let condition):
            guard let condition, let member = context.schema.member(of: list, path: [], in: model) else { return self }
            return .count(list, condition.seen(by: context, member))
        case .folded(let term): return .folded(term.seen(by: context, model))
        case .aggregate(let aggregate, let term): return .aggregate(aggregate, term.seen(by: context, model))
        case .numbers(let pair):
            let (left, right) = (pair.left.seen(by: context, model), pair.right.seen(by: context, model))
            return .numbers(pair.operation, left, with: right)
        }
    }
}

extension Schema {
    /// The table of the objects that a term stands for: the row's own, or a link's.
    fileprivate func target(of term: Term, in model: ModelSchema) -> TableID? {
        switch term {
        case .row: model.table
        case .property(let property): model.index(of: property).flatMap(model.linkTarget)
        case .linked(let link, let term): destination(of: link, in: model).flatMap { target(of: term, in: $0) }
        case .count, .folded, .aggregate, .constant, .numbers, .tooDeep: nil
        }
    }

    /// The model of a list's members.
    func member(of list: PropertyReference, path: [PropertyReference], in model: ModelSchema) -> ModelSchema? {
        var owner = model
        for link in path {
            guard let next = destination(of: link, in: owner) else { return nil }
            owner = next
        }
        guard let index = owner.index(of: list), let list = owner[index].list, contains(list.target) else { return nil }
        return self[list.target, list.submodel]
    }
}

extension ObjectContext {
    fileprivate func unsavedDeletions(referencedBy property: PropertyIndex, of model: ModelSchema) -> [StoredValue] {
        guard let target = model.linkTarget(of: property), unsaved.count(in: target) > 0 else { return [] }
        return unsaved.objects(in: target).map(\._object).filter(\.isDeleted).map { StoredValue($0.localID) }
    }

    /// - Throws: ``StoreError/foreignObject(model:)`` for an object that lives elsewhere.
    func checkObjects(_ objects: [ObjectReference]) throws(StoreError) {
        for object in objects where object.context != ObjectIdentifier(self) {
            throw .foreignObject(model: object.model)
        }
    }
}
