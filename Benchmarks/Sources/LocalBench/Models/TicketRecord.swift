import GRDB

/// The same as a Codable record.
struct TicketRecord: Codable, Identifiable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "ticket"

    var id: Int
    var number: Int
    var title: String
    var body: String
    var state: String
    var isLocked: Bool
    var votes: Int
    var comments: Int
    var priority: Int
    var score: Double
    var url: String
    var labelNames: String
    var milestoneName: String?
    var closedAt: String?
    var authorID: Int?
}

struct AuthorRecord: Codable, Identifiable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "author"

    var id: Int
    var name: String
}

extension AuthorRecord {
    /// As for the library: rows in a strict table, links that are foreign keys and indexed.
    static func createTables(_ database: Database) throws {
        try database.create(table: databaseTableName, options: .strict) { table in
            table.column("id", .integer).primaryKey()
            table.column("name", .text).notNull()
        }
        try database.create(table: TicketRecord.databaseTableName, options: .strict) { table in
            table.column("id", .integer).primaryKey()
            for name in ["number", "isLocked", "votes", "comments", "priority"] {
                table.column(name, .integer).notNull()
            }
            for name in ["title", "body", "state", "url", "labelNames"] { table.column(name, .text).notNull() }
            table.column("score", .real).notNull()
            for name in ["milestoneName", "closedAt"] { table.column(name, .text) }
            table.column("authorID", .integer).indexed().references(databaseTableName, onDelete: .setNull)
        }
    }
}
