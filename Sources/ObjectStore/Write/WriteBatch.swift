/// The changes of one save or reply.
package struct WriteBatch: Sendable {
    /// A row's values by property. A link is the target's row.
    package struct Row: Sendable {
        package internal(set) var record: RecordID
        package var values: PropertyMap<StoredValue>
        package internal(set) var isInsert: Bool
        /// The edited values. The others are defaults. Nil: all are edits, made at an unknown time.
        package fileprivate(set) var edited: EditMap?
        /// The owners of lists that the object left, so that a link became nil. A link that leads elsewhere by now
        /// stays.
        package var leaving: PropertyMap<RowID> = [:]
        /// The file's values of an embedded object's edited properties.
        package var former: PropertyMap<StoredValue> = [:]
        /// Whether the file has a newer edit of the owner's property, which stays.
        fileprivate(set) var hasNewerOwnerEdit = false

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

    package struct Membership: Sendable {
        package internal(set) var owner: ListOwner
        package internal(set) var members: [RowID]
        /// Added and removed members, with the time of the last change. Others stay as in the file. Nil: the list is
        /// the whole membership.
        package internal(set) var toggles: [RowID: ChangeStamp]?
        /// Nil: the list isn't an edit.
        package let stamp: ChangeStamp?
        /// Keys (``Writer/pendingKey(of:)``) of removed members without a row.
        var dismissed: Set<String> = []
        /// Of a sent list: keys of members without a row, sent by their identities.
        package var waiting: Set<String> = []
        /// Whether it assigns all members of a list that was never fetched.
        var isAssigned = false
        /// Whether members were moved, or inserted before others.
        var isOrdered = false
        /// Whether the server has accepted it.
        var isTaken = false
        /// Whether the server repeats a member.
        package var isRepeated = false
        /// The acknowledged change of the only member. Nil: the list has all members.
        var change: Change?
        var taken: Set<ChangeStamp> = []

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

        /// The server has appended or removed a member.
        ///
        /// - Parameters:
        ///   - stamp: when the request was sent.
        ///   - edits: older ones, which this replaces.
        package init(
            _ member: RowID, _ change: Change, of owner: ListOwner, requestedAt stamp: ChangeStamp,
            taking edits: Set<ChangeStamp>
        ) {
            self.init([member], of: owner, toggling: [member: stamp], stamp: stamp)
            (self.change, taken) = (change, edits)
        }
    }

    /// Edits of a row that the server has acknowledged. Later ones stay pending.
    package struct Confirmation: Sendable {
        package let record: RecordID
        package let properties: [String]
        /// The edits that were sent, saved or not.
        package let edits: Set<ChangeStamp>
        /// The values in the request that can be compared with stored values.
        package let values: [PropertyIndex: StoredValue]
        let lists: [PropertyIndex: [RowID]]
        /// Whether only a link was sent. Earlier requests about the row may have an unknown outcome.
        package let isLink: Bool
        /// The row was removed from this owner's list, and may be in another's at the server.
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

        /// Keeps only edits that were in the request.
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
    /// Of a sent object: its embedded objects, with the property of each.
    package var embedding: [RecordID: PropertyIndex] = [:]
    /// Whether the values are the server's, and so not pending.
    package var isConfirmed = false
    /// Whether a reply omits the deleted objects. They stay if they are newer, or have pending edits.
    package var isPruning = false
    /// Objects with unsaved edits stay, with all whose deletion would delete them.
    var kept: Set<RecordID> = []
    /// When the reply was requested. Later changes stay.
    package var requestTime: ChangeStamp?
    package var outbox: [OutboxChange] = []
    /// Validators of rows by this reply. Nil removes the former one.
    package var validators: [RecordID: String?] = [:]

    package init() {}

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

    package static func changingOutbox(_ changes: [OutboxChange]) -> WriteBatch {
        var batch = WriteBatch.confirmed()
        batch.outbox = changes
        return batch
    }

    package static func settingValidator(_ validator: String?, of record: RecordID) -> WriteBatch {
        var batch = WriteBatch.confirmed()
        batch.validators = [record: validator]
        return batch
    }

    package mutating func remove(_ record: RecordID) {
        rows.removeAll { $0.record == record }
        memberships.removeAll { $0.owner.record == record }
    }

    /// Removes properties, with their new embedded objects. Changes of single members, and edits within embedded
    /// objects, stay beneath a newer edit.
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
        for index in rows.indices where embedded.contains(rows[index].record) { rows[index].hasNewerOwnerEdit = true }
        memberships.removeAll { embedded.contains($0.owner.record) }
    }

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
