/// The table of a many-to-many relationship as one of its sides sees it: the names as they stand in a statement.
struct JoinSide {
    let table: String
    /// The column with the row that has the list.
    let owner: String
    /// The column with the list's members.
    let member: String
    /// The column with the order of the list.
    let position: String

    init(_ join: JoinTable, isReversed: Bool) {
        table = SQL.quoted(join.name)
        (owner, member) = isReversed ? ("target_id", "source_id") : ("source_id", "target_id")
        position = isReversed ? "inverse_position" : "position"
    }
}

/// A link's column that is a list of what it references, with the names as they stand in a statement.
struct LinkSide {
    /// The members' table.
    let table: String
    /// The column with the row that has the list.
    let owner: String
    /// The column with the order of the list.
    let position: String
}

extension Schema {
    /// Where a list is kept, for its statements.
    enum ListSide {
        case join(JoinSide)
        case link(LinkSide)
    }

    func side(of list: List) -> ListSide {
        switch list.storage {
        case .join(let join, let isReversed): .join(JoinSide(join, isReversed: isReversed))
        case .column(_, let column, let position):
            .link(
                LinkSide(
                    table: self[list.target].sqlName, owner: SQL.quoted(column), position: SQL.quoted(position)))
        }
    }

    /// The column, as it stands in a statement, that keeps the order of the list which is the inverse of a link.
    func sqlPosition(of column: Column, in model: ModelSchema) -> String? {
        positionColumn(of: column, in: model).map(SQL.quoted)
    }
}
