/// A join table, seen from one of its sides. All names are quoted where necessary.
struct JoinSide {
    let table: String
    let owner: String
    let member: String
    let position: String

    init(_ join: JoinTable, isReversed: Bool) {
        table = SQL.quoted(join.name)
        (owner, member) = isReversed ? ("target_id", "source_id") : ("source_id", "target_id")
        position = isReversed ? "inverse_position" : "position"
    }
}

/// A list stored as links of its members. All names are quoted.
struct LinkSide {
    let table: String
    let owner: String
    let position: String
}

extension Schema {
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

    /// The quoted column with a row's position in a link's inverse list.
    func sqlPosition(of column: Column, in model: ModelSchema) -> String? {
        positionColumn(of: column, in: model).map(SQL.quoted)
    }
}
