import Foundation

// Pending links lead to identities without a row. They are kept until an import, a save or a reply gives a row the
// identity. Lists get such members together, at the end of the transaction. Broken links, to deleted rows, are cleared
// here, too.

extension Writer {
    /// The text that identifies a row in pending links: the value of an identity with one attribute, else the joined
    /// texts of its parts, where that of a link is its target's key.
    ///
    /// - Returns: nil if a part is missing.
    func pendingKey(of record: RecordID) throws -> String? {
        let model = schema[record.table]
        guard !model.identity.isEmpty else { return nil }
        let identity = try statements[record.table].values(of: model.identityColumns, in: record.row)
        return try identity.flatMap { try pendingKey(ofIdentity: $0, of: model) }
    }

    func pendingKey(ofIdentity identity: [StoredValue], of model: ModelSchema) throws -> String? {
        var parts: [String] = []
        for (property, value) in zip(model.identity, identity) {
            guard let part = try pendingKeyPart(value, of: model[property]) else { return nil }
            parts.append(part)
        }
        return Self.pendingKey(parts, of: model)
    }

    static func pendingKey(of record: RecordID, in statements: Statements) throws -> String? {
        let model = statements[record.table].model
        var parts: [String] = []
        for index in model.identity {
            guard let column = model.column(of: index) else { return nil }
            let value = try statements[record.table].value(of: column, in: record.row)
            guard let part = try pendingKeyPart(value, of: model[index], in: statements) else { return nil }
            parts.append(part)
        }
        return pendingKey(parts, of: model)
    }

    /// The text of a link is its target's key at the server.
    func pendingKeyPart(_ value: StoredValue, of property: Property) throws -> String? {
        if value.isNull { return nil }
        guard let row = value.row, let link = property.link else { return Self.pendingText(value) }
        return try knownKey(of: RecordID(table: link.target, row: row))
    }

    private static func pendingKeyPart(
        _ value: StoredValue, of property: Property, in statements: Statements
    ) throws -> String? {
        if value.isNull { return nil }
        guard let row = value.row, let link = property.link else { return pendingText(value) }
        return try pendingKey(of: RecordID(table: link.target, row: row), in: statements)
    }

