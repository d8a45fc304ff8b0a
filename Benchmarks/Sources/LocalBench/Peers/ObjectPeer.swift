import Foundation
import RestfulData

/// This library: live objects in the main context.
struct ObjectPeer: LocalPeer {
    private let store: Store
    private var authors: [Author] = []
    private var tickets: [Ticket] = []
    private var updates: QueryUpdates<Ticket>.Iterator?
    private var context: ObjectContext { store.main }

    init(path: String) async throws {
        store = try Store(.file(path), models: [Ticket.self, Author.self])
        for identifier in 0..<Sample.authorCount {
            let author = Author(in: context)
            author.identifier = identifier
            author.name = "Author \(identifier)"
            authors.append(author)
        }
        try await context.save()
        tickets.reserveCapacity(Sample.count)
    }

    func close() { store.close() }

    mutating func prepare(_ task: LocalTask) async throws {
        guard task == .notify else { return }
        let updates = context.query(Ticket.self).where { $0.state == "open" }.updates.makeAsyncIterator()
        _ = try await updates.next()
        self.updates = updates
    }

    mutating func run(_ task: LocalTask) async throws -> Int? {
        switch task {
        case .create: create()
        case .save: try await save()
        case .set: set()
        case .saveEdits: try await save()
        case .readInteger: readInteger()
        case .readText: readText()
        case .follow: follow()
        case .lookUp: try lookUp()
        case .query: try query()
        case .count: try count()
        case .notify: try await notify()
        case .delete: try await delete()
        }
    }

    private mutating func create() -> Int {
        for sample in Sample.all {
            let ticket = Ticket(in: context)
            ticket.identifier = sample.identifier
            ticket.number = sample.number
            ticket.title = sample.title
            ticket.body = sample.body
            ticket.state = sample.state
            ticket.isLocked = sample.isLocked
            ticket.votes = sample.votes
            ticket.comments = sample.comments
            ticket.priority = sample.priority
            ticket.score = sample.score
            ticket.url = sample.url
            ticket.labelNames = sample.labelNames
            ticket.milestoneName = sample.milestoneName
            ticket.closedAt = sample.closedAt
            ticket.author = authors[sample.author]
            tickets.append(ticket)
        }
        return tickets.count
    }

    /// SQLite makes a checkpoint within the commit that makes it due, the library before its next transaction. An empty
    /// one waits for it, so that the time includes it.
    private func save() async throws -> Int {
        try await context.save()
        _ = try await context.importReporting(Ticket.self, from: Data("[]".utf8))
        return tickets.count
    }

    private func set() -> Int {
        for (index, ticket) in tickets.enumerated() { ticket.votes = index }
        return tickets.count
    }

    private func readInteger() -> Int {
        var sum = 0
        for _ in 0..<Sample.passes {
            for ticket in tickets { sum &+= ticket.votes }
        }
        return sum
    }

    private func readText() -> Int {
        var sum = 0
        for _ in 0..<Sample.passes {
            for ticket in tickets { sum &+= ticket.title.utf8.count }
        }
        return sum
    }

    private func follow() -> Int {
        var found = 0
        for _ in 0..<Sample.passes {
            for (index, ticket) in tickets.enumerated() where ticket.author === authors[(index + 1) % authors.count] {
                found += 1
            }
        }
        return found
    }

    private func lookUp() throws -> Int {
        var sum = 0
        for identifier in Sample.shuffledIdentifiers where try context.find(Ticket.self, identifier) != nil {
            sum += identifier
        }
        return sum
    }

    private func query() throws -> Int {
        var count = 0
        for priority in 0..<200 {
            count += try context.query(Ticket.self).where { $0.priority == priority }.order { $0.title }.fetch().count
        }
        return count
    }

    private func count() throws -> Int {
        var count = 0
        for votes in 0..<20 { count += try context.query(Ticket.self).where { $0.votes > votes * 400 }.count() }
        return count
    }

    private mutating func notify() async throws -> Int {
        var sum = 0
        for index in Sample.written {
            tickets[index].comments += 1000
            try await context.save()
            let open = try await updates?.next() ?? []
            sum += open.count + (open.first { $0.identifier == index + 1 }?.comments ?? 0)
        }
        updates = nil
        return sum
    }

    private mutating func delete() async throws -> Int {
        for ticket in tickets { context.delete(ticket) }
        return try await save()
    }
}
