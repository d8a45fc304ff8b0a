import Foundation
import RestfulData
import Synchronization
import TestSupport
import Testing

@testable import ObjectStore

/// Opening a store away from the caller's actor.
@MainActor
@Suite struct AsynchronousOpeningTests {
    enum First {
        @Model final class User {
            var identifier: Int?
            var score: Int?
        }
    }

    enum Second {
        @Model final class User {
            var identifier: Int?
            var score: String?
        }
    }

    @Test func `A migration runs away from the main actor and tells its progress`() async throws {
        let file = try TemporaryFile()
        let first = try await Store.open(.file(file.path), models: [First.User.self])
        try await first.main.take(First.User.self, #"{"id": 1, "score": 5}"#)
        first.close()
        let threads = Threads()
        let options = StoreOptions { _ in threads.note() }
        let second = try await Store.open(.file(file.path), models: [Second.User.self], options: options)
        #expect(threads.areMain.withLock { !$0.isEmpty && !$0.contains(true) })
        #expect(try second.main.find(Second.User.self, 1)?.score == "5")
    }

    private final class Threads: Sendable {
        let areMain = Mutex<[Bool]>([])
        func note() { areMain.withLock { $0.append(Thread.isMainThread) } }
    }
}
