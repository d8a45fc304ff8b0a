/// What one transaction changed, as rows by table: what a merge looks up in a context's live objects.
package struct ChangeSet: Sendable {
    package struct Rows: Sendable {
        package var inserted: [RowID] = []
        package var updated: [RowID] = []
        package var deleted: [RowID] = []
        /// Those of ``updated``, each as often as there, by a change that has left alone where they lead.
        var keepingLinks: [RowID] = []

        package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

        /// Those that may have come to lead elsewhere.
        var relinked: [RowID] {
            guard !keepingLinks.isEmpty else { return updated }
            var rest = Dictionary(keepingLinks.map { ($0, 1) }, uniquingKeysWith: +)
            return updated.filter { row in
                guard let count = rest[row], count > 0 else { return true }
                rest[row] = count - 1
                return false
            }
        }
    }

    package var tables: TableMap<Rows>
    /// The to-many relationships of which some membership changed.
    package var lists: Set<ListID> = []
    /// The owners of such lists, as far as answers that are stored may have said what is in them.
    var listOwners: Set<ListOwner> = []
    /// The rows that turned out to be the same as another.
    package var unified: [Unification] = []

    /// Whether the outbox has changed.
    var changesOutbox = false
    /// Whether it has entries with new numbers.
    var hasNewEntries = false

    /// The context that has written it and looks by itself; `nil` for none.
    var author: ObjectIdentifier?
    /// Whether it has what a server has said, which no context has asked to be deleted.
    var isServersWord = false

    /// The embedded objects that were deleted because what they were in has lost them.
    package var lostParts: [LostPart] = []

    /// An embedded object as it last was, for whoever has edited it.
    package struct LostPart: Sendable {
        package let record: RecordID
        /// What it was in.
        package let owner: ListOwner
        /// Its values, by property; a link is the target's row.
        let values: [PropertyIndex: StoredValue]
        /// The members of its lists.
        let lists: [PropertyIndex: [RowID]]
    }

    /// Two rows of a table that were the same object.
    package struct Unification: Sendable {
        /// The row that is gone.
        package let duplicate: RecordID
        /// The row that stands for both.
        package let survivor: RowID
    }

    init(_ schema: Schema) { tables = TableMap(repeating: Rows(), count: schema.roots.count) }

    package var isEmpty: Bool { !changesOutbox && lists.isEmpty && unified.isEmpty && tables.all.allSatisfy(\.isEmpty) }

    /// - Parameter keepsLinks: whether it leads where it led.
    mutating func noteUpdate(of record: RecordID, keepsLinks: Bool = false) {
        tables[record.table].updated.append(record.row)
        if keepsLinks { tables[record.table].keepingLinks.append(record.row) }
    }
}
