import GRDB

/// The tables, with the server's ids as keys.
enum Schema {
    static func create(in database: Database) throws {
        try createTable("user", in: database) { table in
            table.columns(
                .text,
                "login node_id avatar_url gravatar_id url html_url followers_url following_url gists_url starred_url "
                    + "subscriptions_url organizations_url repos_url events_url received_events_url type")
            table.columns(.integer, "site_admin")
        }
        try createTable("label", in: database) { table in
            table.columns(.text, "node_id url name description color")
            table.columns(.integer, "default")
        }
        try createTable("milestone", in: database) { table in
            table.columns(
                .text,
                "node_id url html_url labels_url state title description created_at updated_at closed_at due_on")
            table.columns(.integer, "number open_issues closed_issues")
            table.link("creator_id", to: "user")
        }
        try createIssues(in: database)
        try createRepositories(in: database)
    }

    private static func createIssues(in database: Database) throws {
        try createTable("issue", in: database) { table in
            table.columns(
                .text,
                "node_id url repository_url labels_url comments_url events_url html_url timeline_url state state_reason "
                    + "title body active_lock_reason author_association created_at updated_at closed_at")
            table.columns(.integer, "number locked comments")
            for column in ["user_id", "assignee_id", "closed_by_id"] { table.link(column, to: "user") }
            table.link("milestone_id", to: "milestone")
        }
        for (list, member) in [("issue_label", "label"), ("issue_assignee", "user")] {
            try database.create(table: list, options: [.ifNotExists, .strict, .withoutRowID]) { table in
                table.primaryKey {
                    table.column("issue_id", .integer).notNull().references("issue")
                    table.column("\(member)_id", .integer).notNull().references(member).indexed()
                }
                table.column("position", .integer).notNull()
            }
        }
    }

    private static func createRepositories(in database: Database) throws {
        try createTable("repository", in: database) { table in
            table.columns(
                .text,
                "node_id name full_name html_url description url git_url ssh_url clone_url svn_url homepage language "
                    + "visibility default_branch created_at updated_at pushed_at")
            table.columns(
                .integer,
                "private fork size stargazers_count watchers_count has_issues has_projects has_downloads has_wiki "
                    + "has_pages has_discussions forks_count archived disabled open_issues_count is_template")
            table.link("owner_id", to: "user")
        }
    }

    private static func createTable(
        _ name: String, in database: Database, _ columns: (TableDefinition) -> Void
    ) throws {
        try database.create(table: name, options: [.ifNotExists, .strict]) { table in
            table.primaryKey("id", .integer)
            columns(table)
        }
    }
}

extension TableDefinition {
    /// Columns by their names, with spaces between.
    fileprivate func columns(_ type: Database.ColumnType, _ names: String) {
        for name in names.split(separator: " ") { column(String(name), type) }
    }

    fileprivate func link(_ name: String, to table: String) { column(name, .integer).references(table).indexed() }
}
