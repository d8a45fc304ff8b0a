/// An untyped ``QueryPredicate``. SQLite evaluates it for rows in the file, ``holds(for:)`` for objects with unsaved
/// edits.
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
    /// Made by ``isAmong(_:_:)``.
    case among(Term, AmongValues)
    case text(Term, TextMatch, String)
    /// Compares a link, or the row itself, with an object.
    case object(Term, isEqual: Bool, ObjectReference)
    /// The path has the links to the list's owner.
    case hasMember(path: [PropertyReference], PropertyReference, Condition?)
    case found(SearchMatch)
    case sql(SQLText)
    /// A single condition's negation; made by ``not(_:)``.
    case isNot(Condition)
    /// Made only by ``and(_:_:)`` and ``or(_:_:)``, which balance the tree.
    case both(ConditionPair)
    /// Deeper than ``maximumDepth``. The query throws an error.
    case tooDeep

    enum TextMatch: Sendable {
        /// Ignores the case of ASCII letters.
        case contains
        case containsExactly
        case hasPrefix
        case hasSuffix
    }

    /// Conditions are evaluated by recursion, also on threads with stacks of 512 KB. SQLite has its own limit
    /// (YYSTACKDEPTH, https://sqlite.org/compile.html#yystackdepth).
    static let maximumDepth = 300

    /// The nesting, weighted by the stack that a condition needs here and in SQLite's parser.
    var depth: Int {
        switch self {
        case .compare(let term, _, _), .text(let term, _, _), .object(let term, _, _): 8 + term.depth
        case .compareTerms(let left, _, let right): 8 + max(left.depth, right.depth)
        case .among(let term, _): 16 + term.depth
        case .found: 16
        case .hasMember(_, _, let condition): 16 + (condition?.depth ?? 0)
        case .sql: 8
        case .isNot(let condition): 5 + condition.depth
        case .both(let pair): pair.depth
        case .tooDeep: Self.maximumDepth + 1
        }
    }

    var bounded: Condition { depth > Self.maximumDepth ? .tooDeep : self }
}

// MARK: - Joined conditions

/// Conditions joined one by one form a balanced tree, since both the recursion here and SQLite's parser have little
/// stack.
struct ConditionPair: Sendable {
    let isAnd: Bool
    let left: Condition
    let right: Condition
    /// The height of the tree of pairs with the same operator.
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

    /// De Morgan's laws move the negation into pairs, because `NOT` takes more of the parser's stack.
    static func not(_ condition: Condition) -> Condition {
        switch condition {
        case .isNot(let inner): inner
        case .both(let pair): joined(isAnd: !pair.isAnd, not(pair.left), not(pair.right))
        case .tooDeep: .tooDeep
        case .compare, .compareTerms, .among, .text, .object, .hasMember, .found, .sql:
            Condition.isNot(condition).bounded
        }
    }

    fileprivate func height(_ isAnd: Bool) -> Int {
        if case .both(let pair) = self, pair.isAnd == isAnd { pair.height } else { 0 }
    }

    /// Joins two balanced trees (AVL trees: Adelson-Velsky, Landis 1962).
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

    /// The heights differ by at most two. Rotations reduce the difference to one.
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

// MARK: - Analysis

extension Condition {
    /// Whether the condition reads only the row itself, so it can be evaluated in memory.
    var isOwn: Bool {
        switch self {
        case .compare(let term, _, _), .among(let term, _), .text(let term, _, _), .object(let term, _, _): term.isOwn
        case .compareTerms(let left, _, let right): left.isOwn && right.isOwn
        case .hasMember, .sql: false
        case .both(let pair): pair.left.isOwn && pair.right.isOwn
        case .isNot(let condition): condition.isOwn
        case .found, .tooDeep: true
        }
    }

    /// Whether the condition probably holds for few rows, because it compares with single values.
    var isSelective: Bool {
        switch self {
        case .compare(_, .equal, let value): !value.isNull
        case .object(_, let isEqual, _): isEqual
        case .among(_, let values): !values.all.contains(.null)
        case .text(_, .hasPrefix, let text): !text.isEmpty
        case .both(let pair):
            pair.isAnd
                ? pair.left.isSelective || pair.right.isSelective : pair.left.isSelective && pair.right.isSelective
        case .hasMember(_, _, let condition): condition?.isSelective ?? false
        case .compare, .compareTerms, .text, .found, .sql, .isNot, .tooDeep: false
        }
    }

    var ownProperties: [PropertyReference] {
        switch self {
        case .compare(let term, _, _), .among(let term, _), .text(let term, _, _), .object(let term, _, _):
            term.path.map { $0.count == 1 ? $0 : [] } ?? []
        case .both(let pair): pair.left.ownProperties + pair.right.ownProperties
        case .isNot(let condition): condition.ownProperties
        case .compareTerms, .hasMember, .found, .sql, .tooDeep: []
        }
    }

    var objects: [ObjectReference] {
        switch self {
        case .object(_, _, let object): [object]
        case .compare(let term, _, _), .among(let term, _), .text(let term, _, _): term.objects
        case .compareTerms(let left, _, let right): left.objects + right.objects
        case .hasMember(_, _, let condition): condition?.objects ?? []
        case .isNot(let condition): condition.objects
        case .both(let pair): pair.left.objects + pair.right.objects
        case .found, .sql, .tooDeep: []
        }
    }

    /// Collects comparisons of one property joined by "or" to one `isAmong`, so that SQLite reads its index once.
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
    init?(path: [PropertyReference]) {
        guard let property = path.last else { return nil }
        self = Term.property(property).linked(by: path.dropLast())
    }