    static func pendingKey(_ parts: [String], of model: ModelSchema) -> String {
        if parts.count == 1, model[model.identity[0]].link == nil { return parts[0] }
        let escaped = parts.map { part in
            part.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
                .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "\\/")
        }
        return escaped.joined(separator: "/")
    }

    static func parts(ofPendingKey key: String, of model: ModelSchema) -> [String] {
        if model.identity.count == 1, model[model.identity[0]].link == nil { return [key] }
        var parts = [""]
        var isEscaped = false
        for scalar in key.unicodeScalars {
            switch (scalar, isEscaped) {
            case ("\\", false): isEscaped = true
            case ("/", false): parts.append("")
            default:
                parts[parts.count - 1].unicodeScalars.append(scalar)
                isEscaped = false
            }
        }
        return parts
    }

    static func value(ofPendingText text: String, as type: ColumnType) -> StoredValue? {
        switch type {
        case .integer: Int64(text).map(StoredValue.integer)
        case .real: Double(text).map(StoredValue.real)
        case .text: .text(text)
        case .blob: Data(base64Encoded: text).map { .blob(Array($0)) }
        }
    }

    static func pendingText(_ value: StoredValue) -> String {
        switch value {
        case .integer(let value): String(value)
        case .text(let text): text
        // -0.0 equals 0.0 in SQL.
        case .real(let value): String(value == 0 ? 0 : value)
        case .blob(let bytes): Base64.text(bytes, .standard)
        case .null: ""
        }
    }

    /// The row that has the identity at the server. Nil: the file lacks it.
    func row(withPendingKey key: String, of model: ModelSchema) throws -> RowID? {
        let parts = Self.parts(ofPendingKey: key, of: model)
        guard parts.count == model.identity.count else { return nil }
        var identity: [StoredValue] = []
        for (index, part) in zip(model.identity, parts) {
            if let link = model[index].link {
                guard let target = try row(withPendingKey: part, of: schema[link.target]) else { return nil }
                identity.append(StoredValue(target))
            } else {
                guard let type = model.column(of: index)?.type, let value = Self.value(ofPendingText: part, as: type)
                else { return nil }
                identity.append(value)
            }
        }
        return try row(knownBy: identity, in: model.table)
    }

    func remember(_ link: PendingLink) throws {
        try statements.insert(link)
        pendingTargets.insert(link.target)
        pendingSources.insert(link.source.table)
    }

    /// Sets the pending links to a row that has just got this identity. Lists get it at the end of the transaction
    /// (``placeResolvedMembers(_:)``).
    ///
    /// - Parameter isObsolete: whether the row's own, newer side of the relationship contradicts a pending link.
    /// - Returns: whether contradicting one-to-one links were cleared.
    @discardableResult
    func resolvePendingLinks(
        to target: RecordID, key: String, unless isObsolete: (PendingLink) throws -> Bool = { _ in false },
        _ progress: inout WriteProgress
    ) throws -> Bool {
        let links = try statements.pendingLinks(to: target.table, key: key)
        guard !links.isEmpty else { return false }
        try statements.deletePendingLinks(to: target.table, key: key)
        var hasCleared = false
        for link in links {
            guard try !isObsolete(link) else {
                // A stored answer named this member, which the list lacks now, so the answer becomes invalid.
                noteOwner(ListOwner(link.property, of: link.source), &progress.changes)
                continue
            }
            if try make(link, to: target.row, &progress) { hasCleared = true }
        }
        return hasCleared
    }

    /// - Returns: whether contradicting one-to-one links were cleared.
    private func make(_ link: PendingLink, to target: RowID, _ progress: inout WriteProgress) throws -> Bool {
        let (source, model) = (link.source, schema[link.source.table])
        if let column = model.column(of: link.property) {
            guard try !isPartnerUnsent(of: column, in: (source.table, source.row), target) else { return false }
            let isMade = try statements[source.table].fill(column, with: target, in: source.row)
            noteLinks([column], of: model, &progress.changes)
            progress.changes.noteUpdate(of: source)
            return try isMade && keepOneToOne(column, of: source, to: target, &progress).hasCleared
        }
        let owner = ListOwner(link.property, of: source)
        progress.resolvedMembers[owner, default: []].append(
            ResolvedMember(row: target, key: link.key, position: link.position ?? .max))
        return false
    }

    func settlePendingLinks(
        of row: WriteBatch.Row, writtenTo record: RecordID, isInsert: Bool, _ progress: inout WriteProgress
    ) throws {
        let model = schema[record.table]
        if pendingSources.contains(record.table) {
            for property in row.values.keys where row.isEdited(property) && model[property].link != nil {
                try statements.deletePendingLinks(of: record, by: property)
            }
        }
        guard pendingTargets.contains(record.table),
            isInsert || model.identity.contains(where: { row.values[$0] != nil }),
            let key = try pendingKey(of: record)
        else { return }
        try resolvePendingLinks(to: record, key: key, &progress)
    }

    // MARK: Pending members of lists

    /// Removes the pending members of a list that is now known whole.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    func forgetWaiting(for owner: ListOwner, _ progress: inout WriteProgress) throws -> Bool {
        let hasResolved =
            !progress.resolvedMembers.isEmpty && progress.resolvedMembers.removeValue(forKey: owner) != nil
        guard pendingSources.contains(owner.record.table) else { return hasResolved }
        return try statements.deletePendingLinks(of: owner.record, by: owner.property) || hasResolved
    }

    /// Removes all pending members of a whole list that was saved or acknowledged, or the dismissed ones of an edited
    /// list.
    func settleWaiting(for membership: WriteBatch.Membership, _ progress: inout WriteProgress) throws {
        let owner = membership.owner
        guard membership.toggles != nil else {
            try forgetWaiting(for: owner, &progress)
            return
        }
        guard !membership.dismissed.isEmpty else { return }
        progress.resolvedMembers[owner]?.removeAll { membership.dismissed.contains($0.key) }
        guard pendingSources.contains(owner.record.table) else { return }
        for key in membership.dismissed {
            try statements.deletePendingLink(of: owner.record, by: owner.property, key: key)
        }
    }

    /// The members of an edited list, without those that it has dismissed by identity and that have got a row since.
    func withoutResolved(_ members: [RowID], of membership: WriteBatch.Membership, in list: List) throws -> [RowID] {
        guard !membership.dismissed.isEmpty, case .join = list.storage else { return members }
        let wanted = Set(membership.members)
        return try members.filter { row in
            if wanted.contains(row) { return true }
            let key = try knownKey(of: RecordID(table: list.target, row: row))
            return !(key.map(membership.dismissed.contains) ?? false)
        }
    }

    /// The members of an acknowledged list, with those that were sent by identity and have got a row since.
    func withResolved(_ members: [RowID], of membership: WriteBatch.Membership, in list: List) throws -> [RowID] {
        guard !membership.waiting.isEmpty else { return members }
        let (known, current) = (Set(members), try statements.members(of: list, owner: membership.owner.record.row))
        let resolved = try current.filter { row in
            guard !known.contains(row) else { return false }
            return try knownKey(of: RecordID(table: list.target, row: row)).map(membership.waiting.contains) ?? false
        }
        return members.with(Set(resolved), placedAsIn: current)
    }

    /// Adds members that have got a row in this transaction to their lists.
    func placeResolvedMembers(_ progress: inout WriteProgress) throws {
        guard !progress.resolvedMembers.isEmpty else { return }
        let resolvedMembers = progress.resolvedMembers.sorted { left, right in
            let (left, right) = (left.key, right.key)
            return (left.record.table, left.record.row, left.property)
                < (right.record.table, right.record.row, right.property)
        }
        progress.resolvedMembers = [:]
        for (owner, members) in resolvedMembers {
            try place(members, in: ListOwner(owner.property, of: survivor(of: owner.record)), &progress)
        }
    }

    private func place(
        _ resolved: [ResolvedMember], in owner: ListOwner, _ progress: inout WriteProgress
    ) throws {
        guard let list = schema[owner.record.table][owner.property].list else { return }
        let old = try statements.members(of: list, owner: owner.record.row)
        let resolved = withoutDenied(resolved, among: old, of: owner, in: list, &progress).map { resolvedMember in
            ResolvedMember(
                row: survivor(of: resolvedMember.row, in: list.target), key: resolvedMember.key,
                position: resolvedMember.position)
        }
        let rows = Set(resolved.map(\.row))
        let order = ResolvedOrder(
            resolved: resolved, present: old.filter { !rows.contains($0) },
            waiting: list.options.merges == true
                ? [] : try statements.pendingPositions(of: owner.record, by: owner.property))
        let members = try keepingUnsent(
            order.members(isMerged: list.options.merges == true), over: old, in: list, of: owner.record)
        guard members != old else { return }
        try write(WriteBatch.Membership(members, of: owner), &progress)
        progress.changes.noteUpdate(of: owner.record)
    }

    /// Leaves out members if the same body has their own whole list without the owner.
    private func withoutDenied(
        _ resolved: [ResolvedMember], among members: [RowID], of owner: ListOwner, in list: List,
        _ progress: inout WriteProgress
    ) -> [ResolvedMember] {
        guard !progress.receivedLists.isEmpty, case .join = list.storage, let inverse = list.inverse else {
            return resolved
        }
        // A member whose own list has the owner is in this list by now.
        let linked = Set(members)
        let kept = resolved.filter { resolvedMember in
            let other = ListOwner(inverse, of: RecordID(table: list.target, row: resolvedMember.row))
            return linked.contains(resolvedMember.row) || !progress.receivedLists.contains(other)
        }
        // A stored answer named these members, and the list lacks them from now on. So the answer becomes invalid.
        if kept.count < resolved.count { noteOwner(owner, &progress.changes) }
        return kept
    }

    // MARK: Broken links

    func clearBrokenLinks(of batch: WriteBatch) throws {
        // Many links may lead to one row.
        var present: Set<RecordID> = []
        for row in batch.rows {
            let model = schema[row.record.table]
            guard model.hasLinks else { continue }
            for (property, value) in row.values {
                guard let table = model.linkTarget(of: property), let referenced = value.row,
                    case let target = RecordID(table: table, row: referenced), !present.contains(target),
                    let column = model.column(of: property)
                else { continue }
                if try statements[table].contains(target.row) {
                    present.insert(target)
                } else {
                    try statements[row.record.table].clear(column, in: row.record.row)
                }
            }
        }
        for membership in batch.memberships { try clearBrokenLinks(of: membership) }
    }

    private func clearBrokenLinks(of membership: WriteBatch.Membership) throws {
        let (owner, property) = (membership.owner.record, membership.owner.property)
        guard let list = schema[owner.table][property].list else { return }
        let hasOwner = try statements[owner.table].contains(owner.row)
        switch list.storage {
        case .column(let property, _, _):
            guard !hasOwner, let column = schema[list.target].column(of: property) else { return }
            try statements[list.target].clear(column, referencing: owner.row)
        case .join where hasOwner: try statements.removeBrokenMembers(of: list, owner: owner.row)
        case .join: try statements.removeMembers(of: list, owner: owner.row)
        }
    }
}

