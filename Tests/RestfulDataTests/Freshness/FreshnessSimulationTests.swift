import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A store that sends validators has, after each step, the same contents as one that fetches everything each time.
@MainActor @Suite struct FreshnessSimulationTests {
    /// A service whose posts change, on its own and by its clients.
    private struct World {
        let server: TestServer
        var last = 0

        init() throws {
            server = try TestServer(models: Blog.models) {
                try $0.seed(Author.self, json: #"[{"id": 1, "name": "Ada"}, {"id": 2, "name": "Eve"}]"#)
                try $0.nest(Post.self, "author")
                $0.pageSize = 3
            }
        }

        /// The numbers of the posts, in the order of all lists.
        var order: [Int] { server.objects(Post.self).compactMap { $0["id"]?.integer } }

        /// How many answers were as they had been.
        var keptCount: Int { server.exchanges.count { $0.reply.status == 304 } }
    }

    /// The steps of both stores.
    private enum Step {
        case author(Int)
        case posts(Int)
        case firstPosts(Int)
        case all
        case one(Int)
        case edit(Int, String)
        case send(Int, String)
        case delete(Int)
        case forget(Int)
        case told(String)
    }

    private func run(_ step: Step, in context: ObjectContext) async throws {
        func author(_ id: Int) throws -> Author? { try context.find(Author.self, id) }
        func post(_ id: Int) throws -> Post? { try context.find(Post.self, id) }
        do {
            switch step {
            case .author(let id): _ = try await Author.fetch(key: id, in: context)
            case .posts(let id): _ = try await author(id)?.$posts.fetch(pages: .all())
            case .firstPosts(let id): _ = try await author(id)?.$posts.fetch()
            case .all: _ = try await Post.fetchAll(pages: .all(), in: context)
            case .one(let id): _ = try await Post.fetch(key: id, in: context)
            case .edit(let id, let title):
                try post(id)?.title = title
                try await context.save()
            case .send(let id, let title):
                try post(id)?.title = title
                try await post(id)?.save()
            case .delete(let id):
                guard let post = try post(id) else { return }
                context.delete(post)
                try await context.save()
            case .forget(let id): try post(id)?.author = nil
            case .told(let json): try await context.importReporting(Post.self, from: Data(json.utf8))
            }
        } catch let error as APIError {
            guard case .reply(let reply) = error, reply.status == 404 else { throw error }
            context.rollback()
        }
        if case .forget = step { try await context.save() }
    }

    private func change(_ world: inout World, _ random: inout some RandomNumberGenerator) throws {
        let (server, order) = (world.server, world.order)
        let id = order.randomElement(using: &random) ?? 0
        world.last += 1
        let text = JSONValue.string("t\(world.last)")
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1, 2:
            let author = JSONValue(integerLiteral: Int.random(in: 1...2, using: &random))
            let post: JSONValue = [
                "id": JSONValue(integerLiteral: world.last + 100), "title": text, "author_id": author,
            ]
            try server.insert(Post.self, post, at: Int.random(in: 0...order.count, using: &random))
        case 3 where order.contains(id): try server.update(Post.self, id, setting: ["title": text])
        case 4 where order.contains(id):
            let author = JSONValue(integerLiteral: Int.random(in: 1...2, using: &random))
            try server.update(Post.self, id, setting: ["author_id": author])
        case 5 where order.contains(id): try server.remove(Post.self, id)
        default: try server.update(Author.self, Int.random(in: 1...2, using: &random), setting: ["name": text])
        }
    }

    private func step(_ world: World, _ random: inout some RandomNumberGenerator) -> Step {
        let id = world.order.randomElement(using: &random) ?? 101
        let author = Int.random(in: 1...2, using: &random)
        let title = "e\(Int.random(in: 0..<100, using: &random))"
        return switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: .author(author)
        case 2, 3, 4, 5, 6: .posts(author)
        case 7: .firstPosts(author)
        case 8, 9, 10: .all
        case 11, 12, 13: .one(id)
        case 14: .edit(id, title)
        case 15, 16: .send(id, title)
        case 17: .delete(id)
        case 18: .forget(id)
        default: .told(#"{"id": \#(id), "title": "\#(title)", "author": {"id": \#(author)}}"#)
        }
    }

    @Test(arguments: Fuzzing.seeds(40, from: 1))
    func `A store that revalidates ends equal to one that fetches everything`(_ seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        var world = try World()
        let (asking, told) = (try TemporaryFile(), try TemporaryFile())
        let server = world.server
        func open(_ file: TemporaryFile, _ policy: FetchPolicy) throws -> Store {
            try Store(
                .file(URL(filePath: file.path)), models: Blog.models,
                api: API(server, policy: policy))
        }
        var stores = [try open(asking, .revalidate), try open(told, .reload)]
        var steps: [String] = []
        for _ in 0..<60 {
            if Int.random(in: 0..<3, using: &random) == 0 {
                try change(&world, &random)
                continue
            }
            if Int.random(in: 0..<12, using: &random) == 0 {
                stores = []
                stores = [try open(asking, .revalidate), try open(told, .reload)]
            }
            let step = step(world, &random)
            steps.append("\(step)")
            for store in stores { try await run(step, in: store.main) }
            let contents = [try await stores[0].contents(), try await stores[1].contents()]
            guard contents[0] == contents[1] else {
                Testing.Issue.record("seed \(seed): \(steps)\n\(contents[0])\n\(contents[1])")
                return
            }
        }
        #expect(world.keptCount > 0)
    }
}
