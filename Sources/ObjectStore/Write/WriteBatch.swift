/// What one `save` writes, as values that may travel to the writer.
package struct WriteBatch: Sendable {
    /// The values of a row, by property; a link is the target's row.
    package struct Row: Sendable {
        package internal(set) var record: RecordID
        package var values: PropertyMap<StoredValue>
        package internal(set) var isInsert: Bool
        /// The edits that the values are, when others are defaults; `nil` when all of them were set, at no known time.
        package fileprivate(set) var edited: EditMap?
        /// Of links that are set to nil because their object left a list: the list's owner. A link that leads elsewhere
        /// by now stays.
        package var leaving: PropertyMap<RowID> = [:]
        /// Of an embedded object: what its properties were before they were edited.
        package var former: PropertyMap<StoredValue> = [:]
        /// Whether a newer edit of what it is embedded in is stored: only what that has left alone is written then.
        fileprivate(set) var isBesideNewer = false

        package init(
            _ record: RecordID, values: PropertyMap<StoredValue>, isInsert: Bool,
            edited: EditMap? = nil
        ) {
            self.record = record
            self.values = values
            self.isInsert = isInsert
            self.edited = edited
        }
    }

    /// A list's members in their order.
    package struct Membership: Sendable {
        package internal(set) var owner: ListOwner
        package internal(set) var members: [RowID]
        /// The members that were in the file when the list was edited: what others have added or removed since stays
        /// so. `nil` for a list that is the whole membership.
        package internal(set) var base: [RowID]?
        /// The edit that the list is; `nil` for one that is not an edit.
        package let stamp: ChangeStamp?
        /// The first of the edits since the base, each of which was made upon the one before.
        package let origin: ChangeStamp?
        /// By their keys (``Writer/pendingKey(of:)``): the members that waited for their rows when an edit left none of
        /// what the list had, and are taken out by it.
        var dismissed: Set<String> = []
        /// Of a list that was sent, by their keys: the members that went out by their identities alone, as they waited.
        package var waiting: Set<String> = []
        /// The members that were added or taken out while nobody knew what the server has of them.
        var decided: Set<RowID> = []
        /// Whether it is all of a list of which nobody had said what it is.
        var isAssigned = false
        /// Whether members were moved, or inserted before others.
        var isOrdered = false
        /// Whether the server has taken it: then it does not wait to be sent.
        var isTaken = false
        /// Of what the server has said or done: whether it has a member of the list more than once.
        package var isRepeated = false
        /// Of one that only says what has become of its one member, whoever the others are by then.
        var change: Change?
        /// Of such a one: the edits that were made before the server was asked, which give way to it.
        var taken: Set<ChangeStamp> = []

        /// What the server has done with one member of a list.
        package enum Change: Sendable { case joins, leaves }

        /// Whether it says what edits added and removed.
        var isDifference: Bool { origin != nil && base != nil }

        package init(
            _ members: [RowID], of owner: ListOwner, base: [RowID]? = nil, stamp: ChangeStamp? = nil,
            origin: ChangeStamp? = nil
        ) {
            self.owner = owner
            self.members = members
            self.base = base
            self.stamp = stamp
            self.origin = origin
        }

        /// That the server has made a row a member of a list, after the others, or taken it out.
        ///
        /// - Parameters:
        ///   - stamp: when it was asked to.
        ///   - edits: those that were made before, which give way to it.
        package init(
            _ member: RowID, _ change: Change, of owner: ListOwner, askedAt stamp: ChangeStamp,
            taking edits: Set<ChangeStamp>
        ) {
            self.init([member], of: owner, base: [], stamp: stamp)
            (self.change, taken) = (change, edits)
        }
    }

    /// Edits of a row that the server has taken. Only those are confirmed: what was set since, here or elsewhere, is
    /// not.
    package struct Confirmation: Sendable {
        package let record: RecordID
        /// The names of the properties that went out.
        package let properties: [String]
        /// The edits that went out with them, saved or not.
        package let edits: Set<ChangeStamp>
        /// The values in the request, as far as they can be compared with stored values.
        package let values: [PropertyIndex: StoredValue]
        /// Of the lists that went out: the members, in their order.
        let lists: [PropertyIndex: [RowID]]
        /// Whether a link went out alone: of what else was ever sent of the row nobody knows more now.
        package let isLink: Bool
        /// The owner whose list the row was taken out of: that says nothing of where else the server has it.
        let left: RowID?

        package init(
            of record: RecordID, properties: [String], edits: Set<ChangeStamp>,
            values: [PropertyIndex: StoredValue] = [:], lists: [PropertyIndex: [RowID]] = [:], isLink: Bool = false,
            left: RowID? = nil
        ) {
            self.record = record
            self.properties = properties
            self.edits = edits
            self.values = values
            self.lists = lists
            self.isLink = isLink
            self.left = left
        }
    }

    package var rows: [Row] = []
    package var memberships: [Membership] = []
    package var deletions: [RecordID] = []
    /// Of a sent object: by embedded object, the object's own property that it is in.
    package var embedding: [RecordID: PropertyIndex] = [:]
    /// Whether the values come from the server, or were confirmed by it: then they are not unsent.
    package var isConfirmed = false
    /// Whether what is deleted, or loses its owner, is what an answer has left out: of that, what waits to be sent
    /// stays, and what is newer.
    package var isPruning = false
    /// Of what is deleted so: what stays all the same, with all that would take it along.
    var kept: Set<RecordID> = []
    /// When the question was asked that the batch answers: what has happened here since stays.
    package var asked: ChangeStamp?

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

    /// Leaves a row out, with its lists.
    package mutating func remove(_ record: RecordID) {
        rows.removeAll { $0.record == record }
        memberships.removeAll { $0.owner.record == record }
    }

    /// Leaves properties of a row out, with the embedded objects that they have got. What an edited list of others adds
    /// and removes stays: it holds beside a newer edit of the list. So does what was edited within an embedded object.
    mutating func remove(_ properties: Set<PropertyIndex>, of record: RecordID, in schema: Schema) {
        for index in rows.indices where rows[index].record == record {
            for property in properties { rows[index].values[property] = nil }
        }
        memberships.removeAll { membership in
            guard membership.owner.record == record, properties.contains(membership.owner.property) else {
                return false
            }
            let isEmbedded =
                schema[record.table][membership.owner.property].target.map { schema[$0].isEmbedded } ?? true
            return !membership.isDifference || isEmbedded
        }
        let embedded = Set(embedding.filter { properties.contains($0.value) }.keys)
        guard !embedded.isEmpty else { return }
        rows.removeAll { $0.isInsert && embedded.contains($0.record) }
        for index in rows.indices where embedded.contains(rows[index].record) { rows[index].isBesideNewer = true }
        memberships.removeAll { embedded.contains($0.owner.record) }
    }

    /// The same once the server has taken some of the values: those are no edits any more.
    package func confirming(_ taken: [RecordID: Set<PropertyIndex>]) -> WriteBatch {
        guard !taken.isEmpty else { return self }
        var batch = self
        for index in rows.indices {
            guard let properties = taken[rows[index].record] else { continue }
            batch.rows[index].edited = rows[index].edited?.filter { !properties.contains($0.key) }
        }
        for index in memberships.indices {
            let owner = memberships[index].owner
            if taken[owner.record]?.contains(owner.property) == true { batch.memberships[index].isTaken = true }
        }
        return batch
    }

    /// Leaves members out of lists.
    ///
    /// - Parameter isElsewhere: whether a row is to be left out of a list.
    package mutating func leaveOut(_ isElsewhere: (RowID, ListOwner) -> Bool) {
        for index in memberships.indices where memberships[index].change == nil {
            let owner = memberships[index].owner
            memberships[index].members.removeAll { isElsewhere($0, owner) }
        }
    }

    package var isEmpty: Bool { rows.isEmpty && memberships.isEmpty && deletions.isEmpty }
}
