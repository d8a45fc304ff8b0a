/// All SQL for rows, lists and bookkeeping, except for queries and migrations. One thread at a time uses it. Statements
/// are prepared at their first use and kept.
///
///     Statements            the lists of every table, whether they are links or rows of a join table
///     ├── TableStatements   by table: find, insert, update, delete, links, pending edits
///     └── extensions        the tables of `Schema.bookkeepingStatements`
final class Statements {
    let schema: Schema
    let connection: Connection
    private var tables: TableMap<TableStatements?>
    /// Indexed by purpose, then by list.
    private var lists: [RawStatement?]
    var bookkeeping: [RawStatement?]
    /// The greatest number of any outbox entry that the writer knows.
    var lastQueuedNumber: Int64 = 0

    init(_ schema: Schema, on connection: Connection) {
        self.schema = schema
        self.connection = connection
        tables = TableMap(repeating: nil, count: schema.roots.count)
        lists = Array(repeating: nil, count: schema.listCount * ListPurpose.allCases.count)
        bookkeeping = Array(repeating: nil, count: BookkeepingPurpose.allCases.count)
    }

    /// Call it before the connection closes.
    func removeAll() {
        for table in tables.all { table?.removeAll() }
        for index in lists.indices { lists[index] = nil }
        for index in bookkeeping.indices { bookkeeping[index] = nil }
    }

    subscript(table: TableID) -> TableStatements {
        if let known = tables[table] { return known }
        let statements = TableStatements(schema[table], of: schema, on: connection)
        tables[table] = statements
        return statements
    }

    // MARK: Lists

    /// In the list's order. Members without a position come last, in the order of ``RowID/creationOrder``.
    ///
    /// Sorted here, since lists are short and an `ORDER BY` would open a sorter for each.
    func members(of list: List, owner: RowID) throws(SQLiteFailure) -> [RowID] {
        try placedMembers(of: list, owner: owner).map(\.row)
    }

    private func placedMembers(
        of list: List, owner: RowID
    ) throws(SQLiteFailure) -> [(position: Int64, row: RowID)] {
        let statement = try statement(.members, list)
        statement.bind(owner, at: 1)
        var members: [(position: Int64, row: RowID)] = []
        var isSorted = true
        while try statement.step() {
            let member = (position: statement.isNull(1) ? Int64.max : statement.integer(1), row: statement.row(0))
            if let last = members.last {
                if Self.stands(member, before: last) { isSorted = false }
            } else {
                members.reserveCapacity(8)
            }
            members.append(member)
        }
        if !isSorted { members.sort(by: Self.stands) }
        return members
    }

    private static func stands(
        _ member: (position: Int64, row: RowID), before other: (position: Int64, row: RowID)
    ) -> Bool {
        (member.position, member.row.creationOrder) < (other.position, other.row.creationOrder)
    }

    func owners(of list: List, member: RowID) throws(SQLiteFailure) -> [RowID] {
        let statement = try statement(.owners, list)
        statement.bind(member, at: 1)
        return try statement.rows()
    }

    func hasOwner(of list: List, member: RowID) throws(SQLiteFailure) -> Bool {
        let statement = try statement(.owners, list)
        statement.bind(member, at: 1)
        return try statement.firstRow() != nil
    }

    struct MembershipChange {
        var left: [RowID] = []
        /// Changed rows of the members' table. Empty for a join table.
        var updated: [RowID] = []
    }

    func setMembers(
        of list: List, owner: RowID, to members: [RowID]
    ) throws(SQLiteFailure) -> MembershipChange {
        var change = MembershipChange()
        let current = try placedMembers(of: list, owner: owner)
        // The first members may be in place.
        let kept = zip(current, members).enumerated()
            .prefix { $1.0.row == $1.1 && $1.0.position == Int64($0) }.count
        let wanted = Set(members[kept...])
        change.left = current[kept...].map(\.row).filter { !wanted.contains($0) }
        let isJoin = if case .join = list.storage { true } else { false }
        if !change.left.isEmpty {
            let leave = try statement(.leave, list)
            for member in change.left {
                leave.bind(owner, at: 1)
                leave.bind(member, at: 2)
                try leave.run()
                if !isJoin { change.updated.append(member) }
            }
        }
        guard kept < members.count else { return change }
        let place = try statement(.place, list)
        for (position, member) in zip(members.indices, members).dropFirst(kept) {
            place.bind(owner, at: 1)
            place.bind(member, at: 2)
            place.bind(Int64(position), at: 3)
            try place.run()
            if !isJoin, connection.changes > 0 { change.updated.append(member) }
        }
        return change
    }

