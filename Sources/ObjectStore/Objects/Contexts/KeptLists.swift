// Whoever goes through a list by its places, or adds to it one by one, asks for all of it each time. The objects of the
// long lists that were asked for in the context's last few turns are kept; what differs is found by comparing memory,
// and only that is looked for, or edited.

/// The objects of a list as they were read last, by whom they belong to.
class KeptList {
    /// Held, so that nothing else comes to have its place in memory; nobody for those of an answer.
    let owner: ObjectState?
    let index: PropertyIndex
    /// The turns of the context that it is kept for, unless somebody asks again.
    fileprivate var turns = KeptLists.turns

    fileprivate init(of owner: ObjectState?, _ index: PropertyIndex) {
        self.owner = owner
        self.index = index
    }
}

/// The same of a model.
final class KeptObjects<D: Model>: KeptList {
    /// The members, of which those that are deleted have no object.
    fileprivate var rows: [RowID] = []
    /// Empty while they are lent.
    fileprivate var objects: [D] = []
    /// What they were when they were lent last, in memory of its own; what was lent is changed in place.
    fileprivate var lent: [D] = []
    fileprivate var isLent = false
    /// See ``ObjectContext/retirements``; -1 where they are to be looked for again anyway, as some were not found.
    fileprivate var retirements = -1
}

/// The lists of a context whose objects are kept: a few, and none that is short, as its objects are found as fast.
struct KeptLists {
    static let leastCount = 16
    private static let limit = 8
    /// A request and what is stored of it take two or three.
    fileprivate static let turns = 8
    private var lists: [KeptList] = []
    private var oldest = 0

    func members<D: Model>(_ type: D.Type, of owner: ObjectState, _ index: PropertyIndex) -> KeptObjects<D>? {
        for list in lists where list.owner === owner && list.index == index { return list as? KeptObjects<D> }
        return nil
    }

    /// The objects of an answer that had the same rows.
    fileprivate func answer<D: Model>(_ type: D.Type, of rows: [RowID]) -> KeptObjects<D>? {
        for case let list as KeptObjects<D> in lists where list.owner == nil && list.rows == rows { return list }
        return nil
    }

    /// - Returns: what it takes the place of. To let go of that may run a `deinit` of a user's class, so it is done
    ///   when this is over.
    mutating func insert(_ list: KeptList) -> KeptList? {
        let place = lists.firstIndex { $0.owner != nil && $0.owner === list.owner && $0.index == list.index }
        guard place != nil || lists.count == Self.limit else {
            lists.append(list)
            return nil
        }
        let former = place ?? oldest
        if place == nil { oldest = (oldest + 1) % Self.limit }
        defer { lists[former] = list }
        return lists[former]
    }

    /// - Returns: what was kept.
    mutating func removeAll() -> [KeptList] {
        defer { (lists, oldest) = ([], 0) }
        return lists
    }

    /// Keeps those that were asked for lately.
    ///
    /// - Returns: the others.
    mutating func takeTurn() -> [KeptList] {
        guard !lists.isEmpty else { return [] }
        for list in lists { list.turns -= 1 }
        let unasked = lists.filter { $0.turns <= 0 }
        if !unasked.isEmpty { (lists, oldest) = (lists.filter { $0.turns > 0 }, 0) }
        return unasked
    }
}

// MARK: - Reading

extension ObjectContext {
    /// The live objects of a list's members, those that are deleted left out.
    func members<D: Model>(_ type: D.Type, of state: ObjectState, _ index: PropertyIndex) -> [D] {
        let rows = members(of: state, index)
        guard let kept = keptObjects(type, of: state.current, index, having: rows) else {
            return objects(type, of: rows)
        }
        return kept.objects
    }

    /// The same to be changed in place: nobody else has the array, so it is not copied. ``editLentMembers(_:of:to:)``
    /// is told what has become of it.
    func membersToEdit<D: Model>(_ type: D.Type, of state: ObjectState, _ index: PropertyIndex) -> [D] {
        let rows = members(of: state, index)
        guard let kept = keptObjects(type, of: state.current, index, having: rows) else {
            return objects(type, of: rows)
        }
        let (former, objects) = (kept.lent, kept.objects)
        if former.count != objects.count || former.countOfSameObjects(asIn: objects) != objects.count {
            kept.lent = objects.map(\.self)
        }
        (kept.objects, kept.isLent) = ([], true)
        withExtendedLifetime(former) {}
        return objects
    }

