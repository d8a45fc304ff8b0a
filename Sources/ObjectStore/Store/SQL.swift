/// The statements that the models' tables are read and written by. Every name is quoted: a column may be called `order`.
enum SQL {
    static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    static func list(_ names: some Sequence<String>) -> String { names.map(quoted).joined(separator: ", ") }

    /// `SELECT _id, …` of all columns, in the order of ``ModelSchema/slots``.
    static func selectRows(_ table: ModelSchema) -> String {
        "SELECT \(list(["_id"] + table.columns.map(\.name))) FROM \(quoted(table.name))"
    }

    /// The members of one owner's list with their places, in no order.
    static func selectMembers(_ list: List, _ schema: Schema) -> String {
        switch list.storage {
        case .column(_, let column, let position):
            """
            SELECT _id, \(quoted(position)) FROM \(quoted(schema.tables[list.target].name)) WHERE \(quoted(column)) = ?
            """
        case .join(let join, let isReversed):
            """
            SELECT \(isReversed ? "source_id, inverse_position" : "target_id, position") FROM \(quoted(join.name)) \
            WHERE \(isReversed ? "target_id" : "source_id") = ?
            """
        }
    }

    /// The row of an identity.
    static func selectByIdentity(_ table: ModelSchema) -> String {
        "SELECT _id, _unsent IS NOT NULL FROM \(quoted(table.name)) WHERE \(identityCondition(table))"
    }

    /// False for embedded objects, which no identity leads to.
    static func identityCondition(_ table: ModelSchema) -> String {
        if table.identity.isEmpty { return "0" }
        return identityColumns(table).map { "\(quoted($0)) = ?" }.joined(separator: " AND ")
    }

    static func identityColumns(_ table: ModelSchema) -> [String] {
        table.identity.compactMap { table.properties[$0].column.map { table.columns[$0].name } }
    }
}
