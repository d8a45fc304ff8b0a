import Foundation
import RestfulData

extension ScalingChecks {
    /// An app's everyday work with lists, one member at a time.
    static let lists = [
        ScalingCheck(name: "new members appended one by one to a list of links", unit: "member", size: 100) { n in
            try await withFeed(0, of: .entries) { store, feed in
                try Cost.ofCalls(n) { feed.entries.append(Entry(in: store.main)) }
            }
        },
        ScalingCheck(name: "new members appended one by one to a list in a join table", unit: "member", size: 100) {
            n in
            try await withFeed(0, of: .starred) { store, feed in
                try Cost.ofCalls(n) { feed.starred.append(Entry(in: store.main)) }
            }
        },
        ScalingCheck(name: "one appended to a list of n links, and saved", unit: "append", size: 250, isLinear: true) {
            n in
            try await withFeed(n, of: .entries) { store, feed in
                try await Cost.of(20) {
                    for _ in 0..<20 {
                        feed.entries.append(Entry(in: store.main))
                        try await store.main.save()
                    }
                }
            }
        },
        ScalingCheck(
            name: "new members that link themselves, and the list counted after each", unit: "member", size: 100
        ) { n in
            try await withFeed(0, of: .entries) { store, feed in
                try Cost.ofCalls(n) {
                    let entry = Entry(in: store.main)
                    entry.feed = feed
                    guard feed.entries.last === entry else { throw CocoaError(.featureUnsupported) }
                }
            }
        },
        ScalingCheck(name: "the last one removed, until a list is empty", unit: "member", size: 100) { n in
            try await withFeed(n, of: .entries) { _, feed in
                try Cost.ofCalls(n) { feed.entries.removeLast() }
            }
        },
        ScalingCheck(name: "members visited by their places", unit: "member", size: 100) { n in
            try await withFeed(n, of: .entries) { _, feed in
                var sum = 0
                return try Cost.ofCalls(1) { for place in 0..<n { sum += feed.entries[place].title.utf8.count } }
                    .divided(by: n)
            }
        },
        ScalingCheck(name: "the count of a list of n", unit: "call", size: 250) { n in
            try await withFeed(n, of: .entries) { _, feed in
                guard feed.entries.count == n else { throw CocoaError(.featureUnsupported) }
                return try Cost.ofCalls(100) { _ = feed.entries.count }
            }
        },
        ScalingCheck(name: "members edited, and the list read after each", unit: "member", size: 100) { n in
            try await withFeed(n, of: .entries) { _, feed in
                let entries = feed.entries
                return try Cost.ofCalls(n) {
                    entries[0].title += "!"
                    _ = feed.entries.first
                }
            }
        },
        ScalingCheck(
            name: "members deleted one by one, and the list read after each", unit: "member", size: 100, isLinear: true
        ) { n in
            try await withFeed(n, of: .entries) { store, feed in
                var entries = feed.entries
                return try Cost.ofCalls(n) {
                    store.main.delete(entries.removeLast())
                    _ = feed.entries.last
                }
            }
        },
        ScalingCheck(name: "one sent and added to a list of n", unit: "add", size: 250, isLinear: true) { n in
            try await withFeed(n, of: .entries) { store, feed in
                try await Cost.of(20) {
                    for _ in 0..<20 { try await feed.$entries.add(Entry(in: store.main)) }
                }
            }
        },
        ScalingCheck(name: "one of a list of n deleted at the server", unit: "deletion", size: 250) { n in
            try await withFeed(n, of: .entries) { _, feed in
                let entries = feed.entries
                return try await Cost.of(20) {
                    for entry in entries.prefix(20) { try await feed.$entries.delete(entry) }
                }
            }
        },
        ScalingCheck(name: "a tag that n posts have, given to one more", unit: "post", size: 250) { n in
            try await TestStore.with { store in
                let posts = JSON.list(1...n) { #"{"id": \#($0), "tags": [{"id": 1}]}"# }
                try await store.main.importReporting(Post.self, from: Data(posts.utf8))
                guard let tag = try store.main.find(Tag.self, 1), tag.posts.count == n else {
                    throw CocoaError(.featureUnsupported)
                }
                return try await Cost.of(20) {
                    for _ in 0..<20 {
                        Post(in: store.main).tags = [tag]
                        try await store.main.save()
                    }
                }
            }
        },
    ]

    private enum Kind: String { case entries, starred }

    /// Runs `body` with a feed that has this number of members.
    @MainActor private static func withFeed(
        _ count: Int, of list: Kind, _ body: @MainActor (TestStore, Feed) async throws -> Cost
    ) async throws -> Cost {
        try await TestStore.with(transport: EchoingServer()) { store in
            let members = JSON.list(0..<count) { #"{"id": \#($0 + 1), "title": "Title \#($0)"}"# }
            let feed = #"{"id": 1, "\#(list.rawValue)": \#(members)}"#
            return try await body(store, try await store.imported(Feed.self, feed)[0])
        }
    }
}