    /// The live objects of an answer's rows: what was found for the same rows before, unless an object was deleted
    /// since.
    package func answeredObjects<D: Model>(_ type: D.Type, of rows: [RowID]) -> [D] {
        guard mayKeep(rows) else { return objects(type, of: rows) }
        if let kept = keptLists.answer(type, of: rows) {
            kept.turns = KeptLists.turns
            if kept.retirements != retirements { look(for: rows, kept) }
            return kept.objects
        }
        let kept = KeptObjects<D>(of: nil, PropertyIndex(0))
        look(for: rows, kept)
        keep(kept)
        return kept.objects
    }

    /// Whether a list is worth it, and the context holds objects at all: it would hold itself by them.
    private func mayKeep(_ rows: [RowID]) -> Bool {
        rows.count >= KeptLists.leastCount && !isEnded && ownUnsaved.isHolding
    }

    /// The objects of a list that has these rows by now; `nil` where they are not kept, or are lent.
    private func keptObjects<D: Model>(
        _ type: D.Type, of owner: ObjectState, _ index: PropertyIndex, having rows: [RowID]
    ) -> KeptObjects<D>? {
        guard mayKeep(rows) else { return nil }
        let known = keptLists.members(type, of: owner, index)
        let kept = known ?? KeptObjects<D>(of: owner, index)
        if known == nil { keep(kept) }
        kept.turns = KeptLists.turns
        guard !kept.isLent else { return nil }
        update(kept, to: rows)
        return kept
    }

    private func keep(_ list: KeptList) {
        let former = keptLists.insert(list)
        withExtendedLifetime(former) {}
        // So that it is let go of some time.
        handle.wake()
    }

    /// Looks for the objects that are not known.
    private func update<D: Model>(_ kept: KeptObjects<D>, to rows: [RowID]) {
        let known = kept.retirements == retirements ? kept.rows.countOfSame(asIn: rows) : 0
        if known == kept.rows.count, known == rows.count { return }
        guard known > 0, known == kept.rows.count else { return look(for: rows, kept) }
        // In an array that nobody else has.
        var objects = kept.objects
        kept.objects = []
        objects += self.objects(D.self, of: Array(rows[known...]))
        (kept.objects, kept.rows) = (objects, rows)
        if objects.count < rows.count { kept.retirements = -1 }
    }

    /// Looks for all of them.
    private func look<D: Model>(for rows: [RowID], _ kept: KeptObjects<D>) {
        let former = kept.objects
        // Another context's commits may be merged first.
        let objects = objects(D.self, of: rows)
        (kept.objects, kept.rows) = (objects, rows)
        kept.retirements = objects.count < rows.count ? -1 : retirements
        withExtendedLifetime(former) {}
    }
}

// MARK: - Editing

extension ObjectContext {
    /// Makes the members of a list what has become of the array that ``membersToEdit(_:of:_:)`` has lent.
    ///
    /// It costs as much as was changed, and to compare both arrays, which takes a nanosecond a member.
    ///
    /// - Returns: whether it did; else all of it is to be looked at.
    func editLentMembers<D: Model>(_ index: PropertyIndex, of state: ObjectState, to objects: [D]) -> Bool {
        guard let kept = keptLists.members(D.self, of: state, index), kept.isLent else { return false }
        var lent = kept.lent
        let rows = kept.rows
        (kept.rows, kept.lent, kept.isLent) = ([], [], false)
        // What was lent has all members, and nothing else was done to the list meanwhile.
        guard kept.retirements == retirements, lent.count == rows.count,
            members(of: state, index).countOfSame(asIn: rows) == rows.count,
            rows.count == state.lists[index]?.members.count,
            let edit = ListEdit(of: rows, lent, to: objects), edit.joined.allSatisfy(mayBeMember)
        else { return false }
        if edit.isEmpty, state.isInserted { return false }
        let wanted = edit.applied(to: rows)
        setMembers(index, of: state, from: rows, to: wanted, left: edit.left, joined: edit.joinedRows)
        guard members(of: state, index) == wanted else { return true }
        // What is let go of is let go of when this is over, as that may run a `deinit` of a user's class.
        let former = Array(lent[edit.range])
        lent.replaceSubrange(edit.range, with: objects[edit.newRange])
        (kept.rows, kept.objects, kept.lent) = (wanted, objects, lent)
        withExtendedLifetime(former) {}
        return true
    }

