import GRDB

/// GRDB's Codable records, in one transaction for each task.
struct RecordPeer: LocalPeer {
    private let database: DatabasePool
    private var tickets: [TicketRecord] = []
    private var updates: AsyncValueObservation<[TicketRecord]>.Iterator?

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

    mutating func prepare(_ task: LocalTask) async throws {
        guard task == .notify else { return }
        let open = ValueObservation.tracking { try TicketRecord.filter(Column("state") == "open").fetchAll($0) }
        var updates = open.values(in: database).makeAsyncIterator()
        _ = try await updates.next()
        self.updates = updates
    }

    mutating func run(_ task: LocalTask) async throws -> Int? {
        switch task {
        case .create: create()
        case .save: try writing(insert)
        case .set: set()
        case .saveEdits: try writing(update)
        case .readInteger, .readText, .follow: nil
        case .lookUp: try reading(Self.lookUp)
        case .query: try reading(Self.query)
        case .count: try reading(Self.count)
        case .notify: try await notify()
        case .delete: try writing(delete)
        }
    }

    // Here, as in an asynchronous function these would be the ones that wait for another task.

    private func reading(_ body: (Database) throws -> Int) throws -> Int { try database.read(body) }
    private func writing(_ body: (Database) throws -> Int) throws -> Int { try database.write(body) }

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

    private mutating func notify() async throws -> Int {
        guard var updates else { return 0 }
        self.updates = nil
        var sum = 0
        for index in Sample.written {
            tickets[index].comments += 1000
            let ticket = tickets[index]
            try await database.write { try ticket.update($0) }
            // Values that were fetched before may come first.
            while let open = try await updates.next() {
                let written = open.first { $0.id == ticket.id }
                guard written?.comments == ticket.comments else { continue }
                sum += open.count + ticket.comments
                break
            }
        }
        return sum
    }

    private func delete(_ database: Database) throws -> Int {
        for ticket in tickets { try ticket.delete(database) }
        return tickets.count
    }
}
