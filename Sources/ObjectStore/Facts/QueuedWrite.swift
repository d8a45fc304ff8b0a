import Foundation

/// A write that waits in the table `_outbox` until the server has accepted it.
///
/// It names the rows and the action. The values are in the rows, so the URL and body have the newest ones when the
/// request is sent.
package struct QueuedWrite: Sendable, Hashable {
    package enum Action: Int64, Sendable {
        /// Creates the object, or sends its edits.
        case save
        /// Deletes the object, whose row is already deleted.
        case delete
        /// Makes an object a member of a list.
        case add
        /// Removes a member from a list.
        case remove
    }

    /// The order of entries: a new entry has the greatest number.
    package let number: Int64
    package let subject: QueuedSubject
    package let action: Action
    /// The account that made the change. Empty for none.
    package let account: String
    /// When the change was queued, in seconds since 1970.
    package let since: Double
    /// The reason why the server has rejected it, as JSON. Nil: it waits.
    package let rejection: String?
    /// The first request of the object's creation, as JSON, while its outcome may be unknown. A deletion keeps that of
    /// the deleted object.
    package let sent: String?
    /// Of a deletion: the deleted rows.
    package let rows: DeletedRows?
    /// How often it was queued again.
    package let edition: Int64
}

extension QueuedWrite {
    /// Distinguishes an entry from one that has replaced it, or was queued again.
    package struct Version: Sendable, Hashable {
        let number: Int64
        let edition: Int64
    }

    package var version: Version { Version(number: number, edition: edition) }

    package struct Key: Sendable, Hashable {
        package let number: Int64
        package let subject: QueuedSubject
    }

    package var key: Key { Key(number: number, subject: subject) }
}

/// The number of all queued writes, and of rejected ones.
package struct QueuedWriteCounts: Sendable, Equatable {
    package var all = 0
    package var rejected = 0
}

/// The object or membership that a queued write changes.
package struct QueuedSubject: Sendable, Hashable {
    /// The object, or the owner of a list.
    package var record: RecordID
    /// The list and the member that joins or leaves it. Nil for the object itself.
    package var membership: Membership?

    package struct Membership: Sendable, Hashable {
        package let property: PropertyIndex
        package var member: RowID

        package init(_ member: RowID, in property: PropertyIndex) { (self.member, self.property) = (member, property) }
    }

    package init(_ record: RecordID, _ membership: Membership? = nil) {
        (self.record, self.membership) = (record, membership)
    }
}

/// A change of the outbox, written in the same transaction as the rows.
package enum OutboxChange: Sendable {
    /// Queues a write. An entry of the same subject is combined with it.
    case queue(QueuedWrite.Action, QueuedSubject, account: String)
    /// The server has accepted this version of it. A save stays queued while its object has newer edits.
    case end(QueuedSubject, QueuedWrite.Version)
    /// There is nothing to send for this version.
    case drop(QueuedSubject, QueuedWrite.Version)
    /// The server has rejected this version of it, for a reason in JSON. An entry that was queued again since waits.
    case reject(QueuedSubject, String, QueuedWrite.Version)
    /// A rejected entry is sent again.
    case retry(QueuedSubject)
    /// It is sent with this body and idempotency key, as JSON. Nil if it has neither.
    case send(QueuedSubject, String?)
    /// This version is cancelled: its edits are taken back, or its deleted rows return.
    case discard(QueuedSubject, QueuedWrite.Version)
    /// These pending edits of the object are taken back. Its entry ends if they were the last ones.
    case takeBack(QueuedSubject, EditSelection)
    /// A queued deletion is sent with this validator from now on. Empty for no condition.
    case revalidate(QueuedSubject, String)
    /// The outcome of all earlier requests about the object is known.
    case settle(QueuedSubject)
    /// A queued deletion is sent to this URL.
    case address(QueuedSubject, DeletedRows.Address)
    /// The object gets these values as edits, except properties with another pending edit.
    case edit(QueuedSubject, PropertyMap<StoredValue>)

    package var subject: QueuedSubject {
        get {
            switch self {
            case .queue(_, let subject, _), .end(let subject, _), .drop(let subject, _), .reject(let subject, _, _),
                .retry(let subject), .send(let subject, _), .discard(let subject, _), .takeBack(let subject, _),
                .edit(let subject, _), .revalidate(let subject, _), .settle(let subject),
                .address(let subject, _):
                subject
            }
        }
        set {
            switch self {
            case .queue(let action, _, let account): self = .queue(action, newValue, account: account)
            case .end(_, let version): self = .end(newValue, version)
            case .drop(_, let version): self = .drop(newValue, version)
            case .reject(_, let reason, let version): self = .reject(newValue, reason, version)
            case .retry: self = .retry(newValue)
            case .send(_, let sent): self = .send(newValue, sent)
            case .discard(_, let version): self = .discard(newValue, version)
            case .takeBack(_, let edits): self = .takeBack(newValue, edits)
            case .edit(_, let values): self = .edit(newValue, values)
            case .revalidate(_, let validator): self = .revalidate(newValue, validator)
            case .settle: self = .settle(newValue)
            case .address(_, let address): self = .address(newValue, address)
            }
        }
    }
}

