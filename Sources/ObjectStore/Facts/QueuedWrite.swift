import Foundation

/// A write in the table `_outbox` that the server hasn't accepted.
///
/// An entry names rows and the action. The values are in the rows, so the request has the newest ones.
package struct QueuedWrite: Sendable, Hashable {
    package enum Action: Int64, Sendable {
        /// Creates the object, or sends its edits.
        case save
        /// Deletes the object. Its row is deleted already.
        case delete
        /// Makes an object a member of a list.
        case add
        /// Removes a member from a list.
        case remove
    }

    /// A new entry has the greatest number.
    package let number: Int64
    package let subject: QueuedSubject
    package let action: Action
    /// Empty without an account.
    package let account: String
    /// When it was first queued, in seconds since 1970.
    package let since: Double
    /// The server's reason, in JSON. Nil: the entry waits.
    package let rejection: String?
    /// The first request of the object's creation, as JSON, while its outcome may be unknown. A deletion keeps it.
    package let sent: String?
    /// A deletion's rows.
    package let rows: DeletedRows?
    /// How often the entry was queued again.
    package let edition: Int64
}

extension QueuedWrite {
    /// Distinguishes an entry from its replacement, and from the same one queued again.
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

package struct QueuedWriteCounts: Sendable, Equatable {
    package var all = 0
    package var rejected = 0
}

package struct QueuedSubject: Sendable, Hashable {
    /// The object, or the owner of a list.
    package var record: RecordID
    /// Nil for the object itself.
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

/// A change of the outbox, in the transaction of the rows.
package enum OutboxChange: Sendable {
    /// Makes or changes the subject's entry.
    case queue(QueuedWrite.Action, QueuedSubject, account: String)
    /// The server has accepted this version. A save stays queued while its object has newer edits.
    case end(QueuedSubject, QueuedWrite.Version)
    /// Removes this version, which has nothing to send.
    case drop(QueuedSubject, QueuedWrite.Version)
    /// The server has rejected this version, for a reason in JSON. An entry queued again since still waits.
    case reject(QueuedSubject, String, QueuedWrite.Version)
    /// A rejected entry is sent again.
    case retry(QueuedSubject)
    /// The entry's request is sent with this body and idempotency key, as JSON. Nil if it has neither.
    case send(QueuedSubject, String?)
    /// Discards this version's edits, or its deletion.
    case discard(QueuedSubject, QueuedWrite.Version)
    /// Discards these pending edits. The entry ends with the last ones.
    case discardEdits(QueuedSubject, EditSelection)
    /// Sets the deletion's validator. Empty for no condition.
    case revalidate(QueuedSubject, String)
    /// Records that earlier requests about the object have a known outcome.
    case settle(QueuedSubject)
    /// Sets the deletion's URL.
    case address(QueuedSubject, DeletedRows.Address)
    /// Gives the object these edits, except for properties with another pending edit.
    case edit(QueuedSubject, PropertyMap<StoredValue>)

    package var subject: QueuedSubject {
        get {
            switch self {
            case .queue(_, let subject, _), .end(let subject, _), .drop(let subject, _), .reject(let subject, _, _),
                .retry(let subject), .send(let subject, _), .discard(let subject, _), .discardEdits(let subject, _),
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
            case .discardEdits(_, let edits): self = .discardEdits(newValue, edits)
            case .edit(_, let values): self = .edit(newValue, values)
            case .revalidate(_, let validator): self = .revalidate(newValue, validator)
            case .settle: self = .settle(newValue)
            case .address(_, let address): self = .address(newValue, address)
            }
        }
    }
}

/// Some of an object's pending edits, by names and stamps. Nil selects all.
package struct EditSelection: Sendable {
    let names: Set<String>?
    let stamps: Set<ChangeStamp>?

    package init(names: Set<String>? = nil, stamps: Set<ChangeStamp>? = nil) {
        (self.names, self.stamps) = (names, stamps)
    }

    func contains(_ stamp: ChangeStamp, of name: String) -> Bool {
        names?.contains(name) ?? true && stamps?.contains(stamp) ?? true
    }
}

/// Rows that were deleted locally, but not yet at the server, with the links and memberships that led to them.
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

    /// An outbox entry about a deleted row, which the deletion has replaced.
    struct Write: Hashable, Codable {
        let number: Int64
        var table: String
        let row: Int64
        /// The list's name, or empty.
        var relationship: String
        let member: Int64
        let action: Int64
        let account: String
        /// See ``SentBody``. Nil in files of earlier versions.
        var sent: String?

        init(_ write: QueuedWrite, in schema: Schema) {
            let model = schema[write.subject.record.table]
            (number, table, row) = (write.number, model.tableName, write.subject.record.row.rawValue)
            relationship = write.subject.membership.map { model[$0.property].name } ?? ""
            (member, action) = (write.subject.membership?.member.rawValue ?? 0, write.action.rawValue)
            (account, sent) = (write.account, write.sent)
        }

        /// The entry without the creation's request, after its outcome is known.
        var withoutSent: Write {
            var write = self
            write.sent = nil
            return write
        }

        /// Nil: the current models lack its table or list.
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

    /// A ``PairEdit`` of a deleted row's membership.
    struct PairCell: Hashable, Codable {
        var join: String
        var source: Int64
        var target: Int64
        let isMember: Bool
        let base: Bool?
        let stamp: Int64
        var sides: Int64

        init(_ pair: Pair, _ edit: PairEdit) {
            (join, source, target) = (pair.join, pair.source.rawValue, pair.target.rawValue)
            (isMember, base, stamp, sides) = (edit.isMember, edit.base, edit.stamp.rawValue, edit.sides.rawValue)
        }

        var pair: Pair { Pair(join: join, source: RowID(source), target: RowID(target)) }

        var edit: PairEdit {
            PairEdit(isMember: isMember, base: base, stamp: .seen(stamp), sides: PairEdit.Sides(rawValue: sides))
        }

        /// The same edit in a join table with exchanged ends.
        var reversed: PairCell {
            var cell = self
            (cell.source, cell.target) = (target, source)
            cell.sides = (sides & 1) * 2 + (sides & 2) / 2
            return cell
        }
    }

    /// A cell's value, in a form that JSON keeps exactly.
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

    /// A deletion's URL, computed from the live object.
    package struct Address: Sendable, Hashable, Codable {
        package let text: String
        /// Whether names stand in the place of the object's values.
        package let isTemplate: Bool

        package init(_ text: String, isTemplate: Bool) { (self.text, self.isTemplate) = (text, isTemplate) }
    }

    /// The object's row, then those deleted with it.
    var rows: [Row] = []
    var links: Set<LinkCell> = []
    /// Rows of join tables.
    var members: Set<Row> = []
    /// Nil for none, and in files of earlier versions.
    var pairs: Set<PairCell>?
    /// Nil for none, and in files of earlier versions.
    var writes: Set<Write>?
    /// The key by which imports recognize the object. Nil without an identity.
    package internal(set) var key: String?
    /// The validator of the server's last known version. Nil for none, empty for no condition.
    package internal(set) var validator: String?
    /// Nil for the URL of the model's declaration.
    package internal(set) var address: Address?
    /// Nil unless the outcome of the object's creation is unknown.
    var undecided: Bool?

    /// Whether the server may lack the object, as the outcome of its creation is unknown. The deletion waits for it.
    package var isUndecided: Bool { undecided == true }

    init() {}

    mutating func renameTable(_ old: String, to new: String) {
        for index in rows.indices where rows[index].table == old { rows[index].table = new }
        links = Set(
            links.map { $0.table == old ? LinkCell(table: new, row: $0.row, column: $0.column, target: $0.target) : $0 }
        )
        members = Set(members.map { $0.table == old ? Row(table: new, cells: $0.cells) : $0 })
        changePairs(of: old) { $0.join = new }
        changeWrites { if $0.table == old { $0.table = new } }
    }

    /// - Parameter isReversed: whether owners and members are exchanged in the new join table.
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
        changePairs(of: old) { cell in
            if isReversed { cell = cell.reversed }
            cell.join = new
        }
    }

    private mutating func changePairs(of join: String, _ change: (inout PairCell) -> Void) {
        pairs = pairs.map { pairs in
            Set(
                pairs.map { cell in
                    var cell = cell
                    if cell.join == join { change(&cell) }
                    return cell
                })
        }
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
