/// What one transaction changed, as local keys by table: what a merge looks up in a context's live objects.
package struct ChangeSet: Sendable {
    package struct Rows: Sendable {
        package var inserted: [Int64] = []
        package var updated: [Int64] = []
        package var deleted: [Int64] = []

        package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
    }

    /// By the table's index.
    package var tables: [Rows]
    /// The numbers of the to-many relationships of which some membership changed.
    package var lists: Set<Int> = []
    /// By table: objects that turned out to be one with another that was here already.
    package var replaced: [Replacement] = []

    package struct Replacement: Sendable {
        package let table: Int
        package let old: Int64
        package let new: Int64
    }

    init(tableCount: Int) { tables = Array(repeating: Rows(), count: tableCount) }

    package var isEmpty: Bool { lists.isEmpty && replaced.isEmpty && tables.allSatisfy(\.isEmpty) }
}
