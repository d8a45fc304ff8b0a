extension MigrationRun {
    /// Into a temporary table, which is in memory and gone with the connection.
    func keep(_ members: KeptMembers) throws {
        let name = SQL.quoted(members.name)
        try connection.execute("DROP TABLE IF EXISTS temp.\(name)")
        try connection.execute(
            "CREATE TEMP TABLE \(name) (owner INTEGER NOT NULL, member INTEGER NOT NULL, position INTEGER)")
        try connection.execute("INSERT INTO temp.\(name) \(members.query)")
    }

    mutating func restore(_ members: KeptMembers) throws {
        let kept = "temp.\(SQL.quoted(members.name))"
        switch members.destination {
        case .link(let table, let column):
            try refuseSeveral("member", of: "owner", kept, members)
            try set("\(SQL.quoted(column)) = kept.member", of: table, "owner", kept)
        case .column(let table, let column, let position):
            try refuseSeveral("owner", of: "member", kept, members)
            try set(
                "\(SQL.quoted(column)) = kept.owner, \(SQL.quoted(position)) = kept.position", of: table, "member", kept
            )
        case .join(let join, let isReversed):
            let place = isReversed ? "inverse_position" : "position"
            let ends = isReversed ? "target_id, source_id" : "source_id, target_id"
            try connection.execute(
                """
                INSERT INTO \(SQL.quoted(join)) (\(ends), \(place)) SELECT owner, member, position FROM \(kept) \
                WHERE true ON CONFLICT DO UPDATE SET \(place) = excluded.\(place)
                """)
        }
        try connection.execute("DROP TABLE \(kept)")
    }

    private func set(_ assignments: String, of table: String, _ key: String, _ kept: String) throws {
        try connection.execute(
            "UPDATE \(SQL.quoted(table)) SET \(assignments) FROM \(kept) AS kept WHERE \(SQL.quoted(table))._id = kept.\(key)"
        )
    }

    /// A link has room for one.
    private mutating func refuseSeveral(
        _ what: String, of whose: String, _ kept: String, _ members: KeptMembers
    ) throws {
        let several = try connection.integer(
            "SELECT count(*) FROM (SELECT 1 FROM \(kept) GROUP BY \(whose) HAVING count(DISTINCT \(what)) > 1)")
        guard several > 0 else { return }
        let rows = several == 1 ? "1 object has" : "\(several) objects have"
        problems.append(
            "\(members.property) has room for one \(what) now, and \(rows) more: keep the list, or leave one \(what) each "
                + "before the models change")
    }
}