/// A member of a list that has got its row after the list was fetched.
struct ResolvedMember {
    let row: RowID
    let key: String
    /// The position in the whole list.
    let position: Int
}

/// The order of a list's present members and those that have just got a row. A present member takes the next position
/// that is free of new and pending members.
private struct ResolvedOrder {
    let resolved: [ResolvedMember]
    let present: [RowID]
    let waiting: Set<Int>

    init(resolved: [ResolvedMember], present: [RowID], waiting: [Int]) {
        self.resolved = resolved.sorted { ($0.position, $0.row) < ($1.position, $1.row) }
        self.present = present
        self.waiting = Set(waiting)
    }

    /// - Parameter isMerged: whether new members come last.
    func members(isMerged: Bool) -> [RowID] {
        var members: [RowID] = []
        var next = resolved.startIndex
        var position = 0
        for row in isMerged ? [] : present {
            while true {
                if next < resolved.endIndex, resolved[next].position <= position {
                    position = max(position, resolved[next].position + 1)
                    members.append(resolved[next].row)
                    next += 1
                } else if waiting.contains(position) {
                    position += 1
                } else {
                    break
                }
            }
            members.append(row)
            position += 1
        }
        if isMerged { members = present }
        var seen = Set(members)
        for member in resolved[next...] where seen.insert(member.row).inserted { members.append(member.row) }
        return members
    }
}
