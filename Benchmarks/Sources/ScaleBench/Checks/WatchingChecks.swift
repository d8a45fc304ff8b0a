import Foundation
import Observation
import RestfulData

extension ScalingChecks {
    /// Observers of changes, and operations on all of the data.
    static let watching = [
        ScalingCheck(
            name: "one edit, beside n live results of one object each", unit: "edit", size: 100, isLinear: true
        ) {
            n in
            try await withLiveResults(n) { _, posts in Cost.ofCalls(50) { posts[0].score += 1 } }
        },
        ScalingCheck(
            name: "one edit saved, beside n live results of one object each", unit: "save", size: 100, isLinear: true
        ) {
            n in
            try await withLiveResults(n) { store, posts in
                try await Cost.of(20) {
                    for post in posts.prefix(20) {
                        post.score += 1
                        try await store.main.save()
                    }
                }
            }
        },
        ScalingCheck(name: "n objects edited, with all in one live result", unit: "edit", size: 250) { n in
            try await withPosts(n) { store, posts in
                let live = try store.main.query(Post.self).order { $0.score }.live()
                return try await Cost.of(n) {
                    for post in posts { post.score = 100_000 - post.score }
                    try await store.main.save()
                    guard live.count == n else { throw CocoaError(.featureUnsupported) }
                }
            }
        },
        ScalingCheck(name: "an edit that moves one between n sections", unit: "edit", size: 250, isLinear: true) { n in
            try await withPosts(n) { store, posts in
                for (number, post) in posts.enumerated() { post.score = number }
                try await store.main.save()
                let sections = try store.main.query(Post.self).liveSections(by: { $0.score })
                guard sections.count == n else { throw CocoaError(.featureUnsupported) }
                return try Cost.ofCalls(50) {
                    posts[0].score += 1
                    guard sections.count >= n - 1 else { throw CocoaError(.featureUnsupported) }
                }
            }
        },
        ScalingCheck(name: "an edit that moves one between ten sections of n", unit: "edit", size: 250) { n in
            try await withPosts(n) { store, posts in
                for (number, post) in posts.enumerated() { post.score = number % 10 }
                try await store.main.save()
                let sections = try store.main.query(Post.self).liveSections(by: { $0.score })
                guard sections.count == 10 else { throw CocoaError(.featureUnsupported) }
                return try Cost.ofCalls(50) {
                    posts[0].score = (posts[0].score + 1) % 10
                    guard sections.count == 10 else { throw CocoaError(.featureUnsupported) }
                }
            }
        },
        ScalingCheck(name: "one edit, beneath a draft of n edits", unit: "edit", size: 250) { n in
            try await withPosts(n) { store, posts in
                let draft = try store.main.draft()
                for post in posts { draft.object(for: post)?.score += 1 }
                return withExtendedLifetime(draft) { Cost.ofCalls(20) { posts[0].title += "!" } }
            }
        },
        ScalingCheck(name: "one edit saved, beneath a draft of n edits", unit: "save", size: 250) { n in
            try await withPosts(n) { store, posts in
                let draft = try store.main.draft()
                for post in posts { draft.object(for: post)?.score += 1 }
                let cost = try await Cost.of(20) {
                    for post in posts.prefix(20) {
                        post.title += "!"
                        try await store.main.save()
                    }
                }
                return withExtendedLifetime(draft) { cost }
            }
        },
        ScalingCheck(name: "a row imported, beneath a draft of n edits", unit: "import", size: 250) { n in
            try await withPosts(n) { store, posts in
                let draft = try store.main.draft()
                for post in posts { draft.object(for: post)?.score += 1 }
                let cost = try await Cost.of(20) {
                    for number in 1...20 {
                        _ = try await store.imported(Post.self, #"{"id": \#(number), "title": "new \#(number)"}"#)
                    }
                }
                return withExtendedLifetime(draft) { cost }
            }
        },
        ScalingCheck(name: "a row imported, beside n unsaved edits", unit: "import", size: 250) { n in
            try await withPosts(n) { store, posts in
                for post in posts { post.score += 1 }
                return try await Cost.of(20) {
                    for number in 1...20 {
                        _ = try await store.imported(Post.self, #"{"id": \#(number), "title": "new \#(number)"}"#)
                    }
                }
            }
        },
        ScalingCheck(name: "a member imported into one of n edited lists", unit: "import", size: 100) { n in
            try await TestStore.with { store in
                let json = JSON.list(1...n) { #"{"id": \#($0), "starred": [{"id": 1}, {"id": 2}]}"# }
                let feeds = try await store.imported(Feed.self, json)
                for feed in feeds { feed.starred.swapAt(0, 1) }
                return try await Cost.of(20) {
                    for number in 1...20 {
                        _ = try await store.imported(
                            Feed.self, #"{"id": 1, "starred": [{"id": 1}, {"id": 2}, {"id": \#(number + 2)}]}"#)
                        guard feeds[0].starred.count == 3 else { throw CocoaError(.featureUnsupported) }
                    }
                }
            }
        },
        ScalingCheck(name: "an unrelated row saved, beside n observed lists", unit: "save", size: 50) { n in
            try await withObservedLists(n) { store, feeds in
                let posts = try await store.imported(Post.self, #"[{"id": 1}]"#)
                return try await Cost.of(20) {
                    for _ in 1...20 {
                        posts[0].score += 1
                        try await store.main.save()
                    }
                }
            }
        },
        ScalingCheck(name: "an entry saved, beside n observed lists", unit: "save", size: 50) { n in
            try await withObservedLists(n) { store, feeds in
                try await Cost.of(20) {
                    for number in 1...20 {
                        feeds[number].entries[0].title += "!"
                        try await store.main.save()
                    }
                }
            }
        },
        ScalingCheck(name: "an entry made and saved, beside n observed lists", unit: "save", size: 50, isLinear: true) {
            n in
            try await withObservedLists(n) { store, feeds in
                try await Cost.of(20) {
                    for number in 1...20 {
                        let entry = Entry(in: store.main)
                        entry.feed = feeds[number]
                        try await store.main.save()
                    }
                }
            }
        },
        ScalingCheck(name: "rows imported beside n observed objects", unit: "import", size: 250) { n in
            try await withPosts(n) { store, posts in
                for post in posts { track { _ = post.title } }
                return try await Cost.of(20) {
                    for number in 1...20 {
                        _ = try await store.imported(Post.self, #"{"id": 1, "title": "new \#(number)"}"#)
                    }
                }
            }
        },
        ScalingCheck(name: "objects edited in a draft, and saved", unit: "object", size: 250) { n in
            try await withPosts(n) { store, posts in
                try await Cost.of(n) {
                    let draft = try store.main.draft()
                    for post in posts { draft.object(for: post)?.score += 1 }
                    try draft.save()
                }
            }
        },
        ScalingCheck(name: "drafts, all open, and an edit in each", unit: "draft", size: 10, isLinear: true) { n in
            try await withPosts(n) { store, posts in
                try await Cost.of(n) {
                    let drafts = try posts.map { post in
                        let draft = try store.main.draft()
                        draft.object(for: post)?.score += 1
                        return draft
                    }
                    for draft in drafts { try draft.save() }
                }
            }
        },
        ScalingCheck(name: "one edit, beneath n drafts", unit: "edit", size: 10, isLinear: true) { n in
            try await withPosts(n) { store, posts in
                let drafts = try posts.map { post in
                    let draft = try store.main.draft()
                    draft.object(for: post)?.score += 1
                    return draft
                }
                return withExtendedLifetime(drafts) { Cost.ofCalls(20) { posts[0].title += "!" } }
            }
        },
        ScalingCheck(name: "objects deleted, which is undone", unit: "object", size: 250) { n in
            try await withPosts(n) { store, posts in
                let history = store.main.recordUndo(levels: 10)
                return await Cost.of(n) {
                    history.group { for post in posts { store.main.delete(post) } }
                    history.undo()
                }
            }
        },
        ScalingCheck(name: "edits rolled back", unit: "edit", size: 250) { n in
            try await withPosts(n) { store, posts in
                for post in posts { post.score += 1 }
                return await Cost.of(n) { store.main.rollback() }
            }
        },
        ScalingCheck(name: "rows updated by a query", unit: "row", size: 500) { n in
            try await withPosts(n) { store, posts in
                let cost = try await Cost.of(n) {
                    _ = try await store.main.query(Post.self).update { [$0.title.set(to: "all")] }
                }
                return withExtendedLifetime(posts) { cost }
            }
        },
        ScalingCheck(name: "rows deleted by a query", unit: "row", size: 500) { n in
            try await withPosts(n) { store, posts in
                let cost = try await Cost.of(n) { _ = try await store.main.query(Post.self).delete() }
                return withExtendedLifetime(posts) { cost }
            }
        },
        ScalingCheck(name: "isAmong n identities, in n rows", unit: "identity", size: 1_000) { n in
            try await withPosts(n) { store, posts in
                try await Cost.of(n) {
                    let ids: [Int?] = posts.map(\.identifier)
                    guard try store.main.query(Post.self).where({ $0.identifier.isAmong(ids) }).fetch().count == n
                    else {
                        throw CocoaError(.featureUnsupported)
                    }
                }
            }
        },
        ScalingCheck(name: "the lists of n objects, prefetched", unit: "object", size: 250) { n in
            try await TestStore.with { store in
                let json = JSON.list(1...n) { #"{"id": \#($0), "tags": [{"id": \#($0 % 10)}, {"id": \#($0 + 10)}]}"# }
                try await store.main.importReporting(Post.self, from: Data(json.utf8))
                return try await Cost.of(n) {
                    for post in try store.main.query(Post.self).prefetch({ $0.tags }).fetch() where post.tags.count != 2
                    {
                        throw CocoaError(.featureUnsupported)
                    }
                }
            }
        },
        ScalingCheck(name: "objects deleted elsewhere, all live here", unit: "object", size: 250) { n in
            try await withPosts(n) { store, posts in
                try await Cost.of(n) {
                    try await store.store.background { context in
                        for post in try context.query(Post.self).fetch() { context.delete(post) }
                    }
                    guard posts.allSatisfy(\.isDeleted) else { throw CocoaError(.featureUnsupported) }
                }
            }
        },
        ScalingCheck(name: "a list of n pruned to half", unit: "row", size: 250) { n in
            try await withPosts(n) { store, posts in
                let feed = try await store.imported(
                    Feed.self, #"{"id": 1, "entries": \#(JSON.objectsText(1...n))}"#)[0]
                guard feed.entries.count == n else { throw CocoaError(.featureUnsupported) }
                return try await Cost.of(n) {
                    _ = try await store.imported(
                        Feed.self, #"{"id": 1, "entries": \#(JSON.objectsText(1...n / 2))}"#)
                    guard feed.entries.count == n / 2 else { throw CocoaError(.featureUnsupported) }
                }
            }
        },
        ScalingCheck(name: "commits that nobody reads who asked for updates", unit: "commit", size: 50) { n in
            try await withPosts(50) { store, posts in
                var updates = store.main.query(Post.self).updates.makeAsyncIterator()
                _ = try await updates.next()
                let cost = try await Cost.of(n) {
                    for number in 0..<n {
                        posts[number % 50].score += 1
                        try await store.main.save()
                    }
                }
                _ = try await updates.next()
                return cost
            }
        },
        ScalingCheck(name: "members moved from one list to another", unit: "member", size: 250) { n in
            try await TestStore.with { store in
                let feeds = try await store.imported(
                    Feed.self, #"[{"id": 1, "entries": \#(JSON.objectsText(1...n))}, {"id": 2, "entries": []}]"#)
                return try await Cost.of(n) {
                    for entry in feeds[0].entries { entry.feed = feeds[1] }
                    try await store.main.save()
                    guard feeds[1].entries.count == n else { throw CocoaError(.featureUnsupported) }
                }
            }
        },
        ScalingCheck(name: "identities changed, and saved", unit: "object", size: 250) { n in
            try await withPosts(n) { store, posts in
                try await Cost.of(n) {
                    for post in posts { post.identifier = (post.identifier ?? 0) + 1_000_000 }
                    try await store.main.save()
                }
            }
        },
        ScalingCheck(name: "new objects with tags of their own, rolled back", unit: "object", size: 250) { n in
            try await withPosts(10) { store, posts in
                let tags = (0..<10).map { _ in Tag(in: store.main) }
                for _ in 0..<n { Post(in: store.main).tags = tags }
                return await Cost.of(n) { store.main.rollback() }
            }
        },
        ScalingCheck(name: "a tag taken from n posts, one by one", unit: "post", size: 100) { n in
            try await TestStore.with { store in
                let json = JSON.list(1...n) { #"{"id": \#($0), "tags": [{"id": 1}]}"# }
                let posts = try await store.imported(Post.self, json)
                let tag = posts[0].tags[0]
                return try await Cost.of(n) {
                    for post in posts { post.tags.removeAll { $0 === tag } }
                    try await store.main.save()
                    guard tag.posts.isEmpty else { throw CocoaError(.featureUnsupported) }
                }
            }
        },
    ]

    /// Runs `body` with so many objects, each of which is the result of a live query.
    @MainActor private static func withLiveResults(
        _ count: Int, _ body: @MainActor (TestStore, [Post]) async throws -> Cost
    ) async throws -> Cost {
        try await withPosts(count) { store, posts in
            let lives = try posts.map { post in
                let id = post.identifier
                return try store.main.query(Post.self).where { $0.identifier == id }.live()
            }
            let cost = try await body(store, posts)
            return withExtendedLifetime(lives) { cost }
        }
    }

    /// The same with so many lists of one entry each, all of which somebody tracks.
    @MainActor private static func withObservedLists(
        _ count: Int, _ body: @MainActor (TestStore, [Feed]) async throws -> Cost
    ) async throws -> Cost {
        try await TestStore.with { store in
            let json = JSON.list(1...count) { #"{"id": \#($0), "entries": [{"id": \#($0)}]}"# }
            let feeds = try await store.imported(Feed.self, json)
            for feed in feeds { track { _ = feed.entries.count } }
            return try await body(store, feeds)
        }
    }

    @MainActor static func track(_ read: () -> Void) { withObservationTracking(read, onChange: {}) }
}
