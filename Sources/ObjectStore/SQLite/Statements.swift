/// The statements by which a schema's rows, lists and bookkeeping are read and written on one connection: all SQL about
/// them but for queries and migrations. Each is prepared at its first use and kept.
///
///     Statements            the lists of every table, whether they are links or rows of a join table
///     ├── TableStatements   by table: find, insert, update, delete, links, unsent changes
///     └── pending links and wire shapes, the tables of `Schema.bookkeepingStatements`
///
/// It is used where its ``Connection`` is, by one thread at a time.
final class Statements {
    let schema: Schema
    let connection: Connection
    private var tables: TableMap<TableStatements?>
    /// By list and purpose.
    private var lists: [RawStatement?]
    /// By purpose.
    var bookkeeping: [RawStatement?]
    /// The greatest number that an entry of the outbox has had, as far as the writer has read.
    var lastQueuedNumber: Int64 = 0

    init(_ schema: Schema, on connection: Connection) {
        self.schema = schema
        self.connection = connection
        tables = TableMap(repeating: nil, count: schema.roots.count)
        lists = Array(repeating: nil, count: schema.listCount * ListPurpose.allCases.count)
        bookkeeping = Array(repeating: nil, count: BookkeepingPurpose.allCases.count)
    }

    /// Finalizes the statements, which must be done before the connection closes.
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

    /// The members of an owner's list, in its order. Members without a position come last, as they have arrived
    /// (``RowID/arrival``).
    ///
    /// The few members of a list are sorted here: an `ORDER BY` would open a sorter for each.
    func members(of list: List, owner: RowID) throws(SQLiteFailure) -> [RowID] {
        try placedMembers(of: list, owner: owner).map(\.row)
    }

    /// The same with their positions.
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
                // Of few members there are most, and then their memory is asked for once.
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
        (member.position, member.row.arrival) < (other.position, other.row.arrival)
    }

    /// The rows that have a list with this member.
    func owners(of list: List, member: RowID) throws(SQLiteFailure) -> [RowID] {
        let statement = try statement(.owners, list)
        statement.bind(member, at: 1)
        return try statement.rows()
    }

    /// Whether some row has a list with this member.
    func hasOwner(of list: List, member: RowID) throws(SQLiteFailure) -> Bool {
        let statement = try statement(.owners, list)
        statement.bind(member, at: 1)
        return try statement.firstRow() != nil
    }

    /// What became of the members of a list that was set.
    struct MembershipChange {
        /// The members that left.
        var left: [RowID] = []
        /// The rows that the change was written into: none, where the list is kept in a join table.
        var updated: [RowID] = []
    }

    /// Makes `members` the list, in their order.
    func setMembers(
        of list: List, owner: RowID, to members: [RowID]
    ) throws(SQLiteFailure) -> MembershipChange {
        var change = MembershipChange()
        let current = try placedMembers(of: list, owner: owner)
        // Up to the first that is not where it is wanted, there is nothing to do.
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

    /// The position after all members of an owner's list that have one.
    ///
    /// - Complexity: linear in the members.
    func positionAfterMembers(of list: List, owner: RowID) throws(SQLiteFailure) -> Int {
        try endPosition(.end, of: list, owner) ?? 0
    }

    /// The first position of an owner's list; nil where no member has one.
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

    /// The position of a row in an owner's list; `nil` for one that is no member, or has none.
    func position(of member: RowID, in list: List, owner: RowID) throws(SQLiteFailure) -> Int? {
        let find = try statement(.position, list)
        find.bind(owner, at: 1)
        find.bind(member, at: 2)
        guard try find.step() else { return nil }
        defer { find.reset() }
        return Int(clamping: find.integer(0))
    }

    /// Whether a row is a member of an owner's list, wherever in it.
    func contains(_ member: RowID, in list: List, owner: RowID) throws(SQLiteFailure) -> Bool {
        let find = try statement(.contains, list)
        find.bind(owner, at: 1)
        find.bind(member, at: 2)
        defer { find.reset() }
        return try find.step()
    }

    /// Puts a row at a position of an owner's list, whether or not it is a member.
    ///
    /// - Returns: whether it was not there.
    @discardableResult
    func place(_ member: RowID, in list: List, owner: RowID, at position: Int) throws(SQLiteFailure) -> Bool {
        let place = try statement(.place, list)
        place.bind(owner, at: 1)
        place.bind(member, at: 2)
        place.bind(Int64(position), at: 3)
        try place.run()
        return connection.changes > 0
    }

    /// Makes a row the last member of an owner's list, where all members have a position.
    ///
    /// - Returns: whether they have.
    /// - Complexity: linear in the members, of which none is written.
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

    /// Takes a member out of an owner's list.
    func remove(_ member: RowID, from list: List, owner: RowID) throws(SQLiteFailure) {
        let leave = try statement(.leave, list)
        leave.bind(owner, at: 1)
        leave.bind(member, at: 2)
        try leave.run()
    }

    /// Writes the list of a join table that only this side orders, without a look at what was there.
    ///
    /// - Parameter isNew: whether the owner has no members yet.
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

    /// Empties a list that is kept in a join table.
    func removeMembers(of list: List, owner: RowID) throws(SQLiteFailure) {
        let remove = try statement(.removeAll, list)
        remove.bind(owner, at: 1)
        try remove.run()
    }

    /// Leaves out of a list in a join table what has no row.
    func removeBrokenMembers(of list: List, owner: RowID) throws(SQLiteFailure) {
        let remove = try statement(.removeBroken, list)
        remove.bind(owner, at: 1)
        try remove.run()
    }

    /// In every join table, the survivor stands where the duplicate stood.
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

    /// - Parameter members: the table of the members.
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
        // A link has no rows of its own.
        case .append, .removeAll, .removeBroken, .moveOwner, .moveMember: "SELECT 1 WHERE 0"
        }
    }
}
