import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A server with a collection that changes between pages, in all styles. Pruning spares all objects that the server
/// has, and after an undisturbed listing the store equals the server.
@MainActor @Suite struct PruningSimulationTests {
    private struct World {
        var random: SeededGenerator
        var last = 100
        /// All former objects of the server.
        var gone: Set<Int> = []

        mutating func change(_ posts: inout [Int], inOrder: Bool) {
            guard Int.random(in: 0..<3, using: &random) == 0 else { return }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                last += 1
                posts.insert(last, at: inOrder ? posts.count : Int.random(in: 0...posts.count, using: &random))
            case 1 where !inOrder && posts.count > 1:
                // One comes to the front, as with an order by time.
                posts.insert(posts.remove(at: Int.random(in: 0..<posts.count, using: &random)), at: 0)
            default:
                guard posts.count > 1 else { return }
                gone.insert(posts.remove(at: Int.random(in: 0..<posts.count, using: &random)))
            }
        }
    }

    @Test(arguments: Bookshop.Style.allCases, Fuzzing.seeds(12, from: 1))
    func `Random listings prune nothing that the server has`(_ style: Bookshop.Style, _ seed: UInt64) async throws {
        let shop = Bookshop(Array(1...8), style: style, size: 2, hasValidators: seed % 3 != 0)
        let stub = shop.stub
        let file = try TemporaryFile()
        var store = try shop.store(.file(URL(filePath: file.path)), stub: stub)
        var author = try await Author.fetch(key: 1, in: store.main)
        let world = Box(World(random: SeededGenerator(seed: seed)))
        let isRestless = Box(true)
        shop.change.value = { posts in
            guard isRestless.value else { return }
            var now = world.value
            now.change(&posts, inOrder: style == .after)
            world.value = now
        }
        var proofs: Set<String> = []
        for step in 0..<30 {
            var random = world.value.random
            let choice = Int.random(in: 0..<8, using: &random)
            world.value.random = random
            isRestless.value = choice != 0
            let pruning: Pruning = choice % 2 == 0 ? .delete : .unlink
            let known = Set(try store.main.query(Post.self).fetch().compactMap(\.identifier))
            let result: Imported<Post>
            switch choice {
            case 1, 2: result = try await Post.fetchAllReporting(pages: .all(), prune: .delete, in: store.main)
            case 3:
                var last: ListPage<Post>?
                for try await page in author.$posts.pages(prune: pruning) { last = page }
                if let report = last?.pruned { proofs.insert("\(report)") }
                continue
            case 4:
                store = try shop.store(.file(URL(filePath: file.path)), stub: stub)
                author = try await Author.fetch(key: 1, in: store.main)
                fallthrough
            default: result = try await author.$posts.fetchReporting(pages: .all(), prune: pruning)
            }
            if let report = result.pruned { proofs.insert("\(report)") }
            let now = Set(try store.main.query(Post.self).fetch().compactMap(\.identifier))
            let pruned = known.subtracting(now)
            guard pruned.isSubset(of: world.value.gone), known.intersection(shop.posts.value).isSubset(of: now) else {
                Testing.Issue.record("seed \(seed), step \(step): \(pruned) of \(known); \(shop.posts.value)")
                return
            }
            // Each former member that the server still has is a member.
            let members = Set(author.posts.compactMap(\.identifier))
            let lost = now.intersection(shop.posts.value).subtracting(members)
            guard lost.isEmpty else {
                Testing.Issue.record("seed \(seed), step \(step): \(lost) left the list; \(shop.posts.value)")
                return
            }
            guard !isRestless.value else { continue }
            guard author.posts.map(\.identifier) == shop.posts.value, now.isSuperset(of: shop.posts.value) else {
                Testing.Issue.record(
                    "seed \(seed), step \(step), quiet: \(author.posts.map(\.identifier)); \(shop.posts.value)")
                return
            }
        }
        isRestless.value = false
        let all = try await Post.fetchAllReporting(pages: .all(), prune: .delete, in: store.main)
        let here = try store.main.query(Post.self).fetch().compactMap(\.identifier)
        #expect(Set(here) == Set(shop.posts.value) && all.pruned?.obstacle == nil)
        #expect(style == .oneAnswer || style == .after || proofs.contains { $0.contains("second listing had other") })
    }
}