/// Some of an object's pending edits.
package struct EditSelection: Sendable {
    /// The names of the properties. Nil for all.
    let names: Set<String>?
    /// The edits. Nil for all.
    let stamps: Set<ChangeStamp>?

    package init(names: Set<String>? = nil, stamps: Set<ChangeStamp>? = nil) {
        (self.names, self.stamps) = (names, stamps)
    }

    func contains(_ stamp: ChangeStamp, of name: String) -> Bool {
        names?.contains(name) ?? true && stamps?.contains(stamp) ?? true
    }
}

/// Rows that were deleted locally, but not yet at the server. With the links and memberships that led to them.
package struct DeletedRows: Sendable, Hashable, Codable {
    struct Row: Hashable, Codable {
        var table: String
        var cells: [String: Cell]
    }

    /// A link that led to a deleted row.
    struct LinkCell: Hashable, Codable {
        var table: String
        let row: Int64
        var column: String
        let target: Int64
    }

    /// An entry about a deleted row, which the deletion has replaced.
    struct Write: Hashable, Codable {
        let number: Int64
        var table: String
        let row: Int64
        /// The list of a membership. Empty for the object itself.
        var relationship: String
        let member: Int64
        let action: Int64
        let account: String
        /// The creation's request (``SentBody``). Nil in files of earlier versions.
        var sent: String?

        init(_ write: QueuedWrite, in schema: Schema) {
            let model = schema[write.subject.record.table]
            (number, table, row) = (write.number, model.tableName, write.subject.record.row.rawValue)
            relationship = write.subject.membership.map { model[$0.property].name } ?? ""
            (member, action) = (write.subject.membership?.member.rawValue ?? 0, write.action.rawValue)
            (account, sent) = (write.account, write.sent)
        }

        /// The entry after the outcome of its creation is known.
        var withoutSent: Write {
            var write = self
            write.sent = nil
            return write
        }

        /// The queued change. Nil: its table or list is missing in the current models.
        func change(in schema: Schema) -> (QueuedWrite.Action, QueuedSubject)? {
            guard let model = schema.roots.first(where: { $0.tableName == table }),
                let action = QueuedWrite.Action(rawValue: action)
            else { return nil }
            var subject = QueuedSubject(RecordID(table: model.table, row: RowID(row)))
            guard !relationship.isEmpty else { return (action, subject) }
            guard let property = model.property(named: relationship) else { return nil }
            subject.membership = QueuedSubject.Membership(RowID(member), in: property.index)
            return (action, subject)
        }
    }

    /// A cell of a row, as text that keeps it exactly.
    struct Cell: Hashable, Codable {
        var integer: Int64?
        var real: String?
        var text: String?
        var blob: Data?

        init(_ value: StoredValue) {
            switch value {
            case .null: break
            case .integer(let value): integer = value
            case .real(let value): real = String(value)
            case .text(let value): text = value
            case .blob(let bytes): blob = Data(bytes)
            }
        }

        var value: StoredValue {
            if let integer { return .integer(integer) }
            if let text { return .text(text) }
            if let blob { return .blob(Array(blob)) }
            return real.flatMap(Double.init).map(StoredValue.real) ?? .null
        }
    }

    /// The URL of a deletion that the object has computed.
    package struct Address: Sendable, Hashable, Codable {
        package let text: String
        /// Whether it is a template with names in the place of the object's values.
        package let isTemplate: Bool

        package init(_ text: String, isTemplate: Bool) { (self.text, self.isTemplate) = (text, isTemplate) }
    }

    /// The first is the object. The others were deleted with it.
    var rows: [Row] = []
    var links: Set<LinkCell> = []
    /// Rows of join tables.
    var members: Set<Row> = []
    /// Entries about the rows. Nil in files of earlier versions.
    var writes: Set<Write>?
    /// The key by which imports recognize the object. Nil without an identity.
    package internal(set) var key: String?
    /// The validator of the server's last known version. Nil for none, empty for no condition.
    package internal(set) var validator: String?
    /// The URL of the deletion. Nil for the URL of the model's declaration.
    package internal(set) var address: Address?
    /// Whether the outcome of the object's creation is unknown. Nil in all other cases.
    var undecided: Bool?

    /// Whether the server may lack the object, since the outcome of its creation is unknown. The deletion waits for it.
    package var isUndecided: Bool { undecided == true }

    init() {}

    mutating func renameTable(_ old: String, to new: String) {
        for index in rows.indices where rows[index].table == old { rows[index].table = new }
        links = Set(
            links.map { $0.table == old ? LinkCell(table: new, row: $0.row, column: $0.column, target: $0.target) : $0 }
        )
        members = Set(members.map { $0.table == old ? Row(table: new, cells: $0.cells) : $0 })
        changeWrites { if $0.table == old { $0.table = new } }
    }

    /// Moves memberships to another join table.
    ///
    /// - Parameter isReversed: whether owners and members are exchanged in it.
    mutating func moveMembers(of old: String, to new: String, isReversed: Bool) {
        let ends = [
            "source_id": "target_id", "target_id": "source_id", "position": "inverse_position",
            "inverse_position": "position",
        ]
        members = Set(
            members.map { row in
                guard row.table == old else { return row }
                let cells = row.cells.map { (isReversed ? ends[$0.key] ?? $0.key : $0.key, $0.value) }
                return Row(table: new, cells: Dictionary(cells) { first, _ in first })
            })
    }

    /// - Parameter names: the new names by the old ones.
    mutating func renameRelationships(_ names: [String: String], of table: String) {
        changeWrites { write in
            if write.table == table, let new = names[write.relationship] { write.relationship = new }
        }
    }

    private mutating func changeWrites(_ change: (inout Write) -> Void) {
        writes = writes.map { writes in
            Set(
                writes.map { write in
                    var write = write
                    change(&write)
                    return write
                })
        }
    }

    /// - Parameter names: the new names by the old ones.
    mutating func renameColumns(_ names: [String: String], of table: String) {
        for index in rows.indices where rows[index].table == table {
            let cells = rows[index].cells.map { (names[$0.key] ?? $0.key, $0.value) }
            rows[index].cells = Dictionary(cells) { first, _ in first }
        }
        links = Set(
            links.map { link in
                var link = link
                if link.table == table, let new = names[link.column] { link.column = new }
                return link
            })
    }

    init?(text: String) {
        guard let rows = try? JSONDecoder().decode(DeletedRows.self, from: Data(text.utf8)) else { return nil }
        self = rows
    }

    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Encoding texts, numbers and bytes can't fail.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
