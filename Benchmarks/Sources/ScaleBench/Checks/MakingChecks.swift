import Foundation
import RestfulData

extension ScalingChecks {
    /// Objects that are made here.
    static let making = [
        ScalingCheck(name: "new objects, each with a list of three, saved", unit: "object", size: 250) { n in
            try await TestStore.with { store in
                let tags = try await store.imported(Tag.self, JSON.list(1...3) { #"{"id": \#($0)}"# })
                return try await Cost.of(n) {
                    for number in 0..<n {
                        let post = Post(in: store.main)
                        post.title = "Post \(number)"
                        post.tags = tags
                    }
                    try await store.main.save()
                }
            }
        },
        ScalingCheck(name: "find by identity, or else make", unit: "object", size: 250) { n in
            try await TestStore.with { store in
                try await Cost.of(n) {
                    for id in 1...n where try store.main.find(Post.self, id) == nil {
                        Post(in: store.main).identifier = id
                    }
                }
            }
        },
        ScalingCheck(name: "objects made here, then imported elsewhere", unit: "object", size: 250) { n in
            try await TestStore.with { store in
                for id in 1...n { Post(in: store.main).identifier = id }
                let body = JSON.objects(1...n)
                return try await Cost.of(n) {
                    _ = try await store.store.background { context in
                        try await context.importReporting(Post.self, from: body)
                    }
                }
            }
        },
        ScalingCheck(name: "a row that is committed elsewhere, with n unsaved objects here", unit: "commit", size: 250)
        { n in
            try await TestStore.with { store in
                for id in 1...n { Post(in: store.main).identifier = id }
                let bodies = (1...20).map { JSON.objects([-$0]) }
                // The first commit indexes the objects that were made since the last.
                try await store.store.background { context in
                    _ = try await context.importReporting(Post.self, from: JSON.objects([0]))
                }
                return try await Cost.of(bodies.count) {
                    try await store.store.background { context in
                        for body in bodies { try await context.importReporting(Post.self, from: body) }
                    }
                }
            }
        },
    ]
}
