import Foundation
import RestfulData
import TestSupport

@testable import ObjectStore

/// What an app runs on: a store in a file, a service, and the requests that it has begun and does not wait for.
@MainActor final class Stage {
    let server = PlayServer()
    private let models: [any Model.Type]
    private var file: TemporaryFile
    private(set) var store: Store
    private var tasks: [Task<Void, Never>] = []
    private var ended = 0
    private var isKilled = false
    /// What requests have thrown, for the report of a failure.
    private(set) var errors: [String] = []

    var main: ObjectContext { store.main }

    init(_ models: [any Model.Type]) throws {
        self.models = models
        file = try TemporaryFile()
        store = try Self.open(file, models, server)
    }

    private static func open(
        _ file: TemporaryFile, _ models: [any Model.Type], _ server: PlayServer
    ) throws -> Store {
        try Store(
            .file(URL(filePath: file.path)), models: models,
            api: API("https://api.example.com", limits: .unlimited, transport: server))
    }

    /// Begins something and goes on.
    func begin(_ body: @escaping @MainActor () async throws -> Void) {
        tasks.append(
            Task {
                await attempt(body)
                ended += 1
            })
    }

    /// Does something, and notes what it throws.
    ///
    /// - Returns: what it threw.
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

    /// Waits until nothing goes on but what waits for the server, as far as can be told.
    func settle() async {
        var before: [Int] = []
        var quiet = 0
        while quiet < 3 {
            let now = server.counts + [ended]
            quiet = now == before ? quiet + 1 : 0
            before = now
            await Task.yield()
            guard ended < tasks.count else { return }
            // What the store does meanwhile is done elsewhere, and comes back here.
            for _ in 0..<4 {
                await Task.detached { await Task.yield() }.value
                await Task.yield()
            }
        }
    }

    /// Waits for all that was begun, which the server answers now.
    func complete() async {
        server.isHeld = false
        server.deliverAll()
        await waitForTasks()
    }

    /// Loses all connections, and waits for those who have waited for the server.
    func cutOff() async {
        server.isDown = true
        server.loseAll()
        await waitForTasks()
    }

    private func waitForTasks() async {
        // Those that wait may begin others.
        while let task = tasks.popLast() { await task.value }
        ended = 0
    }

    /// Ends the app once `save` has saved what it has, in the midst of its requests, and begins it again. Every other
    /// time it is killed: what has come of the requests by then is nowhere.
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
        store = try Self.open(file, models, server)
        server.isDown = false
    }

    /// A copy of the file and its WAL as they are between two transactions: else what is copied from the WAL into the
    /// file meanwhile might be in neither.
    private func image() async throws -> TemporaryFile {
        let file = file
        return try await store.file.write { writer in (try file.copy(), ChangeSet(writer.schema)) }
    }
}

/// A context of the main actor beside its main one.
@MainActor final class SideContext {
    let context: ObjectContext
    private let hold: AnyObject

    init(_ store: Store) {
        let own = store.context(on: MainActor.shared)
        (context, hold) = (own.context, own as AnyObject)
    }
}
