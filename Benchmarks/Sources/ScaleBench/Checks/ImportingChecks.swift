import Foundation
import RestfulData

extension ScalingChecks {
    /// Imports, and the lists that they fill.
    static let importing = [
        ScalingCheck(name: "members of one list that wait for their rows", unit: "member", size: 250) { n in
            try await TestStore.with { store in
                let (owner, members) = (
                    Data(#"{"id": 1, "starred_ids": \#(JSON.list(1...n))}"#.utf8), JSON.objects(1...n)
                )
                return try await Cost.of(n) {
                    try await store.main.importReporting(Feed.self, from: owner)
                    try await store.main.importReporting(Entry.self, from: members)
                }
            }
        },
        ScalingCheck(name: "n more members of a list that imports add to", unit: "member", size: 1_000) { n in
            try await TestStore.with { store in
                func body(_ ids: ClosedRange<Int>) -> Data {
                    Data(#"{"id": 1, "history": \#(JSON.objectsText(ids))}"#.utf8)
                }
                try await store.main.importReporting(Feed.self, from: body(1...n))
                let more = body(n + 1...2 * n)
                return try await Cost.of(n) { try await store.main.importReporting(Feed.self, from: more) }
            }
        },
        ScalingCheck(name: "rows imported, one of them live in ten contexts", unit: "row", size: 1_000) { n in
            try await TestStore.with { store in
                try await store.importRows(Post.self, [1])
                let body = JSON.objects(1...n)
                return try await store.withContexts(10, holding: 1) {
                    try await Cost.of(n) { try await store.main.importReporting(Post.self, from: body) }
                }
            }
        },
    ]

    /// Lists that come page by page.
    static let paging = [
        ScalingCheck(name: "pages of a hundred, of a list that is links", unit: "page", size: 10) { n in
            try await pages(n) { try await $0.$entries.fetch(pages: .all()).count }
        },
        ScalingCheck(name: "pages of a hundred, of a list in a join table", unit: "page", size: 10) { n in
            try await pages(n) { try await $0.$starred.fetch(pages: .all()).count }
        },
        ScalingCheck(name: "pages of a hundred, of a list that imports add to", unit: "page", size: 10) { n in
            try await pages(n) { try await $0.$history.fetch(pages: .all()).count }
        },
        ScalingCheck(name: "pages of a hundred, all of whose members are here", unit: "page", size: 10) { n in
            try await TestStore.with(transport: PagedServer(pages: n)) { store in
                let feed = try await store.imported(Feed.self, #"{"id": 1}"#)[0]
                try await feed.$entries.fetch(pages: .all())
                return try await Cost.of(n) { try await feed.$entries.fetch(pages: .all()) }
            }
        },
        ScalingCheck(name: "pages of a hundred that are as they were, of links", unit: "page", size: 10) { n in
            try await unchangedPages(n) { try await $0.$entries.fetch(pages: .all()).count }
        },
        ScalingCheck(name: "pages of a hundred that are as they were, in a join table", unit: "page", size: 10) { n in
            try await unchangedPages(n) { try await $0.$starred.fetch(pages: .all()).count }
        },
        ScalingCheck(
            name: "lists of twenty embedded objects as they were, beside posts as they were", unit: "object", size: 50
        ) {
            n in
            try await TestStore.with { store in
                func object(_ id: Int) -> String { #""title": "Title \#(id)", "score": \#(id)"# }
                let orders = JSON.list(1...n) { id in
                    #"{"id": \#(id), "lines": \#(JSON.list(1...20) { "{\(object($0))}" })}"#
                }
                let posts = JSON.list(1...20 * n) { #"{"id": \#($0), \#(object($0))}"# }
                @MainActor func again<M: Model>(_ type: M.Type, _ json: String) async throws -> Cost {
                    let body = Data(json.utf8)
                    try await store.main.importReporting(type, from: body)
                    return try await Cost.of(20 * n) { try await store.main.importReporting(type, from: body) }
                }
                return try await again(Order.self, orders).compared(with: try await again(Post.self, posts))
            }
        },
        ScalingCheck(name: "objects with three URLs and a UUID as they were, beside texts", unit: "object", size: 500) {
            n in
            try await TestStore.with { store in
                let url = "https://api.example.com/repos/octocat/hello-world/issues"
                let objects = JSON.list(1...n) { id in
                    #"{"id": \#(id), "token": "\#(UUID())", "first": "\#(url)/\#(id)", "second": "\#(url)/\#(id)/labels{/name}", "#
                        + #""third": "\#(url)/\#(id)/events"}"#
                }
                let body = Data(objects.utf8)
                @MainActor func again<M: Model>(_ type: M.Type) async throws -> Cost {
                    try await store.main.importReporting(type, from: body)
                    return try await Cost.of(n) { try await store.main.importReporting(type, from: body) }
                }
                return try await again(Addressed.self).compared(with: try await again(Named.self))
            }
        },
        ScalingCheck(name: "when each of n objects was fetched, of n answers", unit: "object", size: 50) { n in
            try await TestStore.with(transport: PagedServer(pages: 1)) { store in
                var feeds: [Feed] = []
                for id in 1...n { feeds.append(try await Feed.fetch("/feeds/:id", ["id": id], in: store.main)) }
                return await Cost.of(n) { for feed in feeds { _ = feed.fetchedAt } }
            }
        },
    ]

    @MainActor private static func unchangedPages(
        _ count: Int, _ fetch: @MainActor (Feed) async throws -> Int
    ) async throws -> Cost {
        try await TestStore.with(transport: PagedServer(pages: count, isValidated: true)) { store in
            let feed = try await store.imported(Feed.self, #"{"id": 1}"#)[0]
            _ = try await fetch(feed)
            var members = 0
            let cost = try await Cost.of(count) { members = try await fetch(feed) }
            guard members == 100 * count else { throw WrongResult(expected: 100 * count, found: members) }
            return cost
        }
    }

    @MainActor private static func pages(
        _ count: Int, _ fetch: @MainActor (Feed) async throws -> Int
    ) async throws -> Cost {
        try await TestStore.with(transport: PagedServer(pages: count)) { store in
            let feed = try await store.imported(Feed.self, #"{"id": 1}"#)[0]
            var members = 0
            let cost = try await Cost.of(count) { members = try await fetch(feed) }
            guard members == 100 * count else { throw WrongResult(expected: 100 * count, found: members) }
            return cost
        }
    }
}

/// Work that was skipped, and so was cheap.
struct WrongResult: Error, CustomStringConvertible {
    let expected: Int
    let found: Int
    var description: String { "\(found) objects in place of \(expected)" }
}
