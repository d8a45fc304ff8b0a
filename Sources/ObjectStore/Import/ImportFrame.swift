/// The values read from one object. Its plan reuses the frame for later objects.
@safe final class ImportFrame {
    /// One for each column. Allocated once, freed in `deinit`.
    private let slots: UnsafeMutablePointer<ImportSlot>
    private let columnCount: Int

    // The properties below skip run-time exclusivity checks, which cost more than the accesses. That is safe: a frame
    // belongs to one import, and so to one thread, and no access runs code that uses the same property.

    @safe @exclusivity(unchecked)
    var relationshipKeys: [RelationshipKey] = []
    @safe @exclusivity(unchecked)
    var lists: [(property: PropertyIndex, members: [RowID])] = []
    /// Relationships to read once the object has a row.
    @safe @exclusivity(unchecked)
    var postponed: [Postponed] = []
    /// Values under loosely spelled keys, used if the exact keys are missing.
    @safe @exclusivity(unchecked)
    var loose: [Postponed] = []
    @safe @exclusivity(unchecked)
    var choices: [ChoiceKey] = []
    @safe @exclusivity(unchecked)
    var pending: [PendingLink] = []
    /// Paging signs, such as totals. Those around several lists are under the first one.
    @safe @exclusivity(unchecked)
    var signs: [(list: ListSigned, signs: PageSigns)] = []
    /// Lists with an unreadable element, which may be a member.
    @safe @exclusivity(unchecked)
    var unreadLists: [PropertyIndex] = []
    /// Lists that repeat a member, which `lists` has once.
    @safe @exclusivity(unchecked)
    var repeatedLists: [PropertyIndex] = []

    /// JSON of values that their stored form would change.
    @safe @exclusivity(unchecked)
    var texts: [(column: ColumnIndex, text: String)] = []

    @safe @exclusivity(unchecked)
    var isTombstone = false

    /// Attributes whose default stands in for null, or, in an embedded object, for a missing key.
    @safe @exclusivity(unchecked)
    var defaulted = ColumnMask()
    /// Attributes and links that failed to convert.
    @safe @exclusivity(unchecked)
    var failedColumns = ColumnMask()

    /// A relationship's key, `owner` or `owner_id`.
    struct RelationshipKey {
        let property: PropertyIndex
        let isIdentity: Bool
        /// Offset in the body.
        let offset: Int

        func isSame(as other: RelationshipKey) -> Bool {
            property == other.property && isIdentity == other.isIdentity
        }
    }

    struct Postponed {
        let property: PropertyIndex
        let offset: Int
        var isIdentity = false
    }

    /// A link, or a list's member, without a row.
    struct PendingLink {
        let property: PropertyIndex
        /// The identity's ``Writer/pendingKey(of:)``.
        let key: String
        /// The position in a list. Nil for a link.
        let position: Int?
    }

    init(columnCount: Int) {
        self.columnCount = columnCount
        unsafe slots = .allocate(capacity: max(columnCount, 1))
        unsafe slots.initialize(repeating: .absent, count: max(columnCount, 1))
    }

    // Slots are trivial.
    deinit { unsafe slots.deallocate() }

    @inline(__always)
    subscript(column: ColumnIndex) -> ImportSlot {
        get { unsafe slots[column.rawValue] }
        set { unsafe slots[column.rawValue] = newValue }
    }

    @inline(__always)
    func has(_ column: ColumnIndex) -> Bool { unsafe slots[column.rawValue].tag != .absent }

    /// Null doesn't count.
    @inline(__always)
    func hasValue(_ column: ColumnIndex) -> Bool {
        let tag = unsafe slots[column.rawValue].tag
        return tag != .absent && tag != .null
    }

    /// Null and `""` don't count.
    @inline(__always)
    func hasName(_ column: ColumnIndex) -> Bool { hasValue(column) && !self[column].isEmptyText }

    /// Includes nulls.
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

    /// - Parameter first: the statement's index of the first column.
    func isUnchanged(by statement: RawStatement, from first: Int32) -> Bool {
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

    /// - Parameter start: the list's first index in `pending`.
    func keepPendingOnce(from start: Int, in list: PropertyIndex) {
        guard pending.count - start > 1 else { return }
        var keys: Set<String> = []
        let distinct = pending[start...].filter { keys.insert($0.key).inserted }
        guard distinct.count < pending.count - start else { return }
        pending.replaceSubrange(start..., with: distinct)
        repeatedLists.append(list)
    }

    /// Whether the JSON lacks all of the model's keys.
    var isBlank: Bool {
        present.isEmpty && relationshipKeys.isEmpty && loose.isEmpty && failedColumns.isEmpty && postponed.isEmpty
    }

    /// Failed columns without another value.
    var unread: ColumnMask { failedColumns.isEmpty ? failedColumns : failedColumns.subtracting(present) }

    func noteSign(of list: ListSigned, _ note: (inout PageSigns) throws -> Void) rethrows {
        if let index = signs.firstIndex(where: { $0.list == list }) { return try note(&signs[index].signs) }
        var new = PageSigns()
        try note(&new)
        signs.append((list, new))
    }

    func isPending(_ property: PropertyIndex) -> Bool { pending.contains { $0.property == property } }

    /// Whether the list was read, or the relationship is postponed.
    func isRead(_ property: PropertyIndex) -> Bool {
        lists.contains { $0.property == property } || postponed.contains { $0.property == property }
    }

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
        failedColumns.removeAll()
    }
}

// MARK: One relationship by two keys

// The result of `owner` leaves the frame while `owner_id` is read, or the reverse. Then the two are compared.

extension ImportFrame {
    enum LinkTarget {
        case row(ImportSlot)
        case pending(PendingLink)
    }

    /// Removes a link's target. Nil if it wasn't read.
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

    /// Removes a list. Nil if it wasn't read, or is postponed.
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
