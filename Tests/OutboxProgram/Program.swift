import Foundation
import RestfulData

/// A program with an outbox, which tests run in processes of their own and kill:
///
///     OutboxProgram ACTION FILE BASE-URL RUN WIDTH KEYS STATEMENT
///
/// RUN names the process in its requests. It sends WIDTH requests side by side, with idempotency keys if KEYS is 1, and
/// kills itself at the STATEMENT-th beginning or end of an SQL statement if that isn't 0. It ends with status 0 once it
/// has sent everything.
@main @MainActor struct Program {
    private let path: String
    private let api: API
    private let width: Int

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 8 else { throw Failure("usage: ACTION FILE BASE-URL RUN WIDTH KEYS STATEMENT") }
        let program = Program(arguments)
        if let statement = Int(arguments[7]), statement > 0 { StatementKill.plan(after: statement) }
        switch arguments[1] {
        case "send": try await program.send()
        case "queue-and-send": try await program.queueAndSend()
        case "take-over": try await program.takeOver()
        default: throw Failure("unknown action \(arguments[1])")
        }
    }

    private init(_ arguments: [String]) {
        var conventions = APIConventions.default
        conventions.usesIdempotencyKeys = arguments[6] == "1"
        let fields: HTTPFields = [.run: arguments[4], .process: String(getpid())]
        path = arguments[2]
        api = API(arguments[3], conventions: conventions, timeout: .seconds(600), limits: .unlimited) {
            Headers(fields)
        }
        width = Int(arguments[5]) ?? 1
    }

    private func open() throws -> Store {
        let store = try Store(.file(path), models: [Repo.self, Issue.self, Label.self], api: api)
        store.outbox.width = width
        return store
    }

    /// Sends the file's outbox.
    private func send() async throws {
        let store = try open()
        let report = await store.outbox.drain()
        guard !report.isBusy, report.problem == nil else { throw Failure("\(report)") }
        store.close()
    }

    // MARK: Two processes

    /// Queues changes, and sends them with those of the other process until it is killed.
    private func queueAndSend() async throws {
        let store = try open()
        try await queue("first", in: store)
        try await signal("first queued")
        try await wait(for: "second queued")
        await store.outbox.drain()
    }

    /// Queues changes, finds that the other process sends, and sends everything when that has ended.
    private func takeOver() async throws {
        let store = try open()
        try await wait(for: "first queued")
        try await queue("second", in: store)
        try await signal("second queued")
        try await wait(for: "sends")
        let busy = await store.outbox.drain()
        guard busy.isBusy, busy.sent == 0 else { throw Failure("two processes send: \(busy)") }
        try await signal("seen")
        try await wait(for: "first ended")
        let report = await store.outbox.drain()
        guard !report.isBusy, report.waiting == 0, report.rejected == 0 else { throw Failure("\(report)") }
        store.close()
    }

    private func queue(_ prefix: String, in store: Store) async throws {
        for number in 1...3 {
            let issue = Issue(in: store.main)
            (issue.title, issue.body) = ("v\(number)", "\(prefix) \(number)")
            try await issue.save(.queued)
        }
    }

    /// Signals another process, by way of the server.
    private func signal(_ name: String) async throws { _ = try await api.send(.post, "/signals/:name", ["name": name]) }

    private func wait(for name: String) async throws { _ = try await api.send(.get, "/signals/:name", ["name": name]) }
}

private struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension HTTPField.Name {
    // The texts are field names by RFC 9110 §5.1, so there is always a value.
    fileprivate static let run = Self("X-Run")!
    fileprivate static let process = Self("X-Process")!
}
