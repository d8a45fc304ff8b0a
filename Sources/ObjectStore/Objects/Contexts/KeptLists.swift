// Iterating over a list by index, and adding members one by one, read the whole list each time. So a context keeps the
// objects of long lists for some turns, and compares memory to find the differences.

class KeptList {
    /// Held so that its address stays its own. Nil for the objects of a reply.
    let owner: ObjectState?
    let index: PropertyIndex
    /// The number of turns left.
    fileprivate var turns = KeptLists.turns

    fileprivate init(of owner: ObjectState?, _ index: PropertyIndex) {
        self.owner = owner
        self.index = index
    }
}

final class KeptObjects<D: Model>: KeptList {
    /// Includes deleted members, which `objects` leaves out.
    fileprivate var rows: [RowID] = []
    /// Empty while the array is lent (``ObjectContext/membersToEdit(_:of:_:)``).
    fileprivate var objects: [D] = []
    /// A copy, since the lent array is changed in place.
    fileprivate var lent: [D] = []
    fileprivate var isLent = false
    /// The ``ObjectContext/retirements`` at the last lookup. -1: some objects were missing, so the next read looks up
    /// all.
    fileprivate var retirements = -1
}

/// Shorter lists than `leastCount` are looked up each time, which is as fast.
struct KeptLists {
    static let leastCount = 16
    private static let limit = 8
    /// A request and the merge of its reply take two or three turns.
    fileprivate static let turns = 8
    private var lists: [KeptList] = []
    private var oldest = 0

    func members<D: Model>(_ type: D.Type, of owner: ObjectState, _ index: PropertyIndex) -> KeptObjects<D>? {
        for list in lists where list.owner === owner && list.index == index { return list as? KeptObjects<D> }
        return nil
    }

    fileprivate func answer<D: Model>(_ type: D.Type, of rows: [RowID]) -> KeptObjects<D>? {
        for case let list as KeptObjects<D> in lists where list.owner == nil && list.rows == rows { return list }
        return nil
    }

    /// - Returns: the list that was replaced. Release it after the change of this value is complete: that may run a
    ///   `deinit` of a user's class.
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

    mutating func removeAll() -> [KeptList] {
        defer { (lists, oldest) = ([], 0) }
        return lists
    }

    /// - Returns: the lists that have outlived their turns.
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
    /// The list's members, without deleted ones.
    func members<D: Model>(_ type: D.Type, of state: ObjectState, _ index: PropertyIndex) -> [D] {
        let rows = members(of: state, index)
        guard let kept = keptObjects(type, of: state.current, index, having: rows) else {
            return objects(type, of: rows)
        }
        return kept.objects
    }

    /// The caller gets the only reference to the array, so it is changed in place. Then call
    /// ``editLentMembers(_:of:to:)``.
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

    /// Keeps the objects for the next reply with these rows.
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

    /// The context must hold its objects, since these hold the context in turn.
    private func mayKeep(_ rows: [RowID]) -> Bool {
        rows.count >= KeptLists.leastCount && !isEnded && ownUnsaved.isHolding
    }

    /// Nil if the objects are lent, or looked up each time.
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
        // A later turn must release the list.
        handle.wake()
    }

    private func update<D: Model>(_ kept: KeptObjects<D>, to rows: [RowID]) {
        let known = kept.retirements == retirements ? kept.rows.countOfSame(asIn: rows) : 0
        if known == kept.rows.count, known == rows.count { return }
        guard known > 0, known == kept.rows.count else { return look(for: rows, kept) }
        // This leaves one reference to the array, so it is changed in place.
        var objects = kept.objects
        kept.objects = []
        objects += self.objects(D.self, of: Array(rows[known...]))
        (kept.objects, kept.rows) = (objects, rows)
        if objects.count < rows.count { kept.retirements = -1 }
    }

    private func look<D: Model>(for rows: [RowID], _ kept: KeptObjects<D>) {
        let former = kept.objects
        // This may merge commits of other contexts first.
        let objects = objects(D.self, of: rows)
        (kept.objects, kept.rows) = (objects, rows)
        kept.retirements = objects.count < rows.count ? -1 : retirements
        withExtendedLifetime(former) {}
    }
}

