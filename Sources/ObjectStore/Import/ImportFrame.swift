/// What is known of one object while it is read: reused for the next one at the same depth.
@safe final class ImportFrame {
    /// By column. Allocated once and freed in `deinit`; every index is a column of the frame's plan.
    private let slots: UnsafeMutablePointer<ImportSlot>
    private let columnCount: Int

    // What follows is not checked for overlapping accesses at run time, which takes longer than most of them, and is
    // done many times for each object. None can overlap: each is a load or a store, or calls the array's own code,
    // which knows no frame, or what reads a sign of a list from the body; and a frame is one import's, so one thread's.

    /// The keys of relationships that were read.
    @safe @exclusivity(unchecked)
    var relationshipKeys: [RelationshipKey] = []
    /// Relationships whose lists were read: the members' rows in order.
    @safe @exclusivity(unchecked)
    var lists: [(property: PropertyIndex, members: [RowID])] = []
    /// Relationships that can only be read once the object has a row.
    @safe @exclusivity(unchecked)
    var postponed: [Postponed] = []
    /// Values under keys that are spelt otherwise, to be read once it is known that the exact ones are not there.
    @safe @exclusivity(unchecked)
    var loose: [Postponed] = []
    /// Links to identities that no row has yet.
    @safe @exclusivity(unchecked)
    var pending: [PendingLink] = []
    /// What stands around lists, by the first of the lists that it is around.
    @safe @exclusivity(unchecked)
    var signs: [(list: ListSigned, signs: PageSigns)] = []
    /// Lists of which some element could not be read, which may be a member.
    @safe @exclusivity(unchecked)
    var unreadLists: [PropertyIndex] = []
    /// Lists that have a member more than once, as far as that can't be told by the members' rows.
    @safe @exclusivity(unchecked)
    var repeatedLists: [PropertyIndex] = []

    /// The JSON of values that can't be written again as they came.
    @safe @exclusivity(unchecked)
    var texts: [(column: ColumnIndex, text: String)] = []

    /// Whether the object says that it is deleted.
    @safe @exclusivity(unchecked)
    var isTombstone = false

    /// The attributes that have their defaults in place of no value, which is not what the server has said.
    @safe @exclusivity(unchecked)
    var defaulted = ColumnMask()
    /// The attributes and links whose values could not be taken: what the server says of them is not known any more.
    @safe @exclusivity(unchecked)
    var leftOut = ColumnMask()

    /// A key of a relationship, of which each may have two: `owner` and `owner_id`.
    struct RelationshipKey {
        let property: PropertyIndex
        let isIdentity: Bool
        /// Of its value in the body.
        let offset: Int

        func isSame(as other: RelationshipKey) -> Bool {
            property == other.property && isIdentity == other.isIdentity
        }
    }

    /// A relationship that is read later, and the offset of its value in the body.
    struct Postponed {
        let property: PropertyIndex
        let offset: Int
        /// Whether the value stands at the key that holds identities.
        var isIdentity = false
    }

    /// A link, or a list's member, whose target has no row yet.
    struct PendingLink {
        let property: PropertyIndex
        /// What the target is known by: ``Writer/pendingKey(of:)``.
        let key: String
        /// Within the list; `nil` for a link.
        let position: Int?
    }

    init(columnCount: Int) {
        self.columnCount = columnCount
        unsafe slots = .allocate(capacity: max(columnCount, 1))
        unsafe slots.initialize(repeating: .absent, count: max(columnCount, 1))
    }

    // Slots are trivial, so there is nothing to deinitialize.
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

    /// Whether the column has a value that names an object: neither null nor `""`.
    @inline(__always)
    func hasName(_ column: ColumnIndex) -> Bool { hasValue(column) && !self[column].isEmptyText }

    /// The columns that the object has values for.
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

    /// Whether the row that a statement stands on has all values that the object has.
    ///
    /// - Parameter first: where the columns begin.
    func isSaid(by statement: RawStatement, from first: Int32) -> Bool {
        for index in 0..<columnCount where unsafe slots[index].tag != .absent {
            guard statement.has(unsafe slots[index], at: first &+ Int32(truncatingIfNeeded: index)) else {
                return false
            }
        }
        return true
    }

    /// - Parameter position: within the list; `nil` for a link.
    func notePending(_ property: PropertyIndex, to identity: ImportSlot, at position: Int? = nil) {
        pending.append(
            PendingLink(property: property, key: Writer.pendingText(identity.stored), position: position))
    }

    /// Keeps each member of a list that waits once, at its first position.
    ///
    /// - Parameter start: where those of the list begin.
    func keepPendingOnce(from start: Int, in list: PropertyIndex) {
        guard pending.count - start > 1 else { return }
        var keys: Set<String> = []
        let distinct = pending[start...].filter { keys.insert($0.key).inserted }
        guard distinct.count < pending.count - start else { return }
        pending.replaceSubrange(start..., with: distinct)
        repeatedLists.append(list)
    }

    /// Whether the object has no key of anything that its model declares.
    var isBlank: Bool {
        present.isEmpty && relationshipKeys.isEmpty && loose.isEmpty && leftOut.isEmpty && postponed.isEmpty
    }

    /// The columns of which the server says what is not known here.
    var unread: ColumnMask { leftOut.isEmpty ? leftOut : leftOut.subtracting(present) }

    /// Takes what stands around a list.
    func noteSign(of list: ListSigned, _ note: (inout PageSigns) throws -> Void) rethrows {
        if let index = signs.firstIndex(where: { $0.list == list }) { return try note(&signs[index].signs) }
        var new = PageSigns()
        try note(&new)
        signs.append((list, new))
    }

    /// Whether the JSON names a target for the link that has no row yet.
    func isPending(_ property: PropertyIndex) -> Bool { pending.contains { $0.property == property } }

    /// Whether the relationship's list was read, or is to be.
    func isRead(_ property: PropertyIndex) -> Bool {
        lists.contains { $0.property == property } || postponed.contains { $0.property == property }
    }

    /// Whether the relationship's own key was there, or the one that holds identities.
    func hasRead(_ property: PropertyIndex, isIdentity: Bool = false) -> Bool {
        relationshipKeys.contains { $0.property == property && $0.isIdentity == isIdentity }
    }

    func reset() {
        for index in 0..<columnCount { unsafe slots[index] = .absent }
        if !relationshipKeys.isEmpty { relationshipKeys.removeAll(keepingCapacity: true) }
        if !lists.isEmpty { lists.removeAll(keepingCapacity: true) }
        if !postponed.isEmpty { postponed.removeAll() }
        if !loose.isEmpty { loose.removeAll(keepingCapacity: true) }
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

// `owner` and `owner_id` may both be in one object: what was read by the first key is taken out of the frame while the
// second is read, and the two are compared.

extension ImportFrame {
    /// What a link references by one of its keys: a row (or null), or one that is not here yet.
    enum LinkTarget {
        case row(ImportSlot)
        case pending(PendingLink)
    }

    /// What a link was found to reference so far, taken out of the frame.
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

    /// The members of a list by one of its keys.
    struct ReadList {
        let property: PropertyIndex
        let members: [RowID]
        let pending: [PendingLink]
    }

    /// What a list was found to be so far, taken out of the frame; `nil` when it is to be read later or not there.
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
    /// What a link's column holds.
    @inline(__always)
    static func row(_ row: RowID) -> ImportSlot { .integer(row.rawValue) }

    /// The row that a link's column references.
    var row: RowID? { tag == .integer ? RowID(bits) : nil }
}
