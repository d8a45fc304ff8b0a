import Foundation
import RestfulData
import Synchronization
import TestSupport
import Testing

@testable import ObjectStore

/// The WAL stays small, with any readers.
@MainActor
@Suite struct WriteAheadLogTests {
    @Test(arguments: [0, 50])
    func `The WAL stays small while contexts read between the writes`(_ readers: Int) async throws {
        let store = try Store(of: World.models)
        let flag = Flag()
        let reading = Task.detached {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<readers {
                    group.addTask {
                        try await store.background { context in
                            while !flag.isSet {
                                _ = try context.query(User.self).limit(3).fetch()
                                await Task.yield()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        var largest = 0
        for round in 1...40 {
            let text = String(repeating: "\(round) ", count: 300)
            let users = (1...600).map { #"{"id": \#($0), "login": "\#(text)"}"# }
            try await store.main.importReporting(User.self, from: Array("[\(users.joined(separator: ","))]".utf8))
            largest = max(largest, try walSize(of: store))
        }
        flag.set()
        try await reading.value
        // 40 times half a megabyte was written.
        #expect(largest > 0 && largest < 8 << 20)
    }

    private func walSize(of store: Store) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: store.path + "-wal")
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }
}
