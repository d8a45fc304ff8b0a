/// What one `save` writes, as values that may travel to the writer.
package struct WriteBatch: Sendable {
    /// The values of a row, by property index; a link is a local key.
    package struct Row: Sendable {
        package let table: Int
        package let id: Int64
        package var values: [Int: StoredValue]
        package let isInsert: Bool
        /// Those of the values that were set, where others are defaults; `nil` for all.
        package let edited: Set<Int>?

        package init(
            table: Int, id: Int64, values: [Int: StoredValue], isInsert: Bool, edited: Set<Int>? = nil
        ) {
            self.table = table
            self.id = id
            self.values = values
            self.isInsert = isInsert
            self.edited = edited
        }
    }

    /// A list's members in their order.
    package struct Membership: Sendable {
        package let table: Int
        package let property: Int
        package let owner: Int64
        package let members: [Int64]
        /// The members that were in the file when the list was edited: what others have added or removed since stays so.
        /// `nil` for a list that is the whole membership.
        package let base: [Int64]?

        package init(table: Int, property: Int, owner: Int64, members: [Int64], base: [Int64]? = nil) {
            self.table = table
            self.property = property
            self.owner = owner
            self.members = members
            self.base = base
        }
    }

    package struct Key: Sendable, Hashable {
        package let table: Int
        package let id: Int64

        package init(table: Int, id: Int64) {
            self.table = table
            self.id = id
        }
    }

    package var rows: [Row] = []
    package var memberships: [Membership] = []
    package var deletions: [Key] = []
    /// Whether the values come from the server, or were confirmed by it: then they are not unsent.
    package var isConfirmed = false

    package init() {}

    /// Leaves the properties of a row out.
    mutating func remove(_ properties: Set<Int>, of key: Key) {
        for index in rows.indices where rows[index].table == key.table && rows[index].id == key.id {
            for property in properties { rows[index].values[property] = nil }
        }
    }

    package var isEmpty: Bool { rows.isEmpty && memberships.isEmpty && deletions.isEmpty }
}
