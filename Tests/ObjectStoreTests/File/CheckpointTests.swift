import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// The write-ahead log, and when it is copied into the file.
@MainActor
@Suite struct CheckpointTests {
    /// More than the 1,000 pages of 4 KiB after which a checkpoint is due.
    private static func body(_ round: Int) -> String {
        "["
            + (1...2_000).map { #"{"id": \#($0), "name": "\#(round) \#(String(repeating: "x", count: 3_000))"}"# }
            .joined(separator: ",") + "]"
    }

    private func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    /// Follows a checkpoint in the writer's queue. The checkpoint is made after the caller's answer, or after the next
    /// one if a reader was in its way.
    private func waitForCheckpoint(_ store: Store) async throws {
        for name in ["small", "smaller"] {
            try await store.main.take(Label.self, #"{"id": 0, "name": "\#(name)"}"#)
        }
    }

    @Test func `A large import is copied into the file, and the log starts again`() async throws {
        let store = try Store(of: [Label.self])
        let empty = try size(store.path)
        // Held, so that the context reads after each round.
        let held = try await store.main.take(Label.self, #"{"id": 1, "name": "first"}"#).objects[0]
        try await store.main.take(Label.self, Self.body(1))
        #expect(held.name.hasPrefix("1 x"))
        try await waitForCheckpoint(store)
        #expect(try size(store.path) > empty + 4_096_000)
        for round in 2...4 {
            try await store.main.take(Label.self, Self.body(round))
            #expect(held.name.hasPrefix("\(round) x"))
            try await waitForCheckpoint(store)
        }
        // The context's read ends when its actor is free, and other tests may keep that.
        for _ in 0..<100 where try size(store.path + "-wal") >= 4_096_000 { try await waitForCheckpoint(store) }
        #expect(try size(store.path + "-wal") < 4_096_000, "less than one round has written")
        #expect(try store.check() == [])
    }

    @Test func `Small writes stay in the log until there are many`() async throws {
        let store = try Store(of: [Label.self])
        let empty = try size(store.path)
        for round in 0..<5 { try await store.main.take(Label.self, #"{"id": \#(round)}"#) }
        #expect(try size(store.path) == empty)
        // Of one page each at least.
        for round in 0..<1_100 { try await store.main.take(Label.self, #"{"id": 1, "name": "\#(round)"}"#) }
        try await waitForCheckpoint(store)
        #expect(try Database(store.path).value("SELECT name FROM label WHERE identifier = 1") == "1099")
        let log = try size(store.path + "-wal")
        #expect(try size(store.path) > empty && log < 2_000 * 4_120, "\(log)")
    }
}
