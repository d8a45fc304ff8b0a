import GRDB

/// The same rows by hand, and the SQL that one would write.
struct QuestionRecords {
    private let database: DatabasePool

    init(path: String) throws {
        database = try DatabasePool(path: path)
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
                    CREATE TABLE ticket (
                        id INTEGER PRIMARY KEY, number INTEGER NOT NULL, votes INTEGER NOT NULL,
                        author INTEGER REFERENCES author) STRICT;
                    CREATE INDEX ticket_author ON ticket (author);
                    CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
                    CREATE VIRTUAL TABLE note_search USING fts5(
                        text, content='note', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
                    """)
            for identifier in 0..<1000 {
                try database.execute(
                    sql: "INSERT INTO author VALUES (?, ?)", arguments: [identifier, "Author \(identifier)"])
            }
            let ticket = try database.makeStatement(sql: "INSERT INTO ticket VALUES (?, ?, ?, ?)")
            let note = try database.makeStatement(sql: "INSERT INTO note VALUES (?, ?)")
            for identifier in 1...100_000 {
                try ticket.execute(arguments: [identifier, identifier, identifier * 31 % 1000, identifier % 1000])
                try note.execute(arguments: [identifier, Self.text(identifier)])
            }
            try database.execute(sql: "INSERT INTO note_search (note_search) VALUES ('rebuild')")
        }
    }

    func close() throws { try database.close() }

    static func text(_ identifier: Int) -> String {
        "A text\(identifier % 10) of some words: word\(identifier % 97), word\(identifier % 89) and number \(identifier)"
    }

    func join() throws -> Int {
        try database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT ticket.number, author.name FROM ticket LEFT JOIN author ON author.id = ticket.author
                    WHERE author.name = ? ORDER BY ticket.votes, ticket.id
                    """,
                arguments: ["Author 7"]
            ).reduce(0) { sum, row in
                let (number, name): (Int, String?) = (row[0], row[1])
                return sum + number + (name?.utf8.count ?? 0)
            }
        }
    }

    func aggregate() throws -> Int {
        try database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT author.name, count(ticket.id), sum(ticket.votes) FROM ticket
                    LEFT JOIN author ON author.id = ticket.author GROUP BY author.name ORDER BY author.name
                    """
            ).reduce(0) { sum, row in
                let (count, votes): (Int, Int?) = (row[1], row[2])
                return sum + count * (votes ?? 0)
            }
        }
    }

    func search() throws -> Int {
        try database.read { database in
            try NoteRecord.fetchAll(
                database,
                sql: """
                    SELECT note.* FROM note_search JOIN note ON note.id = note_search.rowid
                    WHERE note_search MATCH ? ORDER BY rank, note.id LIMIT 20
                    """,
                arguments: [#""word7" "text3""#]
            ).reduce(0) { $0 + $1.text.utf8.count }
        }
    }
}

struct NoteRecord: Codable, FetchableRecord {
    var id: Int
    var text: String
}