    func linked(by path: some Collection<PropertyReference>) -> Term {
        guard 2 * path.count + depth <= Condition.maximumDepth else { return .tooDeep }
        return path.reversed().reduce(self) { .linked($1, $0) }
    }

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
    func holds(for state: ObjectState) -> Bool {
        // Pairs nest deepest, so this function's stack frame is small.
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
        case .among(let term, let values):
            let stored = state.value(of: term)
            return values.contains(stored, as: state.model.kind(of: term))
                ?? values.all.contains { state.model.comparison(stored, $0, by: term) == 0 }
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

    /// Equals SQLite's `lower`.
    private static func lowercasedASCII(_ text: String) -> [UInt8] {
        text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard !part.isEmpty else { return true }
        guard text.count >= part.count else { return false }
        return (0...text.count - part.count).contains { text[$0..<$0 + part.count].elementsEqual(part) }
    }
}

extension StoredValue {
    fileprivate var isOrdered: Bool {
        switch self {
        case .null: false
        case .real(let value): !value.isNaN
        case .integer, .text, .blob: true
        }
    }
}

extension Condition.Comparison {
    /// - Parameter order: negative if left comes first.
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

// MARK: - In a context's view

struct ObjectReference: Sendable {
    var value: StoredValue
    let model: String
    /// The object's context; `nil` after it has ended.
    let context: ObjectIdentifier?

    init(_ object: some Model) {
        let state = object._object
        value = StoredValue(state.localID)
        model = state.model.modelName
        context = state.context.map { ObjectIdentifier($0) }
    }
}

extension Condition {
    /// Replaces a duplicate's row by the survivor's. A deleted object equals no link, and links to rows with unsaved
    /// deletions count as nil.
    func inView(of context: ObjectContext, _ model: ModelSchema) -> Condition {
        switch self {
        case .both(let pair):
            let (left, right) = (pair.left.inView(of: context, model), pair.right.inView(of: context, model))
            return pair.isAnd ? .and(left, right) : .or(left, right)
        case .isNot(let condition): return .not(condition.inView(of: context, model))
        default: return seenAlone(by: context, model)
        }
    }

    /// Separate because of its large stack frame.
    private func seenAlone(by context: ObjectContext, _ model: ModelSchema) -> Condition {
        switch self {
        case .compare(.property(let reference), let comparison, .null):
            guard let property = model.index(of: reference) else { return self }
            let gone = context.unsavedDeletions(referencedBy: property, of: model)
            guard !gone.isEmpty else { return self }
            let referencesGone = Condition.isAmong(.property(reference), gone)
            return comparison == .equal ? .or(self, referencesGone) : .and(self, .not(referencesGone))
        case .compare(let term, let comparison, let value) where term.hasObjects:
            return .compare(term.inView(of: context, model), comparison, value)
        case .compareTerms(let left, let comparison, let right) where left.hasObjects || right.hasObjects:
            return .compareTerms(left.inView(of: context, model), comparison, right.inView(of: context, model))
        case .among(let term, let values) where term.hasObjects:
            return .among(term.inView(of: context, model), values)
        case .object(let term, let isEqual, var object):
            guard let target = context.schema.target(of: term, in: model), let row = object.value.row else {
                return self
            }
            let survivor = context.survivor(of: RecordID(table: target, row: row))
            let isDeleted = context.liveObject(RecordID(table: target, row: survivor))?._object.isDeleted ?? false
            // The deletion may be unsaved, with the row still in the file. No row has the key 0.
            object.value = StoredValue(isDeleted ? RowID(0) : survivor)
            return .object(term, isEqual: isEqual, object)
        case .hasMember(let path, let list, let condition):
            guard let condition, let member = context.schema.member(of: list, path: path, in: model) else {
                return self
            }
            return .hasMember(path: path, list, condition.inView(of: context, member))
        case .compare, .compareTerms, .among, .text, .found, .sql, .tooDeep, .both, .isNot: return self
        }
    }
}

extension Term {
    fileprivate var hasObjects: Bool { !objects.isEmpty }

    func inView(of context: ObjectContext, _ model: ModelSchema) -> Term {
        guard hasObjects else { return self }
        switch self {
        case .row, .property, .constant, .tooDeep: return self
        case .linked(let link, let term):
            guard let destination = context.schema.destination(of: link, in: model) else { return self }
            return .linked(link, term.inView(of: context, destination))
        case .count(let list, let condition):
            guard let condition, let member = context.schema.member(of: list, path: [], in: model) else { return self }
            return .count(list, condition.inView(of: context, member))
        case .folded(let term): return .folded(term.inView(of: context, model))
        case .aggregate(let aggregate, let term): return .aggregate(aggregate, term.inView(of: context, model))
        case .numbers(let pair):
            let (left, right) = (pair.left.inView(of: context, model), pair.right.inView(of: context, model))
            return .numbers(pair.operation, left, with: right)
        }
    }
}

extension Schema {
    fileprivate func target(of term: Term, in model: ModelSchema) -> TableID? {
        switch term {
        case .row: model.table
        case .property(let property): model.index(of: property).flatMap(model.linkTarget)
        case .linked(let link, let term): destination(of: link, in: model).flatMap { target(of: term, in: $0) }
        case .count, .folded, .aggregate, .constant, .numbers, .tooDeep: nil
        }
    }

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

    /// - Throws: ``StoreError/foreignObject(model:)`` for an object of another context.
    func checkObjects(_ objects: [ObjectReference]) throws(StoreError) {
        for object in objects where object.context != ObjectIdentifier(self) {
            throw .foreignObject(model: object.model)
        }
    }
}
