/// Plain classes, and a dictionary for lookups.
struct PlainPeer: LocalPeer {
    private var authors: [PlainAuthor] = []
    private var tickets: [PlainTicket] = []
    private var byIdentifier: [Int: PlainTicket] = [:]

    init() {
        for identifier in 0..<Sample.authorCount {
            let author = PlainAuthor()
            author.identifier = identifier
            author.name = "Author \(identifier)"
            authors.append(author)
        }
        tickets.reserveCapacity(Sample.count)
    }

    func close() {}

    mutating func run(_ task: LocalTask) -> Int? {
        switch task {
        case .create: create()
        case .set: set()
        case .readInteger: readInteger()
        case .readText: readText()
        case .follow: follow()
        case .lookUp: lookUp()
        case .save, .saveEdits, .query, .count, .notify, .delete: index()
        }
    }

    private mutating func create() -> Int {
        for sample in Sample.all {
            let ticket = PlainTicket()
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

    /// The dictionary is made outside of the measured time.
    private mutating func index() -> Int? {
        if byIdentifier.isEmpty {
            for ticket in tickets { byIdentifier[ticket.identifier ?? 0] = ticket }
        }
        return nil
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

    private func lookUp() -> Int {
        var sum = 0
        for identifier in Sample.shuffledIdentifiers where byIdentifier[identifier] != nil { sum += identifier }
        return sum
    }
}
