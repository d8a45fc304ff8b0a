/// The changes that one save or reply writes, as values that can be sent to the writer.
package struct WriteBatch: Sendable {
    /// The values of a row by property. A link is the target's row.
    package struct Row: Sendable {
        package internal(set) var record: RecordID
        package var values: PropertyMap<StoredValue>
        package internal(set) var isInsert: Bool
        /// The values that are edits; the others are defaults. Nil: all are edits, made at an unknown time.
        package fileprivate(set) var edited: EditMap?
        /// The owners of lists that the object was removed from, by the links that are set to nil for that. A link that
        /// leads elsewhere by now stays.
        package var leaving: PropertyMap<RowID> = [:]
        /// Of an embedded object: the values before they were edited.
        package var former: PropertyMap<StoredValue> = [:]
        /// Whether a newer edit of the owner's property is stored. Then only values that it hasn't changed are written.
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
        /// The members that were added or removed, with the time of the last change. Others may have added or removed
        /// further members, which stays so. Nil: the list is the whole membership.
        package internal(set) var toggles: [RowID: ChangeStamp]?
        /// The stamp of the edit. Nil: the list is no edit.
        package let stamp: ChangeStamp?
        /// The keys (``Writer/pendingKey(of:)``) of removed members that have no rows.
        var dismissed: Set<String> = []
        /// Of a list that was sent: the keys of the members without rows, which were sent by their identities.
        package var waiting: Set<String> = []
        /// Whether it is the whole of a list that was never fetched.
        var isAssigned = false
        /// Whether members were moved, or inserted before others.
        var isOrdered = false
        /// Whether the server has accepted it, so that it isn't pending.
        var isTaken = false
        /// Of a list of the server's: whether it has a member more than once.
        package var isRepeated = false
        /// The change of its only member. Nil: it has all members.
        var change: Change?
        /// Of such a change: the older edits, which it replaces.
        var taken: Set<ChangeStamp> = []

        /// A change of one member by the server.
        package enum Change: Sendable { case joins, leaves }

        /// Whether it is an edit of single members.
        var isDifference: Bool { toggles != nil && stamp != nil && change == nil }

        package init(
            _ members: [RowID], of owner: ListOwner, toggling toggles: [RowID: ChangeStamp]? = nil,
            stamp: ChangeStamp? = nil
        ) {
            self.owner = owner
            self.members = members
            self.toggles = toggles
            self.stamp = stamp
        }

        /// The server has added a member behind the others, or removed it.
        ///
        /// - Parameters:
        ///   - stamp: when the request was sent.
        ///   - edits: the older edits, which this replaces.
        package init(
            _ member: RowID, _ change: Change, of owner: ListOwner, askedAt stamp: ChangeStamp,
            taking edits: Set<ChangeStamp>
        ) {
            self.init([member], of: owner, toggling: [member: stamp], stamp: stamp)
            (self.change, taken) = (change, edits)
        }
    }

    /// The edits of a row that the server has acknowledged. Later edits, of any context, are not among them.
    package struct Confirmation: Sendable {
        package let record: RecordID
        /// The names of the properties that were sent.
        package let properties: [String]
        /// The edits that were sent, saved or not.
        package let edits: Set<ChangeStamp>
        /// The values in the request, as far as they can be compared with stored values.
        package let values: [PropertyIndex: StoredValue]
        /// The lists that were sent: their members, in their order.
        let lists: [PropertyIndex: [RowID]]
        /// Whether only a link was sent. Earlier requests about the row may still have an unknown outcome.
        package let isLink: Bool
        /// The owner from whose list the row was removed. It may be in another owner's list at the server.
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

        /// The same with some of the edits only: the values of the others were not in the request.
        package func acknowledging(_ edits: Set<ChangeStamp>) -> Confirmation {
            guard !self.edits.isSubset(of: edits) else { return self }
            return Confirmation(
                of: record, properties: properties, edits: self.edits.intersection(edits), lists: lists, isLink: isLink,
                left: left)
        }
    }

    package var rows: [Row] = []
    package var memberships: [Membership] = []
    package var deletions: [RecordID] = []
    /// Of a sent object: its embedded objects, with the property that each is in.
    package var embedding: [RecordID: PropertyIndex] = [:]
    /// Whether the values come from the server, or were acknowledged, so that they are not pending.
    package var isConfirmed = false
    /// Whether the deletions are objects that a reply has left out. Objects that are newer, or have pending edits,
    /// stay.
    package var isPruning = false
    /// Of these: objects that stay in any case, with all whose deletion would delete them.
    var kept: Set<RecordID> = []
    /// The time of the request whose reply the batch is. Later changes stay.
    package var asked: ChangeStamp?
    /// The changes of the outbox, which are written with the batch.
    package var outbox: [OutboxChange] = []
    /// The validators of rows as of this reply. Nil ends the former one: the server has a version without a known one.
    package var validators: [RecordID: String?] = [:]

    package init() {}

    /// Changes by the server.
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

    /// Changes of the outbox alone.
    package static func changingOutbox(_ changes: [OutboxChange]) -> WriteBatch {
        var batch = WriteBatch.confirmed()
        batch.outbox = changes
        return batch
    }

    /// The validator of a row alone.
    package static func settingValidator(_ validator: String?, of record: RecordID) -> WriteBatch {
        var batch = WriteBatch.confirmed()
        batch.validators = [record: validator]
        return batch
    }

    /// Removes a row and its lists from the batch.
    package mutating func remove(_ record: RecordID) {
        rows.removeAll { $0.record == record }
        memberships.removeAll { $0.owner.record == record }
    }

    /// Removes properties of a row from the batch, with new embedded objects in them. The additions and removals of an
    /// edited list stay, since they hold beside a newer edit. So do edits within embedded objects.
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

    /// Returns the batch after the server has accepted some of the values, which are edits no longer.
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

    /// Removes members from lists.
    ///
    /// - Parameter isElsewhere: whether a row is to be left out of a list.
    package mutating func leaveOut(_ isElsewhere: (RowID, ListOwner) -> Bool) {
        for index in memberships.indices where memberships[index].change == nil {
            let owner = memberships[index].owner
            memberships[index].members.removeAll { isElsewhere($0, owner) }
        }
    }

    package var isEmpty: Bool {
        rows.isEmpty && memberships.isEmpty && deletions.isEmpty && outbox.isEmpty && validators.isEmpty
    }
}
