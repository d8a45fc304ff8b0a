/// What is known of one object while it is read: reused for the next one at the same depth.
@safe final class ImportFrame {
    /// By column. Allocated once and freed in `deinit`; every index is a column of the frame's plan.
    let slots: UnsafeMutablePointer<ImportSlot>
    let columnCount: Int
    /// The keys of relationships that were read: twice the property, and one more for the key of its identities.
    var relationshipKeys: [Int] = []
    /// Relationships whose lists were read: the members' local keys in order.
    var lists: [(property: Int, members: [Int64])] = []
    /// Relationships whose lists can only be read once the object has a row, with where they stand.
    var postponed: [(property: Int, offset: Int)] = []
    /// To-one links to identities that no row has yet.
    var pending: [PendingLink] = []
    /// Lists of resource identifiers of which some have no row yet.
    var incomplete: [(property: Int, identities: [StoredValue])] = []

    struct PendingLink {
        let property: Int
        /// As ``Writer/pendingKey(of:_:)`` has it.
        let identity: String
        let position: Int?
    }

    init(columnCount: Int) {
        self.columnCount = columnCount
        unsafe slots = .allocate(capacity: max(columnCount, 1))
        unsafe slots.initialize(repeating: .absent, count: max(columnCount, 1))
    }

    deinit { unsafe slots.deallocate() }

    /// The columns that the object has values for.
    var present: ColumnMask {
        var mask = ColumnMask()
        for column in 0..<columnCount where unsafe slots[column].tag != .absent { mask.insert(column) }
        return mask
    }

    @inline(__always)
    func has(_ column: Int) -> Bool { unsafe slots[column].tag != .absent }

    /// Whether the JSON names a target for the link that no row is yet.
    func isPending(_ property: Int) -> Bool { pending.contains { $0.property == property } }

    func reset() {
        for column in 0..<columnCount { unsafe slots[column] = .absent }
        if !relationshipKeys.isEmpty { relationshipKeys.removeAll(keepingCapacity: true) }
        if !lists.isEmpty { lists.removeAll(keepingCapacity: true) }
        if !postponed.isEmpty { postponed.removeAll() }
        if !pending.isEmpty { pending.removeAll() }
        if !incomplete.isEmpty { incomplete.removeAll() }
    }

    @inline(__always)
    func set(_ column: Int, _ slot: ImportSlot) { unsafe slots[column] = slot }
}
