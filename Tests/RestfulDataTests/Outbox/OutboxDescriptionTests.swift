import RestfulData
import TestSupport
import Testing

/// `print(store.outbox)` shows each entry as the request that it would be.
@MainActor @Suite struct OutboxDescriptionTests {
    typealias Issue = Tracker.Issue

    private let program: Program
    private var server: OutboxServer { program.server }

    init() throws { program = try Program() }

    private func queue() async throws {
        let issue = Issue(in: program.main)
        issue.title = "A"
        try await issue.save(.queued)
        server.put("/issues", 1, ["id": 1, "title": "old"])
        let known = try await program.imported(Issue.self, #"{"id": 1, "title": "old"}"#)
        known.title = "B"
        try await known.save(.queued)
    }

    private let waiting = """
        2 changes wait
        1 POST https://api.example.com/issues (waiting)
        2 PATCH https://api.example.com/issues/1 (waiting)
        """

    @Test func `Printing the outbox shows each entry as a request`() async throws {
        #expect("\(program.outbox)" == "Nothing waits")
        try await queue()
        #expect("\(program.outbox)" == waiting)
        await program.outbox.drain()
        #expect("\(program.outbox)" == "Nothing waits")
    }

    @Test func `Printing the outbox shows entries of earlier launches and of another store`() async throws {
        let other = try program.another()
        try await queue()
        #expect("\(other.outbox)" == waiting)
        try program.restart()
        #expect("\(program.outbox)" == waiting)
    }

    @Test func `Printing the outbox during a request marks the entry in flight`() async throws {
        try await queue()
        let outbox = program.outbox
        outbox.width = 1
        let texts = Box<[String]>([])
        server.whenArriving { _ in texts.value.append("\(outbox)") }
        server.fail(.status(403))
        await outbox.drain()
        #expect(texts.value.first?.contains("1 POST https://api.example.com/issues (sending)") == true)
        let last = try #require(texts.value.last)
        #expect(last.hasPrefix("2 changes wait\n1 POST https://api.example.com/issues (refused: "))
        #expect(last.hasSuffix("2 PATCH https://api.example.com/issues/1 (sending)"))
    }

    @Test func `Printing a long outbox ends after a hundred entries`() async throws {
        for number in 0..<103 {
            let issue = Issue(in: program.main)
            issue.title = "\(number)"
            try await issue.save(.queued)
        }
        let lines = "\(program.outbox)".split(separator: "\n")
        #expect(lines.count == 102)
        #expect(lines.first == "103 changes wait")
        #expect(lines.last == "… and 3 more")
    }

    @Test func `Printing the outbox of a closed store shows the error`() async throws {
        try await queue()
        program.store.close()
        #expect("\(program.outbox)".hasPrefix("The outbox can't be read: "))
    }
}
