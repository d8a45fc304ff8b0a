import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A store that asks with validators has, after each step, what one has that is told everything each time.
@MainActor @Suite struct FreshnessSimulationTests {
    /// A service whose posts change, by its own doing and by its clients'.
    private final class World: Sendable {
        struct Contents: Sendable {
            /// By number: title and author.
            var posts: [Int: (title: String, author: Int)] = [:]
            /// The numbers, in the order of all lists.
            var order: [Int] = []
            var names = [1: "Ada", 2: "Eve"]
            var last = 0
        }

        let contents = Box(Contents())
        let keptCount = Box(0)

        var stub: StubTransport {
            StubTransport { [self] request throws(TransportError) in answer(request) }
        }

        private func answer(_ request: APIRequest) -> StubTransport.Reply {
            let parts = request.url.path().split(separator: "/").map(String.init)
            let page = Int(request.url.query()?.split(separator: "=").last ?? "") ?? 1
            var state = contents.value
            var fields: HTTPFields = [:]
            let body: String
            switch (parts.first, parts.dropFirst().first.flatMap { Int($0) }, parts.count) {
            case ("authors", let id?, 2): body = author(id, state)
            case ("authors", let id?, _):
                body = list(state.order.filter { state.posts[$0]?.author == id }, page, request, &fields, state)
            case ("posts", nil, _): body = list(state.order, page, request, &fields, state)
            case ("posts", let id?, _):
                guard let post = state.posts[id] else { return .status(404) }
                if request.method == .patch {
                    let edit = try? JSONDecoder().decode([String: String].self, from: Data(request.body?.bytes ?? []))
                    state.posts[id] = (edit?["title"] ?? post.title, post.author)
                    contents.value = state
                }
                body = self.post(id, state)
            default: return .status(404)
            }
            guard request.method == .get else { return .json(body) }
            let tag = "\"\(stableHash(body + (fields[HTTPField.Name("Link")!] ?? "")))\""
            fields[.eTag] = tag
            guard request.headerFields[.ifNoneMatch] != tag else {
                keptCount.value += 1
                return .status(304, headerFields: [.eTag: tag])
            }
            return .json(body, headerFields: fields)
        }

        private func author(_ id: Int, _ state: Contents) -> String {
            #"{"id": \#(id), "name": "\#(state.names[id]!)"}"#
        }

        private func post(_ id: Int, _ state: Contents) -> String {
            let post = state.posts[id]!
            return #"{"id": \#(id), "title": "\#(post.title)", "author": \#(author(post.author, state))}"#
        }

        private func list(
            _ ids: [Int], _ page: Int, _ request: APIRequest, _ fields: inout HTTPFields, _ state: Contents
        ) -> String {
            let some = ids.dropFirst((page - 1) * 3).prefix(3)
            if ids.count > page * 3 {
                let url = "https://api.example.com\(request.url.path())?page=\(page + 1)"
                fields[HTTPField.Name("Link")!] = "<\(url)>; rel=\"next\""
            }
            return "[" + some.map { post($0, state) }.joined(separator: ", ") + "]"
        }
    }

    /// What both stores do.
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

    private func change(_ world: World, _ random: inout some RandomNumberGenerator) {
        var state = world.contents.value
        let id = state.order.randomElement(using: &random) ?? 0
        state.last += 1
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1, 2:
            state.posts[state.last + 100] = ("t\(state.last)", Int.random(in: 1...2, using: &random))
            state.order.insert(state.last + 100, at: Int.random(in: 0...state.order.count, using: &random))
        case 3: state.posts[id]?.title = "t\(state.last)"
        case 4: state.posts[id]?.author = Int.random(in: 1...2, using: &random)
        case 5:
            state.posts[id] = nil
            state.order.removeAll { $0 == id }
        default: state.names[Int.random(in: 1...2, using: &random)] = "n\(state.last)"
        }
        world.contents.value = state
    }

    private func step(_ world: World, _ random: inout some RandomNumberGenerator) -> Step {
        let id = world.contents.value.order.randomElement(using: &random) ?? 101
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

    @Test(arguments: Fuzzing.seeds(40, from: 1)) func `It has what one has that is told everything`(_ seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let world = World()
        let (asking, told) = (try TemporaryFile(), try TemporaryFile())
        func open(_ file: TemporaryFile, _ policy: FetchPolicy) throws -> Store {
            try Store(
                .file(URL(filePath: file.path)), models: Blog.models,
                api: API("https://api.example.com", policy: policy, transport: world.stub))
        }
        var stores = [try open(asking, .revalidate), try open(told, .reload)]
        var steps: [String] = []
        for _ in 0..<60 {
            if Int.random(in: 0..<3, using: &random) == 0 {
                change(world, &random)
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
        #expect(world.keptCount.value > 0)
    }
}
