import Foundation
import RestfulData

extension ScalingChecks {
    /// Edits, and the first write of all.
    static let saving = [
        ScalingCheck(name: "edits saved", unit: "object", size: 500) { n in
            try await TestStore.with { store in
                try await store.importRows(Post.self, 1...n)
                let posts = try store.main.query(Post.self).fetch()
                return try await Cost.of(n) {
                    for post in posts { post.title += "!" }
                    try await store.main.save()
                }
            }
        },
        ScalingCheck(name: "first write after opening a store of n rows", unit: "write", size: 2_000) { n in
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("scale-\(UUID()).sqlite").path
            defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
            let filled = try TestStore(.file(path))
            try await filled.importRows(Post.self, 1...n)
            filled.store.close()
            return try await leastWrite {
                let store = try TestStore(.file(path))
                defer { store.store.close() }
                return try await write(store)
            }
        },
        ScalingCheck(name: "first write after a refused save, in a store of n rows", unit: "write", size: 2_000) { n in
            try await TestStore.with { store in
                try await store.importRows(Post.self, 1...n)
                return try await leastWrite {
                    Post(in: store.main).identifier = 1
                    do { try await store.main.save() } catch StoreError.duplicateIdentity { store.main.rollback() }
                    return try await write(store)
                }
            }
        },
    ]

    /// The cheapest of ten.
    @MainActor private static func leastWrite(_ measure: @MainActor () async throws -> Cost) async throws -> Cost {
        var least = try await measure()
        for _ in 1..<10 { least = .least(least, try await measure()) }
        return least
    }

    /// One new object, saved.
    @MainActor private static func write(_ store: TestStore) async throws -> Cost {
        Post(in: store.main).title = "New"
        return try await Cost.of(1) { try await store.main.save() }
    }
}