    /// The position after the last member that has one.
    ///
    /// - Complexity: linear in the members.
    func positionAfterMembers(of list: List, owner: RowID) throws(SQLiteFailure) -> Int {
        try endPosition(.end, of: list, owner) ?? 0
    }

    /// `nil` if all members lack one.
    ///
    /// - Complexity: linear in the members.
    func firstPosition(of list: List, owner: RowID) throws(SQLiteFailure) -> Int? {
        try endPosition(.start, of: list, owner)
    }

    private func endPosition(_ end: ListPurpose, of list: List, _ owner: RowID) throws(SQLiteFailure) -> Int? {
        let read = try statement(end, list)
        read.bind(owner, at: 1)
        defer { read.reset() }
        guard try read.step(), !read.isNull(0) else { return nil }
        return Int(clamping: read.integer(0))
    }

    /// `nil` for other rows, and for members without a position.
    func position(of member: RowID, in list: List, owner: RowID) throws(SQLiteFailure) -> Int? {
        let find = try statement(.position, list)
        find.bind(owner, at: 1)
        find.bind(member, at: 2)
        guard try find.step() else { return nil }
        defer { find.reset() }
        return Int(clamping: find.integer(0))
    }

    func contains(_ member: RowID, in list: List, owner: RowID) throws(SQLiteFailure) -> Bool {
        let find = try statement(.contains, list)
        find.bind(owner, at: 1)
        find.bind(member, at: 2)
        defer { find.reset() }
        return try find.step()
    }

    /// The row becomes a member if it isn't one.
    ///
    /// - Returns: whether this changed the list.
    @discardableResult
    func place(_ member: RowID, in list: List, owner: RowID, at position: Int) throws(SQLiteFailure) -> Bool {
        let place = try statement(.place, list)
        place.bind(owner, at: 1)
        place.bind(member, at: 2)
        place.bind(Int64(position), at: 3)
        try place.run()
        return connection.changes > 0
    }

    /// Makes a row the last member, if all members have a position.
    ///
    /// - Returns: whether they have. If `false`, the list is unchanged.
    /// - Complexity: linear in the members, which are only read.
    func append(_ member: RowID, to list: List, owner: RowID) throws(SQLiteFailure) -> Bool {
        let read = try statement(.end, list)
        read.bind(owner, at: 1)
        var position = 0
        if try read.step() {
            defer { read.reset() }
            guard read.integer(1) == 0 else { return false }
            position = read.isNull(0) ? 0 : Int(clamping: read.integer(0))
        }
        try place(member, in: list, owner: owner, at: position)
        return true
    }

    func remove(_ member: RowID, from list: List, owner: RowID) throws(SQLiteFailure) {
        let leave = try statement(.leave, list)
        leave.bind(owner, at: 1)
        leave.bind(member, at: 2)
        try leave.run()
    }

    /// Replaces the members, for join tables of which only this side is ordered.
    ///
    /// - Parameter isNew: whether the owner's list is still empty.
    func writeMembers(
        of list: List, owner: RowID, _ members: [RowID], isNew: Bool
    ) throws(SQLiteFailure) {
        if !isNew { try removeMembers(of: list, owner: owner) }
        guard !members.isEmpty else { return }
        let append = try statement(.append, list)
        for (position, member) in members.enumerated() {
            append.bind(owner, at: 1)
            append.bind(member, at: 2)
            append.bind(Int64(position), at: 3)
            try append.run()
        }
    }

    func removeMembers(of list: List, owner: RowID) throws(SQLiteFailure) {
        let remove = try statement(.removeAll, list)
        remove.bind(owner, at: 1)
        try remove.run()
    }

    /// Removes members without a row from a list in a join table.
    func removeBrokenMembers(of list: List, owner: RowID) throws(SQLiteFailure) {
        let remove = try statement(.removeBroken, list)
        remove.bind(owner, at: 1)
        try remove.run()
    }