    private func mayBeMember(_ object: some Model) -> Bool {
        object._object.context === self && !object._object.isDeleted
    }
}

/// The one stretch in which a list differs from what it was.
private struct ListEdit<D: Model> {
    /// Beyond that all of the list is looked at, which is no dearer.
    private static var limit: Int { 64 }

    /// What is replaced, and by what.
    let range: Range<Int>
    let newRange: Range<Int>
    let rows: [RowID]
    /// The members that have left, and those that have joined.
    let left: [RowID]
    let joined: [D]
    let joinedRows: [RowID]

    var isEmpty: Bool { range.isEmpty && newRange.isEmpty }

    /// - Parameter former: the objects of the rows.
    /// - Returns: `nil` where too much differs, or an object is there twice.
    init?(of formerRows: [RowID], _ former: [D], to objects: [D]) {
        let start = former.countOfSameObjects(asIn: objects)
        let end = min(
            former.countOfSameObjects(asAtEndOf: objects), min(former.count, objects.count) - start)
        range = start..<former.count - end
        newRange = start..<objects.count - end
        guard range.count + newRange.count <= Self.limit else { return nil }
        rows = objects[newRange].map(\._object.localID)
        let (old, new) = (formerRows[range], Set(rows))
        guard new.count == rows.count, !new.contains(where: formerRows[..<start].contains),
            !new.contains(where: formerRows[range.upperBound...].contains)
        else { return nil }
        left = old.filter { !new.contains($0) }
        joined = objects[newRange].filter { !old.contains($0._object.localID) }
        joinedRows = joined.map(\._object.localID)
    }

    func applied(to formerRows: [RowID]) -> [RowID] {
        var applied = formerRows
        applied.replaceSubrange(range, with: rows)
        return applied
    }
}

// MARK: - Comparing memory

extension [RowID] {
    /// How many are the same at the start of another list.
    fileprivate func countOfSame(asIn other: [RowID]) -> Int {
        let count = Swift.min(count, other.count)
        return unsafe withUnsafeBufferPointer { own in
            unsafe other.withUnsafeBufferPointer { other in
                if unsafe own.baseAddress == other.baseAddress { return count }
                var index = 0
                // Both have as many.
                while index < count, unsafe own[index] == other[index] { index += 1 }
                return index
            }
        }
    }
}

extension Array where Element: Model {
    /// How many objects are the same at the start of another list.
    fileprivate func countOfSameObjects(asIn other: [Element]) -> Int {
        let count = Swift.min(count, other.count)
        return unsafe comparing(with: other) { own, other in
            var index = 0
            while index < count, unsafe own[index] == other[index] { index += 1 }
            return index
        }
    }

    /// The same at its end.
    fileprivate func countOfSameObjects(asAtEndOf other: [Element]) -> Int {
        let (last, otherLast) = (count - 1, other.count - 1)
        let count = Swift.min(count, other.count)
        return unsafe comparing(with: other) { own, other in
            var index = 0
            while index < count, unsafe own[last - index] == other[otherLast - index] { index += 1 }
            return index
        }
    }

    /// Lends both as addresses of objects, so that none is retained to be compared.
    private func comparing(
        with other: [Element], _ body: (UnsafePointer<UInt>, UnsafePointer<UInt>) -> Int
    ) -> Int {
        if isEmpty || other.isEmpty { return 0 }
        return unsafe withUnsafeBytes { own in
            unsafe other.withUnsafeBytes { other in
                // A reference to an object of a Swift class is its address, and neither array is empty.
                unsafe body(
                    own.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt.self),
                    other.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt.self))
            }
        }
    }
}
