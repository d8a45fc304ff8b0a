// Stores a list page by page. Each page costs in proportion to its own members.
//
// The first page of a known list has the list's first members in the server's order, often new ones. All of its members
// get positions before the others, with a gap for the following pages:
//
//     file         a b c d e             0 1 2 3 4
//     page 1       x y                   −g −g+1 · 0 1 2 3 4
//     page 2       z a                   −g −g+1 −g+2 · 0 1 2 3 4        z is new and precedes the known member a
//     page 3       b c f                 … 0 1 2 3 4 · 5                 f is new and goes behind all members

extension Importer {
    /// The number of positions for the pages after the first.
    private static let gap = 1 << 20

    mutating func putInFront(_ rows: [RowID], of old: [RowID], in list: List, of owner: ListOwner) throws {
        let statements = writer.statements
        // A member added by its own link during this import still lacks a position.
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

    /// Reserves positions for the following pages, since this one has known members only.
    mutating func leaveRoomInFront(of list: List, of owner: ListOwner) throws {
        let base = try positionInFront(of: list, owner, count: 0)
        if let base, base < 0 { outcome.nextPosition = base }
    }

    /// Leaves room for `count` rows and the following pages.
    ///
    /// - Returns: 0 if all positions are missing, nil if all integers are used up.
    private func positionInFront(of list: List, _ owner: ListOwner, count: Int) throws -> Int? {
        guard let first = try writer.statements.firstPosition(of: list, owner: owner.record.row) else { return 0 }
        let (base, overflows) = min(first, 0).subtractingReportingOverflow(Self.gap + count)
        return overflows ? nil : base
    }

    /// - Parameter start: the first new member's position, and whether all new ones go in front. Nil for behind all
    ///   members.
    mutating func add(
        _ rows: [RowID], at start: (position: Int, isInFront: Bool)?, to list: List, of owner: ListOwner
    ) throws {
        let (statements, record) = (writer.statements, owner.record)
        let isInFront = start?.isInFront ?? false
        var next = try start?.position ?? statements.positionAfterMembers(of: list, owner: record.row)
        // Members of earlier pages may have left or moved.
        if next < 0, !isInFront, try statements.firstPosition(of: list, owner: record.row) ?? 0 >= next {
            next = try statements.positionAfterMembers(of: list, owner: record.row)
        }
        var added: [RowID] = []
        for row in rows {
            if let own = try statements.position(of: row, in: list, owner: record.row) {
                // The pages have reached the members behind the first page.
                if next < 0, !isInFront, own > next {
                    next = try statements.positionAfterMembers(of: list, owner: record.row)
                }
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
