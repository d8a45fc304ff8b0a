import Foundation
import RestfulData

extension ScalingChecks {
    /// Queries with a result that is independent of n.
    static let querying = [
        ScalingCheck(name: "isAmong three identities, in n rows", unit: "query", size: 1_000) { n in
            try await TestStore.with { store in
                try await store.importRows(Post.self, 1...n)
                let query = store.main.query(Post.self).where { $0.identifier.isAmong([1, n / 2, n]) }
                return try repeated(200) { try query.fetch().count == 3 }
            }
        },
        ScalingCheck(name: "limit(20), in n rows", unit: "query", size: 1_000) { n in
            try await withAndWithoutEdit(n) { try $0.query(Post.self).limit(20).fetch().count == 20 }
        },
        ScalingCheck(name: "count of a condition, in n rows", unit: "query", size: 1_000) { n in
            try await withAndWithoutEdit(n) { try $0.query(Post.self).where { $0.score == 0 }.count() >= n - 1 }
        },
    ]

    /// A query of a store of n rows, and the same once a row in the middle has an unsaved edit.
    @MainActor private static func withAndWithoutEdit(
        _ n: Int, _ isRight: @MainActor (ObjectContext) throws -> Bool
    ) async throws -> Cost {
        try await TestStore.with { store in
            try await store.importRows(Post.self, 1...n)
            let without = try repeated(20) { try isRight(store.main) }
            let edited = try store.main.find(Post.self, n / 2)
            edited?.title = "Edited"
            return try repeated(20) { try isRight(store.main) }.compared(with: without)
        }
    }

    @MainActor private static func repeated(_ count: Int, _ query: () throws -> Bool) throws -> Cost {
        // The first call prepares statements, which is excluded from the others' cost.
        guard try query() else { throw WrongResult(expected: 1, found: 0) }
        return try Cost.ofCalls(count) { _ = try query() }
    }
}
