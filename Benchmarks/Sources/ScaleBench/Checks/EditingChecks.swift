import Foundation
import RestfulData

extension ScalingChecks {
    /// Drafts, undo, observation, and single steps.
    static let editing = [
        ScalingCheck(name: "a draft of one object, above n unsaved ones", unit: "draft", size: 250, isLinear: true) {
            n in
            try await withPosts(n) { store, posts in
                for post in posts { post.score = 7 }
                return try Cost.ofCalls(20) {
                    let draft = try store.main.draft()
                    guard let post = draft.object(for: posts[0]) else { throw CocoaError(.featureUnsupported) }
                    post.title += "!"
                    guard draft.hasChanges else { throw CocoaError(.featureUnsupported) }
                    try draft.save()
                }
            }
        },
        ScalingCheck(name: "edits, each of which is undone", unit: "edit", size: 250) { n in
            try await withPosts(n) { store, posts in
                let history = store.main.recordUndo(levels: n)
                return try await Cost.of(n) {
                    for post in posts {
                        post.score += 1
                        _ = history.undo()
                    }
                }
            }
        },
        ScalingCheck(name: "edits, all of which are undone", unit: "edit", size: 250) { n in
            try await withPosts(n) { store, posts in
                let history = store.main.recordUndo(levels: n)
                return try await Cost.of(n) {
                    for post in posts { history.group { post.score += 1 } }
                    while history.undo() {}
                }
            }
        },
        ScalingCheck(name: "one edit, while each of n objects is observed", unit: "edit", size: 250) { n in
            try await withPosts(n) { _, posts in
                for post in posts { track { _ = post.title } }
                return try Cost.ofCalls(100) { posts[0].score += 1 }
            }
        },
        ScalingCheck(name: "an edit that moves one in n live results", unit: "edit", size: 250) { n in
            try await withPosts(n) { store, posts in
                let live = try store.main.query(Post.self).where { $0.score >= 0 }.order { $0.score }.live()
                guard live.count == n else { throw CocoaError(.featureUnsupported) }
                return try Cost.ofCalls(100) {
                    posts[0].score += 1
                    guard live.count == n else { throw CocoaError(.featureUnsupported) }
                }
            }
        },
        ScalingCheck(name: "one edit saved, of n live objects", unit: "save", size: 250) { n in
            try await withPosts(n) { store, posts in
                try await Cost.of(50) {
                    for post in posts.prefix(50) {
                        post.score += 1
                        try await store.main.save()
                    }
                }
            }
        },
        ScalingCheck(name: "one edit taken back, of n unsaved ones", unit: "rollback", size: 250) { n in
            try await withPosts(n) { _, posts in
                for post in posts { post.score = 7 }
                // The first rollback does the work that the n edits have put off, once.
                posts[2].title += "!"
                posts[2].rollback(\.title)
                return try Cost.ofCalls(100) {
                    posts[1].title += "!"
                    posts[1].rollback(\.title)
                }
            }
        },
        ScalingCheck(name: "a query with a limit, of n unsaved objects", unit: "query", size: 250, isLinear: true) {
            n in
            try await withPosts(n) { store, posts in
                for post in posts { post.score = 7 }
                return try Cost.ofCalls(20) { _ = try store.main.query(Post.self).order { $0.title }.limit(10).fetch() }
            }
        },
        ScalingCheck(name: "background contexts, one after the other", unit: "context", size: 50) { n in
            try await withPosts(10) { store, _ in
                try await Cost.of(n) {
                    for number in 1...n {
                        try await store.store.background { context in
                            try context.find(Post.self, 1)?.score = number
                        }
                    }
                }
            }
        },
        ScalingCheck(name: "background contexts, all at once", unit: "context", size: 25) { n in
            try await withPosts(10) { store, _ in
                try await Cost.of(n) {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for number in 1...n {
                            group.addTask { [store = store.store] in
                                try await store.background { context in
                                    try context.find(Post.self, 1)?.score = number
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
            }
        },
        ScalingCheck(name: "fetches that are cancelled while they wait for their turn", unit: "fetch", size: 100) { n in
            try await withPosts(n) { _, posts in
                try await Cost.of(n) {
                    let fetches = posts.map { post in Task { try? await post.fetch() } }
                    await Task.yield()
                    for fetch in fetches { fetch.cancel() }
                    for fetch in fetches { await fetch.value }
                }
            }
        },
        ScalingCheck(name: "opening a store of n rows", unit: "opening", size: 250) { n in
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("scale-\(UUID()).sqlite").path
            defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
            let filled = try TestStore(.file(path))
            try await filled.importRows(Post.self, 1...n)
            filled.store.close()
            return try Cost.ofCalls(20) { try TestStore(.file(path)).store.close() }
        },
        ScalingCheck(name: "objects fetched one by one", unit: "object", size: 50) { n in
            try await withPosts(n) { _, posts in
                try await Cost.of(n) { for post in posts { try await post.fetch() } }
            }
        },
        ScalingCheck(name: "objects created at the server one by one", unit: "object", size: 50) { n in
            try await withPosts(1) { store, _ in
                try await Cost.of(n) {
                    for number in 0..<n {
                        let post = Post(in: store.main)
                        post.title = "Post \(number)"
                        try await post.create()
                    }
                }
            }
        },
        ScalingCheck(name: "objects sent all at once", unit: "object", size: 50) { n in
            try await withPosts(n) { _, posts in
                try await Cost.of(n) {
                    let sends = posts.map { post in
                        Task {
                            post.score = 7
                            try await post.save()
                        }
                    }
                    for send in sends { try await send.value }
                }
            }
        },
        ScalingCheck(name: "one sent, of n unsaved ones", unit: "save", size: 250) { n in
            try await withPosts(n) { _, posts in
                for post in posts { post.score = 7 }
                return try await Cost.of(20) { for post in posts.prefix(20) { try await post.save() } }
            }
        },
    ]

    /// Runs `body` with so many live objects.
    @MainActor static func withPosts(
        _ count: Int, _ body: @MainActor (TestStore, [Post]) async throws -> Cost
    ) async throws -> Cost {
        try await TestStore.with(transport: EchoingServer()) { store in
            try await store.importRows(Post.self, 1...count)
            return try await body(store, try store.main.query(Post.self).fetch())
        }
    }
}
