/// The values read from one object. Reused for the next object at the same depth.
@safe final class ImportFrame {
    /// By column. Allocated once and freed in `deinit`; every index is a column of the frame's plan.
    private let slots: UnsafeMutablePointer<ImportSlot>
    private let columnCount: Int

    // The properties below skip the run-time check for overlapping accesses, which takes longer than most accesses.
    // Accesses can't overlap: each is a load or a store, or runs code that doesn't know the frame (the array's own, or
    // the reading of paging signs). A frame belongs to one import, and so to one thread.

    @safe @exclusivity(unchecked)
    var relationshipKeys: [RelationshipKey] = []
    @safe @exclusivity(unchecked)
    var lists: [(property: PropertyIndex, members: [RowID])] = []
    /// Read once the object has a row.
    @safe @exclusivity(unchecked)
    var postponed: [Postponed] = []
    /// Values under loosely spelled keys, to use if the exact keys are missing.
    @safe @exclusivity(unchecked)
    var loose: [Postponed] = []
    /// The keys of relationships to one of several models.
    @safe @exclusivity(unchecked)
    var choices: [ChoiceKey] = []
    /// Links to identities that have no row yet.
    @safe @exclusivity(unchecked)
    var pending: [PendingLink] = []
    /// Paging signs, such as totals, by list. Signs around several lists are kept under the first one.
    @safe @exclusivity(unchecked)
    var signs: [(list: ListSigned, signs: PageSigns)] = []
    /// Lists with an unreadable element, which may be a member.
    @safe @exclusivity(unchecked)
    var unreadLists: [PropertyIndex] = []
    /// Lists with a repeated member that `lists` has only once.
    @safe @exclusivity(unchecked)
    var repeatedLists: [PropertyIndex] = []

    /// The JSON of values that their format would change.
    @safe @exclusivity(unchecked)
    var texts: [(column: ColumnIndex, text: String)] = []

    @safe @exclusivity(unchecked)
    var isTombstone = false

    /// Attributes with their default in place of a missing value.
    @safe @exclusivity(unchecked)
    var defaulted = ColumnMask()
    /// Attributes and links with a value that failed to convert.
    @safe @exclusivity(unchecked)
    var leftOut = ColumnMask()

    /// A key of a relationship: `owner` or `owner_id`.
    struct RelationshipKey {
        let property: PropertyIndex
        let isIdentity: Bool
        /// In the body.
        let offset: Int

        func isSame(as other: RelationshipKey) -> Bool {
            property == other.property && isIdentity == other.isIdentity
        }
    }

    struct Postponed {
        let property: PropertyIndex
        let offset: Int
        /// Whether it is the key for identities.
        var isIdentity = false
    }

    /// A link or list member with an identity that has no row yet.
    struct PendingLink {
        let property: PropertyIndex
        /// ``Writer/pendingKey(of:)``.
        let key: String
        /// Nil for a link.
        let position: Int?
    }

    init(columnCount: Int) {
        self.columnCount = columnCount
        unsafe slots = .allocate(capacity: max(columnCount, 1))
        unsafe slots.initialize(repeating: .absent, count: max(columnCount, 1))
    }

    // Slots are trivial and need no deinitialization.
    deinit { unsafe slots.deallocate() }

    @inline(__always)
    subscript(column: ColumnIndex) -> ImportSlot {
        get { unsafe slots[column.rawValue] }
        set { unsafe slots[column.rawValue] = newValue }
    }

    @inline(__always)
    func has(_ column: ColumnIndex) -> Bool { unsafe slots[column.rawValue].tag != .absent }

    /// Whether the column has a value other than null.
    @inline(__always)
    func hasValue(_ column: ColumnIndex) -> Bool {
        let tag = unsafe slots[column.rawValue].tag
        return tag != .absent && tag != .null
    }

    /// Whether the column has a value other than null and `""`.
    @inline(__always)
    func hasName(_ column: ColumnIndex) -> Bool { hasValue(column) && !self[column].isEmptyText }

    /// The columns with a value or null.
    var present: ColumnMask {
        var mask = ColumnMask()
        for first in stride(from: 0, to: columnCount, by: 64) {
            var bits: Int64 = 0
            for index in first..<min(first + 64, columnCount) where unsafe slots[index].tag != .absent {
                bits |= 1 &<< Int64(index &- first)
            }
            mask[word: first >> 6] = bits
        }
        return mask
    }

    /// Whether the statement's current row has all values of the object.
    ///
    /// - Parameter first: the statement's index of the first column.
    func isSaid(by statement: RawStatement, from first: Int32) -> Bool {
        for index in 0..<columnCount where unsafe slots[index].tag != .absent {
            guard statement.has(unsafe slots[index], at: first &+ Int32(truncatingIfNeeded: index)) else {
                return false
            }
        }
        return true
    }

