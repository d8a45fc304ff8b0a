/// The rows and lists that one transaction has changed, for contexts to merge.
package struct ChangeSet: Sendable {
    package struct Rows: Sendable {
        package var inserted: [RowID] = []
        package var updated: [RowID] = []
        package var deleted: [RowID] = []
        /// Rows in ``updated``, once for each update without changed links.
        var keepingLinks: [RowID] = []

        package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

        /// The updated rows without those in ``keepingLinks``.
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
    /// To-many relationships with a changed membership.
    package var lists: Set<ListID> = []
    /// The owners of such lists, if the file has stored answers, which may become invalid.
    var listOwners: Set<ListOwner> = []
    package var unified: [Unification] = []

    var changesOutbox = false
    var hasNewEntries = false

    /// The context that made the change, which merges without being woken.
    var author: ObjectIdentifier?
    var hasServerDeletions = false

    /// Embedded objects that were deleted because their owner has lost them.
    package var deletedParts: [DeletedPart] = []

    /// A deleted embedded object. A context with unsaved edits of it makes a new one.
    package struct DeletedPart: Sendable {
        package let record: RecordID
        /// The relationship that had it.
        package let owner: ListOwner
        /// By property. A link is the target's row.
        let values: [PropertyIndex: StoredValue]
        let lists: [PropertyIndex: [RowID]]
    }

    package struct Unification: Sendable {
        package let duplicate: RecordID
        package let survivor: RowID
    }

    init(_ schema: Schema) { tables = TableMap(repeating: Rows(), count: schema.roots.count) }

    package var isEmpty: Bool { !changesOutbox && lists.isEmpty && unified.isEmpty && tables.all.allSatisfy(\.isEmpty) }

    mutating func noteUpdate(of record: RecordID, keepsLinks: Bool = false) {
        tables[record.table].updated.append(record.row)
        if keepsLinks { tables[record.table].keepingLinks.append(record.row) }
    }
}