// MARK: - Editing

extension ObjectContext {
    /// Edits a list as the array was edited that ``membersToEdit(_:of:_:)`` has lent.
    ///
    /// - Returns: false if the whole list must be assigned instead.
    /// - Complexity: linear in the changed members, and a comparison of both arrays, a nanosecond for each member.
    func editLentMembers<D: Model>(_ index: PropertyIndex, of state: ObjectState, to objects: [D]) -> Bool {
        guard let kept = keptLists.members(D.self, of: state, index), kept.isLent else { return false }
        var lent = kept.lent
        let rows = kept.rows
        (kept.rows, kept.lent, kept.isLent) = ([], [], false)
        // The lent array must have all members, and the list must be unchanged since.
        guard kept.retirements == retirements, lent.count == rows.count,
            members(of: state, index).countOfSame(asIn: rows) == rows.count,
            rows.count == state.lists[index]?.members.count,
            let edit = ListEdit(of: rows, lent, to: objects), edit.joined.allSatisfy(mayBeMember)
        else { return false }
        if edit.isEmpty, state.isInserted { return false }
        let wanted = edit.applied(to: rows)
        setMembers(index, of: state, from: rows, to: wanted, left: edit.left, joined: edit.joinedRows)
        guard members(of: state, index) == wanted else { return true }
        // Released at the end, since that may run a `deinit` of a user's class.
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

/// The one range in which two lists differ.
private struct ListEdit<D: Model> {
    /// Longer ranges are edited as fast by assigning the whole list.
    private static var limit: Int { 64 }

    /// The replaced range, and that of its replacement.
    let range: Range<Int>
    let newRange: Range<Int>
    let rows: [RowID]
    let left: [RowID]
    let joined: [D]
    let joinedRows: [RowID]

    var isEmpty: Bool { range.isEmpty && newRange.isEmpty }

    /// - Returns: nil if the range is too long, or an object occurs twice.
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
    /// The length of the common prefix.
    fileprivate func countOfSame(asIn other: [RowID]) -> Int {
        let count = Swift.min(count, other.count)
        return unsafe withUnsafeBufferPointer { own in
            unsafe other.withUnsafeBufferPointer { other in
                if unsafe own.baseAddress == other.baseAddress { return count }
                var index = 0
                while index < count, unsafe own[index] == other[index] { index += 1 }
                return index
            }
        }
    }
}

extension Array where Element: Model {
    fileprivate func countOfSameObjects(asIn other: [Element]) -> Int {
        let count = Swift.min(count, other.count)
        return unsafe comparing(with: other) { own, other in
            var index = 0
            while index < count, unsafe own[index] == other[index] { index += 1 }
            return index
        }
    }

    fileprivate func countOfSameObjects(asAtEndOf other: [Element]) -> Int {
        let (last, otherLast) = (count - 1, other.count - 1)
        let count = Swift.min(count, other.count)
        return unsafe comparing(with: other) { own, other in
            var index = 0
            while index < count, unsafe own[last - index] == other[otherLast - index] { index += 1 }
            return index
        }
    }

    /// Lends the addresses of the objects, which saves retaining them.
    private func comparing(
        with other: [Element], _ body: (UnsafePointer<UInt>, UnsafePointer<UInt>) -> Int
    ) -> Int {
        if isEmpty || other.isEmpty { return 0 }
        return unsafe withUnsafeBytes { own in
            unsafe other.withUnsafeBytes { other in
                // A reference to an object of a Swift class is its address, and both arrays have elements.
                unsafe body(
                    own.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt.self),
                    other.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt.self))
            }
        }
    }
}