    func notePending(_ property: PropertyIndex, to identity: ImportSlot, at position: Int? = nil) {
        pending.append(
            PendingLink(property: property, key: Writer.pendingText(identity.stored), position: position))
    }

    /// Removes repeated pending members of a list.
    ///
    /// - Parameter start: the list's first index in `pending`.
    func keepPendingOnce(from start: Int, in list: PropertyIndex) {
        guard pending.count - start > 1 else { return }
        var keys: Set<String> = []
        let distinct = pending[start...].filter { keys.insert($0.key).inserted }
        guard distinct.count < pending.count - start else { return }
        pending.replaceSubrange(start..., with: distinct)
        repeatedLists.append(list)
    }

    /// Whether the JSON has none of the model's keys.
    var isBlank: Bool {
        present.isEmpty && relationshipKeys.isEmpty && loose.isEmpty && leftOut.isEmpty && postponed.isEmpty
    }

    /// The columns with an unknown server value.
    var unread: ColumnMask { leftOut.isEmpty ? leftOut : leftOut.subtracting(present) }

    func noteSign(of list: ListSigned, _ note: (inout PageSigns) throws -> Void) rethrows {
        if let index = signs.firstIndex(where: { $0.list == list }) { return try note(&signs[index].signs) }
        var new = PageSigns()
        try note(&new)
        signs.append((list, new))
    }

    /// Whether the link's identity has no row yet.
    func isPending(_ property: PropertyIndex) -> Bool { pending.contains { $0.property == property } }

    /// Whether the list was read or is postponed.
    func isRead(_ property: PropertyIndex) -> Bool {
        lists.contains { $0.property == property } || postponed.contains { $0.property == property }
    }

    /// Whether the JSON has the relationship's own key or, with `isIdentity`, its key for identities.
    func hasRead(_ property: PropertyIndex, isIdentity: Bool = false) -> Bool {
        relationshipKeys.contains { $0.property == property && $0.isIdentity == isIdentity }
    }

    func reset() {
        for index in 0..<columnCount { unsafe slots[index] = .absent }
        if !relationshipKeys.isEmpty { relationshipKeys.removeAll(keepingCapacity: true) }
        if !lists.isEmpty { lists.removeAll(keepingCapacity: true) }
        if !postponed.isEmpty { postponed.removeAll() }
        if !loose.isEmpty { loose.removeAll(keepingCapacity: true) }
        if !choices.isEmpty { choices.removeAll(keepingCapacity: true) }
        if !pending.isEmpty { pending.removeAll() }
        if !signs.isEmpty { signs.removeAll(keepingCapacity: true) }
        if !unreadLists.isEmpty { unreadLists.removeAll(keepingCapacity: true) }
        if !repeatedLists.isEmpty { repeatedLists.removeAll(keepingCapacity: true) }
        if !texts.isEmpty { texts.removeAll() }
        isTombstone = false
        defaulted.removeAll()
        leftOut.removeAll()
    }
}

// MARK: One relationship by two keys

// An object may have both `owner` and `owner_id`. The result of the first key leaves the frame while the second one is
// read. Then the two are compared.

extension ImportFrame {
    enum LinkTarget {
        case row(ImportSlot)
        case pending(PendingLink)
    }

    /// Removes and returns the link's target. Nil if it wasn't read.
    func take(_ link: LinkField) -> LinkTarget? {
        guard has(link.column) else { return nil }
        let slot = self[link.column]
        self[link.column] = .absent
        guard let index = pending.lastIndex(where: { $0.property == link.property }) else { return .row(slot) }
        return .pending(pending.remove(at: index))
    }

    func putBack(_ target: LinkTarget, in link: LinkField) {
        switch target {
        case .row(let slot): self[link.column] = slot
        case .pending(let pendingLink):
            self[link.column] = .null
            pending.append(pendingLink)
        }
    }

    struct ReadList {
        let property: PropertyIndex
        let members: [RowID]
        let pending: [PendingLink]
    }

    /// Removes and returns the list. Nil if it wasn't read or is postponed.
    func takeList(_ property: PropertyIndex) -> ReadList? {
        guard !lists.isEmpty, let index = lists.lastIndex(where: { $0.property == property }) else { return nil }
        let taken = pending.filter { $0.property == property }
        pending.removeAll { $0.property == property }
        return ReadList(property: property, members: lists.remove(at: index).members, pending: taken)
    }

    func putBack(_ list: ReadList) {
        lists.append((list.property, list.members))
        pending += list.pending
    }
}

extension ImportSlot {
    @inline(__always)
    static func row(_ row: RowID) -> ImportSlot { .integer(row.rawValue) }

    var row: RowID? { tag == .integer ? RowID(bits) : nil }
}
