/// The rows and lists that one transaction has changed. Contexts merge it into their live objects.
package struct ChangeSet: Sendable {
    package struct Rows: Sendable {
        package var inserted: [RowID] = []
        package var updated: [RowID] = []
        package var deleted: [RowID] = []
        /// The rows in ``updated`` with unchanged links, once for each such update.
        var keepingLinks: [RowID] = []

        package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

        /// The updated rows, except those with unchanged links.
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
    /// The to-many relationships of which a membership has changed.
    package var lists: Set<ListID> = []
    /// The owners of such lists, if the file has stored answers. These changes may invalidate them.
    var listOwners: Set<ListOwner> = []
    /// The rows that became one with another.
    package var unified: [Unification] = []

    var changesOutbox = false
    var hasNewEntries = false

    /// The context that made the change, which merges without being woken.
    var author: ObjectIdentifier?
    /// Whether the deletions come from the server, rather than from the author.
    var isServersWord = false

    /// Embedded objects that were deleted because their owner has lost them.
    package var lostParts: [LostPart] = []

    /// An embedded object at its deletion. A context with unsaved edits of it makes a new object of it.
    package struct LostPart: Sendable {
        package let record: RecordID
        /// The relationship that it was in.
        package let owner: ListOwner
        /// By property. A link is the target's row.
        let values: [PropertyIndex: StoredValue]
        let lists: [PropertyIndex: [RowID]]
    }

    /// Two rows that became one.
    package struct Unification: Sendable {
        package let duplicate: RecordID
        package let survivor: RowID
    }

    init(_ schema: Schema) { tables = TableMap(repeating: Rows(), count: schema.roots.count) }

    package var isEmpty: Bool { !changesOutbox && lists.isEmpty && unified.isEmpty && tables.all.allSatisfy(\.isEmpty) }

    /// - Parameter keepsLinks: whether the row's links are unchanged.
    mutating func noteUpdate(of record: RecordID, keepsLinks: Bool = false) {
        tables[record.table].updated.append(record.row)
        if keepsLinks { tables[record.table].keepingLinks.append(record.row) }
    }
}
