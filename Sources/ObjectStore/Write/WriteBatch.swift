/// What one `save` writes, as values that may travel to the writer.
package struct WriteBatch: Sendable {
    /// The values of a row, by property; a link is the target's row.
    package struct Row: Sendable {
        package let record: RecordID
        package var values: [PropertyIndex: StoredValue]
        package let isInsert: Bool
        /// Those of the values that were set, when others are defaults; `nil` for all.
        package let edited: Set<PropertyIndex>?

        package init(
            _ record: RecordID, values: [PropertyIndex: StoredValue], isInsert: Bool,
            edited: Set<PropertyIndex>? = nil
        ) {
            self.record = record
            self.values = values
            self.isInsert = isInsert
            self.edited = edited
        }
    }

    /// A list's members in their order.
    package struct Membership: Sendable {
        package let owner: ListOwner
        package let members: [RowID]
        /// The members that were in the file when the list was edited: what others have added or removed since stays so.
        /// `nil` for a list that is the whole membership.
        package let base: [RowID]?

        package init(_ members: [RowID], of owner: ListOwner, base: [RowID]? = nil) {
            self.owner = owner
            self.members = members
            self.base = base
        }
    }

    /// Properties of a row that the server has taken.
    package struct Confirmation: Sendable {
        package let record: RecordID
        /// Their names.
        package let properties: [String]
        /// The value that was sent, and what the file said then.
        package let sent: [PropertyIndex: (value: StoredValue, known: StoredValue)]

        package init(
            of record: RecordID, properties: [String],
            sent: [PropertyIndex: (value: StoredValue, known: StoredValue)] = [:]
        ) {
            self.record = record
            self.properties = properties
            self.sent = sent
        }
    }

    package var rows: [Row] = []
    package var memberships: [Membership] = []
    package var deletions: [RecordID] = []
    /// Whether the values come from the server, or were confirmed by it: then they are not unsent.
    package var isConfirmed = false

    package init() {}

    /// What the server has said or done.
    package static func confirmed(
        rows: [Row] = [], memberships: [Membership] = [], deletions: [RecordID] = []
    ) -> WriteBatch {
        var batch = WriteBatch()
        batch.rows = rows
        batch.memberships = memberships
        batch.deletions = deletions
        batch.isConfirmed = true
        return batch
    }

    /// Leaves properties of a row out.
    mutating func remove(_ properties: Set<PropertyIndex>, of record: RecordID) {
        for index in rows.indices where rows[index].record == record {
            for property in properties { rows[index].values[property] = nil }
        }
    }

    package var isEmpty: Bool { rows.isEmpty && memberships.isEmpty && deletions.isEmpty }
}
