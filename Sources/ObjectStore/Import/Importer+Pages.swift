// Pages of a list that are stored one by one, so that each costs what it has, however many members there are.
//
// The first page of a list that is here already has the first of its members, in the server's order: what is new is in
// front, say. They get positions before all others, with room between:
//
//     here         a b c d e             0 1 2 3 4
//     page 1       x y                   −g −g+1 · 0 1 2 3 4
//     page 2       z a                   −g −g+1 −g+2 · 0 1 2 3 4        new, in front of the member that it has reached
//     page 3       b c f                 … 0 1 2 3 4 · 5                 new, after the members

extension Importer {
    /// How many positions are left free for the pages that follow the first.
    private static let gap = 1 << 20

    /// Puts the members on the first page of a list in front of the others.
    mutating func putInFront(_ rows: [RowID], of old: [RowID], in list: List, of owner: ListOwner) throws {
        let statements = writer.statements
        // What the body has linked by itself is a member already, and has no place yet.
        let positions = try rows.map { try statements.position(of: $0, in: list, owner: owner.record.row) }
        if old.starts(with: rows), !positions.contains(nil) { return }
        guard let base = try positionInFront(of: list, owner, count: rows.count) else {
            return try write(merged(old, into: rows), over: old, in: list, of: owner, isNew: false)
        }
        let joined = Array(merged(rows, into: old).dropFirst(old.count))
        try noteOverwrites(by: list, of: owner, joined: joined, isAgain: false)
        for (offset, row) in rows.enumerated() { try place(row, in: list, of: owner, at: base + offset) }
        if base < 0, positions.allSatisfy({ $0 == nil }) { outcome.nextPosition = base + rows.count }
        if !old.starts(with: rows) { noteAdded(rows, to: list, of: owner) }
    }

    /// The position where as many rows fit before all members that have one, and pages that follow after them.
    ///
    /// - Returns: 0 where no member has one, so that they need no other ones once all of the list is here; nil where no
    ///   numbers are left.
    private func positionInFront(of list: List, _ owner: ListOwner, count: Int) throws -> Int? {
        guard let first = try writer.statements.firstPosition(of: list, owner: owner.record.row) else { return 0 }
        let (base, overflows) = min(first, 0).subtractingReportingOverflow(Self.gap + count)
        return overflows ? nil : base
    }

    /// Puts the rows of a page that are no members yet where the page before has led, or after the members.
    ///
    /// - Parameter position: where they go; nil for after the members.
    mutating func add(_ rows: [RowID], at position: Int?, to list: List, of owner: ListOwner) throws {
        let (statements, record) = (writer.statements, owner.record)
        var next = try position ?? statements.positionAfterMembers(of: list, owner: record.row)
        // What was in front of it may have left the list, or got other places with the whole of it.
        if next < 0, try statements.firstPosition(of: list, owner: record.row) ?? 0 >= next {
            next = try statements.positionAfterMembers(of: list, owner: record.row)
        }
        var added: [RowID] = []
        for row in rows {
            if let own = try statements.position(of: row, in: list, owner: record.row) {
                // The pages have come to those that were there before.
                if next < 0, own > next { next = try statements.positionAfterMembers(of: list, owner: record.row) }
                continue
            }
            try place(row, in: list, of: owner, at: next)
            added.append(row)
            next += 1
        }
        outcome.nextPosition = next
        guard !added.isEmpty else { return }
        try writer.notePart(of: owner, isNew: true)
        noteAdded(added, to: list, of: owner)
    }

    private mutating func place(_ row: RowID, in list: List, of owner: ListOwner, at position: Int) throws {
        let isMoved = try writer.statements.place(row, in: list, owner: owner.record.row, at: position)
        if isMoved, case .column = list.storage { progress.changes.tables[list.target].updated.append(row) }
    }

    private mutating func noteAdded(_ rows: [RowID], to list: List, of owner: ListOwner) {
        writer.noteChange(of: list, &progress.changes)
        writer.noteOwner(owner, &progress.changes)
        if writer.hasAnswers { writer.noteOwners(of: list, with: rows, &progress.changes) }
    }
}
