import Foundation
import RestfulData
import TestSupport

/// A program with a store in a file, which can end without a word and start again.
@MainActor final class Program {
    let server: OutboxServer
    private(set) var store: Store
    private var file: TemporaryFile
    private let api: @Sendable () -> API
    private let options: StoreOptions
    /// How many requests are sent side by side.
    private let width: Int

    var main: ObjectContext { store.main }
    var outbox: RestfulData.Outbox { store.outbox }

    init(
        _ server: OutboxServer = OutboxServer(), conventions: APIConventions = .default,
        limits: RequestLimits? = nil, width: Int = 8, options: StoreOptions = StoreOptions(),
        token: @escaping @Sendable () -> String? = { nil }
    ) throws {
        self.server = server
        (self.options, self.width) = (options, width)
        api = {
            API("https://api.example.com", conventions: conventions, limits: limits, transport: server) {
                if let token = token() { BearerToken(token, account: token) }
            }
        }
        file = try TemporaryFile()
        store = try Store(.file(file.path), models: Tracker.models, api: api(), options: options)
        outbox.width = width
    }

    /// Ends without notice, and starts again: everything outside of the file is lost.
    func restart() throws {
        file = try file.copy()
        store = try Store(.file(file.path), models: Tracker.models, api: api(), options: options)
        outbox.width = width
    }

    /// Another store on the same file.
    func another() throws -> Store {
        let other = try Store(.file(file.path), models: Tracker.models, api: api(), options: options)
        other.outbox.width = width
        return other
    }

    /// Ends, runs as a version with other models, and starts again.
    func restart(as models: [any Model.Type], _ body: (Store) async throws -> Void) async throws {
        file = try file.copy()
        let other = try Store(.file(file.path), models: models, api: api(), options: options)
        other.outbox.width = width
        try await body(other)
        try restart()
    }

    func imported<M: Model>(_ type: M.Type, _ json: String) async throws -> M { try await store.imported(type, json) }

    func find<M: Model>(_ type: M.Type) throws -> [M] { try main.query(type).fetch() }
}
