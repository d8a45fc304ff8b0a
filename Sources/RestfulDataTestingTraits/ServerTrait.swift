public import RestfulData
public import RestfulDataTesting
public import Testing

/// The server and the store of the running test.
///
/// ```swift
/// @Test(.server(models: [Issue.self]) { try $0.seed(Issue.self, json: #"{"id": 1}"#) })
/// @MainActor func issuesAreShown() async throws {
///     let store = try TestWorld.store()
///     #expect(try await Issue.fetchAll(in: store.main).count == 1)
///     #expect(try TestWorld.server().requests == ["GET /issues"])
/// }
/// ```
public enum TestWorld {
    @TaskLocal static var current: Current?

    struct Current: Sendable {
        var server: TestServer?
        let store: Store
    }

    /// The test has no trait that gives it what it asks for.
    public struct Missing: Error, CustomStringConvertible {
        let what: String

        /// What is missing, and what to do.
        public var description: String {
            "the test has no \(what); give it the trait .server(models:) or .replay(_:models:), and ask in its own task"
        }
    }

    /// The server of the test's trait `.server(models:)`.
    ///
    /// - Throws: ``Missing`` for a test without that trait.
    public static func server() throws -> TestServer {
        guard let server = current?.server else { throw Missing(what: "server") }
        return server
    }

    /// The test's store, which no other test has.
    ///
    /// - Throws: ``Missing`` for a test without a trait of this module.
    public static func store() throws -> Store {
        guard let store = current?.store else { throw Missing(what: "store") }
        return store
    }
}

/// Gives each test a server that is made of models, and a store that is served by it.
public struct ServerTrait: TestTrait, SuiteTrait, TestScoping {
    let models: [any Model.Type]
    let conventions: APIConventions
    let setUp: @Sendable (TestServer) throws -> Void

    /// A suite's tests have the trait, each with its own server.
    public var isRecursive: Bool { true }

    /// Runs a test with a new server and store. When the test ends, a request that no route matched is an issue of it.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let server = try TestServer(models: models, conventions: conventions, setUp)
        let store = try Store(.temporary, models: models, api: API(server))
        let world = TestWorld.Current(server: server, store: store)
        try await TestWorld.$current.withValue(world) { try await function() }
        for text in server.unmatched { Issue.record("\(text)") }
    }
}

extension Trait where Self == ServerTrait {
    /// Gives each test a ``TestServer`` and a store that is served by it, by ``TestWorld``.
    ///
    /// - Parameters:
    ///   - models: the model classes of both.
    ///   - conventions: what the service does its own way.
    ///   - setUp: seeds objects and declares rules.
    public static func server(
        models: [any Model.Type], conventions: APIConventions = .default,
        _ setUp: @escaping @Sendable (TestServer) throws -> Void = { _ in }
    ) -> ServerTrait {
        ServerTrait(models: models, conventions: conventions, setUp: setUp)
    }
}
