/// The values of each peer's objects, equal for all.
struct Sample {
    static let count = 10_000
    static let authorCount = 100
    /// How often every object is read where one pass would be too short to time.
    static let passes = 10
    /// Where those stand that are written one by one, which are open, as two of three are.
    static let written = (0..<10).map { $0 * 3 }

    let identifier: Int
    let title: String
    let body: String
    let url: String
    var number: Int { identifier + 1000 }
    var state: String { identifier % 3 == 0 ? "closed" : "open" }
    var isLocked: Bool { identifier % 7 == 0 }
    var votes: Int { identifier * 31 % 1000 }
    var comments: Int { identifier % 50 }
    var priority: Int { identifier % 200 }
    var score: Double { Double(identifier) / 8 }
    var labelNames: String { identifier % 2 == 0 ? "bug" : "enhancement" }
    var milestoneName: String? { identifier % 4 == 0 ? "Version 2" : nil }
    var closedAt: String? { identifier % 3 == 0 ? "2026-01-02T03:04:05Z" : nil }
    var author: Int { identifier % Self.authorCount }

    /// The texts are made before anything is timed.
    static let all = (1...count).map { identifier in
        Sample(
            identifier: identifier, title: "Ticket number \(identifier * 7919 % 10_007) is about this",
            body: String(repeating: "What happens, and what should. ", count: 4),
            url: "https://api.example.com/tickets/\(identifier)")
    }

    static let shuffledIdentifiers: [Int] = (0..<count).map { $0 * 7919 % count + 1 }
}