    /// Moves memberships in every join table.
    func moveMemberships(of duplicate: RecordID, to survivor: RowID) throws(SQLiteFailure) {
        for model in schema.roots {
            for list in model.lists {
                guard case .join(let join, isReversed: false) = list.storage else { continue }
                for (end, purpose) in [(join.source, ListPurpose.moveOwner), (join.target, .moveMember)]
                where end == duplicate.table {
                    let move = try statement(purpose, list)
                    move.bind(survivor, at: 1)
                    move.bind(duplicate.row, at: 2)
                    try move.run()
                }
            }
        }
    }

    private enum ListPurpose: Int, CaseIterable {
        case members, owners, contains, leave, place, position, start, end
        // For join tables only:
        case append, removeAll, removeBroken, moveOwner, moveMember
    }

    private func statement(_ purpose: ListPurpose, _ list: List) throws(SQLiteFailure) -> RawStatement {
        let index = purpose.rawValue * schema.listCount + list.id.rawValue
        if let known = lists[index] { return known }
        let sql =
            switch schema.side(of: list) {
            case .join(let side): Self.sql(purpose, side, members: schema[list.target].sqlName)
            case .link(let side): Self.sql(purpose, side)
            }
        let statement = try RawStatement(connection, sql)
        lists[index] = statement
        return statement
    }

    private static func sql(_ purpose: ListPurpose, _ side: JoinSide, members: String) -> String {
        let (table, owner, member, position) = (side.table, side.owner, side.member, side.position)
        return switch purpose {
        case .members: "SELECT \(member), \(position) FROM \(table) WHERE \(owner) = ?"
        case .owners: "SELECT \(owner) FROM \(table) WHERE \(member) = ?"
        case .contains: "SELECT 1 FROM \(table) WHERE \(owner) = ? AND \(member) = ?"
        case .position:
            "SELECT \(position) FROM \(table) WHERE \(owner) = ? AND \(member) = ? AND \(position) IS NOT NULL"
        case .start: "SELECT min(\(position)) FROM \(table) WHERE \(owner) = ?"
        case .end: "SELECT max(\(position)) + 1, count(*) - count(\(position)) FROM \(table) WHERE \(owner) = ?"
        case .leave: "DELETE FROM \(table) WHERE \(owner) = ? AND \(member) = ?"
        case .place:
            """
            INSERT INTO \(table) (\(owner), \(member), \(position)) VALUES (?, ?, ?) \
            ON CONFLICT (source_id, target_id) DO UPDATE SET \(position) = excluded.\(position) \
            WHERE \(position) IS NOT excluded.\(position)
            """
        case .append: "INSERT INTO \(table) (\(owner), \(member), \(position)) VALUES (?, ?, ?)"
        case .removeAll: "DELETE FROM \(table) WHERE \(owner) = ?"
        case .removeBroken:
            """
            DELETE FROM \(table) WHERE \(owner) = ? \
            AND NOT EXISTS (SELECT 1 FROM \(members) WHERE _id = \(member))
            """
        case .moveOwner: "UPDATE OR IGNORE \(table) SET \(owner) = ?1 WHERE \(owner) = ?2"
        case .moveMember: "UPDATE OR IGNORE \(table) SET \(member) = ?1 WHERE \(member) = ?2"
        }
    }

    private static func sql(_ purpose: ListPurpose, _ side: LinkSide) -> String {
        let (table, owner, position) = (side.table, side.owner, side.position)
        return switch purpose {
        case .members: "SELECT _id, \(position) FROM \(table) WHERE \(owner) = ?"
        case .owners: "SELECT \(owner) FROM \(table) WHERE _id = ? AND \(owner) IS NOT NULL"
        case .contains: "SELECT 1 FROM \(table) WHERE \(owner) = ? AND _id = ?"
        case .position:
            "SELECT \(position) FROM \(table) WHERE \(owner) = ? AND _id = ? AND \(position) IS NOT NULL"
        case .start: "SELECT min(\(position)) FROM \(table) WHERE \(owner) = ?"
        case .end: "SELECT max(\(position)) + 1, count(*) - count(\(position)) FROM \(table) WHERE \(owner) = ?"
        case .leave: "UPDATE \(table) SET \(owner) = NULL, \(position) = NULL WHERE \(owner) = ?1 AND _id = ?2"
        case .place:
            """
            UPDATE \(table) SET \(owner) = ?1, \(position) = ?3 WHERE _id = ?2 \
            AND (\(owner) IS NOT ?1 OR \(position) IS NOT ?3)
            """
        case .append, .removeAll, .removeBroken, .moveOwner, .moveMember: "SELECT 1 WHERE 0"
        }
    }
}
