import Foundation
import RestfulData
import Synchronization
import TestSupport

@testable import ObjectStore

/// The environment of an app: a store in a file, a service, and the requests that it has begun and does not wait for.
@MainActor final class Stage {
    let server = PlayServer()
    private let models: [any Model.Type]
    private var file: TemporaryFile
    private(set) var store: Store
    private let clock = StageClock()
    private var queue: DispatchQueue?
    private var tasks: [Task<Void, Never>] = []
    private var isKilled = false
    /// The errors of requests, for the report of a failure.
    private(set) var errors: [String] = []

    var main: ObjectContext { store.main }

    init(_ models: [any Model.Type]) throws {
        self.models = models
        file = try TemporaryFile()
        store = try Self.open(file, models, server, clock)
        follow()
    }

    private static func open(
        _ file: TemporaryFile, _ models: [any Model.Type], _ server: PlayServer, _ clock: StageClock
    ) throws -> Store {
        // The timeout is longer than any machine takes for a play.
        var api = API(
            "https://api.example.com", timeout: .seconds(365 * 86_400), limits: .unlimited, transport: server)
        api.now = { clock.seconds }
        return try Store(.file(URL(filePath: file.path)), models: models, api: api)
    }

    /// Has the schedule drain the store's queue.
    private func follow() {
        if let queue { Schedule.shared.remove(queue) }
        queue = DispatchQueue.writing(store.file)
        if let queue { Schedule.shared.add(queue) }
    }

    /// Begins something and goes on.
    func begin(_ body: @escaping @MainActor () async throws -> Void) {
        tasks.append(Task { await attempt(body) })
    }

    /// Runs an operation, and notes its error.
    ///
    /// - Returns: the error.
    @discardableResult
    func attempt(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            errors.append("\(error)")
            return error
        }
    }

    func forgetErrors() { errors = [] }

    /// Waits until all tasks wait for the server.
    func settle() async {
        await OneThread.idle()
        clock.tick()
    }

    /// Waits for all that was begun, which the server answers now.
    func complete() async {
        server.isHeld = false
        server.deliverAll()
        await waitForTasks()
    }

    /// Loses all connections, and waits for the tasks that have waited for the server.
    func cutOff() async {
        server.isDown = true
        server.loseAll()
        await waitForTasks()
    }

    private func waitForTasks() async {
        // Those that wait may begin others.
        while let task = tasks.popLast() { await task.value }
    }

    /// Ends all tasks at the end of a play.
    func close() async {
        await cutOff()
        await OneThread.idle()
        if let queue { Schedule.shared.remove(queue) }
        queue = nil
    }

    /// Ends the app in the midst of its requests, once `save` has saved its edits, and begins it again. Every other
    /// time it is killed: the results of its requests by then are lost.
    func restart(saving save: () async throws -> Void) async throws {
        try await save()
        isKilled.toggle()
        var next = try await image()
        await cutOff()
        if !isKilled {
            try await save()
            next = try await image()
        }
        store.close()
        file = next
        store = try Self.open(file, models, server, clock)
        follow()
        server.isDown = false
    }

    /// A copy of the file and its WAL between two transactions: otherwise data copied from the WAL into the file
    /// meanwhile might be in neither.
    private func image() async throws -> TemporaryFile {
        let file = file
        return try await store.file.write { writer in (try file.copy(), ChangeSet(writer.schema)) }
    }
}

/// The time of a play, which goes on by a second a step.
private final class StageClock: Sendable {
    private let time = Mutex(1_700_000_000.0)

    /// Seconds since 1970.
    var seconds: Double { time.withLock { $0 } }

    func tick() { time.withLock { $0 += 1 } }
}

extension Stage {
    /// The rows of the file's tables, without the schema and the stored answers, which hold row numbers in blobs.
    ///
    /// - Parameter marks: the marks that replace random numbers, in the order of their first occurrence.
    func snapshot(_ marks: inout [Substring: Int]) throws -> [String] {
        let database = try Database(file.path)
        let tables = try database.rows(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('_schema', '_answer', '_answer_change')
            ORDER BY name
            """)
        var lines: [String] = []
        for table in tables.compactMap({ $0[0] }) {
            let columns = try database.rows("SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('\(table)')")
            let list = columns.compactMap { $0[0] }.joined(separator: ", ")
            for row in try database.rows("SELECT \(list) FROM \"\(table)\"") {
                let text = row.map { $0 ?? "" }.joined(separator: " ")
                lines.append("\(table): \(Self.masked(text, &marks))")
            }
        }
        return lines
    }

    /// Replaces rows of new objects and stamps of edits, which each process begins at a random number, and the holders
    /// of requests. Stamps also occur in base 36.
    private static func masked(_ text: String, _ marks: inout [Substring: Int]) -> String {
        func mark(_ number: Substring) -> String {
            let mark = marks[number] ?? marks.count
            marks[number] = mark
            return "#\(mark)"
        }
        // Keys of members without an identity, such as `row -5712667048204709319`, are in base 64.
        return text.replacing(/cm93I[A-Za-z0-9+\/=]+/) { match in
            let key = Data(base64Encoded: String(match.output)).map { String(decoding: $0, as: UTF8.self) }
            return key ?? String(match.output)
        }
        .replacing(/'[0-9]+-[0-9]+-[0-9]{12,}'/) { mark($0.output) }
        .replacing(/-?[0-9]{12,}/) { mark($0.output) }
        .replacing(/"":"([0-9a-z]{10,})`/) { "\"\":\"\(mark($0.output.1))`" }
    }
}

/// A second context of the main actor.
@MainActor final class SideContext {
    let context: ObjectContext
    private let hold: AnyObject

    init(_ store: Store) {
        let own = store.context(on: MainActor.shared)
        (context, hold) = (own.context, own as AnyObject)
    }
}
