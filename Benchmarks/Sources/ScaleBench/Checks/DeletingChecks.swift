import Foundation
import RestfulData

extension ScalingChecks {
    /// Deletions, and the rows that are deleted along.
    static let deleting = [
        ScalingCheck(name: "objects deleted and saved", unit: "object", size: 500) { n in
            try await TestStore.with { store in
                try await store.importRows(Post.self, 1...n)
                let posts = try store.main.query(Post.self).fetch()
                return try await Cost.of(n) {
                    for post in posts { store.main.delete(post) }
                    try await store.main.save()
                }
            }
        },
        ScalingCheck(name: "a chain, each of which cascades to the next", unit: "object", size: 250) { n in
            try await TestStore.with { store in
                let steps = JSON.list(1...n) { #"{"id": \#($0), "next_id": \#($0 < n ? "\($0 + 1)" : "null")}"# }
                try await store.main.importReporting(Step.self, from: Data(steps.utf8))
                return try await Cost.of(n) {
                    try store.main.find(Step.self, 1).map { store.main.delete($0) }
                    try await store.main.save()
                }
            }
        },
        ScalingCheck(name: "members deleted that an edited list adds", unit: "member", size: 500) { n in
            try await TestStore.with { store in
                let feed = try await store.imported(Feed.self, #"{"id": 1, "starred": []}"#)[0]
                let entries = JSON.list(1...n) { #"{"id": \#($0)}"# }
                feed.starred = try await store.imported(Entry.self, entries)
                try await store.main.save()
                return try await Cost.of(n) {
                    try await store.store.background { context in
                        for entry in try context.query(Entry.self).fetch() { context.delete(entry) }
                        try await context.save()
                    }
                }
            }
        },
        ScalingCheck(name: "an owner that cascades to n members", unit: "member", size: 500) { n in
            try await TestStore.with { store in
                let documents = JSON.list(1...n) { #"{"id": \#($0)}"# }
                let folder = try await store.imported(Folder.self, #"{"id": 1, "documents": \#(documents)}"#)[0]
                return try await Cost.of(n) {
                    store.main.delete(folder)
                    try await store.main.save()
                }
            }
        },
    ]
}
