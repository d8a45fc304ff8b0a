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

    /// The error of a test that lacks the trait that it needs.
    public struct Missing: Error, CustomStringConvertible {
        let what: String

        /// The missing object, and the way to get it.
        public var description: String {
            "the test has no \(what); give it the trait .server(models:) or .replay(_:models:), and ask in its own task"
        }
    }

    /// Returns the server of the test's trait `.server(models:)`.
    ///
    /// - Throws: ``Missing`` if the test lacks that trait.
    public static func server() throws -> TestServer {
        guard let server = current?.server else { throw Missing(what: "server") }
        return server
    }

    /// Returns the test's own store.
    ///
    /// - Throws: ``Missing`` if the test has no trait of this module.
    public static func store() throws -> Store {
        guard let store = current?.store else { throw Missing(what: "store") }
        return store
    }
}

/// A trait that gives each test a server made of models, and a store that uses it.
public struct ServerTrait: TestTrait, SuiteTrait, TestScoping {
    let models: [any Model.Type]
    let conventions: APIConventions
    let setUp: @Sendable (TestServer) throws -> Void

    /// True: each test of a suite gets its own server.
    public var isRecursive: Bool { true }

    /// Runs a test with a new server and store. At the end, each unmatched request is recorded as an issue.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let server = try TestServer(models: models, conventions: conventions, setUp)
        let store = try Store(.temporary, models: models, api: API(server))
        let world = TestWorld.Current(server: server, store: store)
        defer { for text in server.unmatched { Issue.record("\(text)") } }
        try await TestWorld.$current.withValue(world) { try await function() }
    }
}

extension Trait where Self == ServerTrait {
    /// Gives each test a ``TestServer`` and a store that uses it. The test gets them from ``TestWorld``.
    public static func server(
        models: [any Model.Type], conventions: APIConventions = .default,
        _ setUp: @escaping @Sendable (TestServer) throws -> Void = { _ in }
    ) -> ServerTrait {
        ServerTrait(models: models, conventions: conventions, setUp: setUp)
    }
}
