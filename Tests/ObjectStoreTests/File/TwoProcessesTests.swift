import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Several processes that have one file open by this library.
@MainActor
@Suite struct TwoProcessesTests {
    private let file: TemporaryFile
    private let store: Store

    init() throws {
        file = try TemporaryFile()
        store = try Store(.file(file.path), models: World.models)
    }

    /// Lets other processes write, one after the other, while the main actor is in the middle of a step, which
    /// then ends.
    private func whileMainIsBusy(_ bodies: [@Sendable (ObjectContext) async throws -> Void]) async throws {
        let (path, schema) = (file.path, store.schema)
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            for body in bodies { try await OtherProcess.run(path, schema, body) }
            done.signal()
        }
        try #require(done.wait(timeout: .now() + .seconds(Int(patience.components.seconds))) == .success)
        store.main.mergeWaitingChanges()
    }

    @Test func `A deleted object doesn't turn into a new one that another process inserted`() async throws {
        try await store.main.take(User.self, #"[{"id": 1}, {"id": 2, "login": "b"}]"#)
        let user = try #require(try store.main.find(User.self, 2))
        user.name = "mine"
        try await whileMainIsBusy([
            { context in context.delete(try #require(try context.find(User.self, 2))) },
            { context in try await context.take(User.self, #"{"id": 3, "login": "c"}"#) },
        ])
        let other = try #require(try store.main.find(User.self, 3))
        #expect(user.isDeleted && user.identifier == 2 && user.login == "b")
        #expect(other !== user && other.login == "c" && other.name == nil)
    }

    @Test func `Row numbers are unique across processes`() async throws {
        try await store.main.take(Issue.self, #"[{"id": 1, "number": 5}, {"id": 2}]"#)
        let issue = try #require(try store.main.find(Issue.self, 2))
        try await whileMainIsBusy([
            { context in context.delete(try #require(try context.find(Issue.self, 2))) },
            { context in
                try await context.take(Issue.self, #"[{"id": 3}, {"id": 4}]"#)
                context.delete(try #require(try context.find(Issue.self, 4)))
            },
            { context in try await context.take(Issue.self, #"{"id": 5}"#) },
        ])
        #expect(try store.main.query(Issue.self).order(by: { $0.identifier }).fetch().map(\.identifier) == [1, 3, 5])
        #expect(issue.isDeleted && issue.identifier == 2)
        #expect(try Set(Database(file.path).rows("SELECT _id FROM issue").map { $0[0] }) == ["1", "3", "5"])
    }
}
