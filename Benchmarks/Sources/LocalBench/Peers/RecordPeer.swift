import GRDB

/// GRDB's Codable records, in one transaction for each task.
struct RecordPeer: LocalPeer {
    private let database: DatabasePool
    private var tickets: [TicketRecord] = []

    /// A pool is in WAL mode with `synchronous=NORMAL`, as the library's file is.
    init(path: String) throws {
        database = try DatabasePool(path: path)
        try database.write { database in
            try AuthorRecord.createTables(database)
            for identifier in 0..<Sample.authorCount {
                try AuthorRecord(id: identifier, name: "Author \(identifier)").insert(database)
            }
        }
        tickets.reserveCapacity(Sample.count)
    }

    func close() throws { try database.close() }

    mutating func run(_ task: LocalTask) throws -> Int? {
        switch task {
        case .create: create()
        case .save: try database.write(insert)
        case .set: set()
        case .saveEdits: try database.write(update)
        case .readInteger, .readText, .follow: nil
        case .lookUp: try database.read(Self.lookUp)
        case .query: try database.read(Self.query)
        case .count: try database.read(Self.count)
        case .delete: try database.write(delete)
        }
    }

    private mutating func create() -> Int {
        for sample in Sample.all {
            tickets.append(
                TicketRecord(
                    id: sample.identifier, number: sample.number, title: sample.title, body: sample.body,
                    state: sample.state, isLocked: sample.isLocked, votes: sample.votes, comments: sample.comments,
                    priority: sample.priority, score: sample.score, url: sample.url, labelNames: sample.labelNames,
                    milestoneName: sample.milestoneName, closedAt: sample.closedAt, authorID: sample.author))
        }
        return tickets.count
    }

    private func insert(_ database: Database) throws -> Int {
        for ticket in tickets { try ticket.insert(database) }
        return tickets.count
    }

    private mutating func set() -> Int {
        for index in tickets.indices { tickets[index].votes = index }
        return tickets.count
    }

    private func update(_ database: Database) throws -> Int {
        for ticket in tickets { try ticket.update(database) }
        return tickets.count
    }

    private static func lookUp(_ database: Database) throws -> Int {
        var sum = 0
        for identifier in Sample.shuffledIdentifiers
        where try TicketRecord.fetchOne(database, key: identifier) != nil {
            sum += identifier
        }
        return sum
    }

    private static func query(_ database: Database) throws -> Int {
        var count = 0
        for priority in 0..<200 {
            let found = TicketRecord.filter(Column("priority") == priority).order(Column("title"))
            count += try found.fetchAll(database).count
        }
        return count
    }

    private static func count(_ database: Database) throws -> Int {
        var count = 0
        for votes in 0..<20 { count += try TicketRecord.filter(Column("votes") > votes * 400).fetchCount(database) }
        return count
    }

    private func delete(_ database: Database) throws -> Int {
        for ticket in tickets { try ticket.delete(database) }
        return tickets.count
    }
}
