/// The statements that read lists, by the list's number; prepared at first use.
///
/// The few members of a list are sorted here: an `ORDER BY` would open a sorter for each.
final class MemberStatements {
    private var statements: [RawStatement?]

    init(count: Int) { statements = Array(repeating: nil, count: count) }

    func removeAll() { statements = [] }

    /// The local keys of an owner's members, in the list's order. Members without a place come last, oldest first.
    func members(
        of list: List, owner: Int64, _ schema: Schema, _ connection: Connection
    ) throws(SQLiteFailure) -> [Int64] {
        let statement = try statement(list, schema, connection)
        statement.bind(owner, at: 1)
        var members: [(place: Int64, id: Int64)] = []
        var isSorted = true
        while try statement.step() {
            let member = (place: statement.isNull(1) ? Int64.max : statement.integer(1), id: statement.integer(0))
            if let last = members.last, member < last { isSorted = false }
            members.append(member)
        }
        if !isSorted { members.sort(by: <) }
        return members.map(\.id)
    }

    private func statement(
        _ list: List, _ schema: Schema, _ connection: Connection
    ) throws(SQLiteFailure) -> RawStatement {
        if let known = statements[list.number] { return known }
        let statement = try connection.statement(SQL.selectMembers(list, schema))
        statements[list.number] = statement
        return statement
    }
}
