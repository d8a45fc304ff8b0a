import Foundation
import GitHubServer
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// The effect of an API's limits on the calls of its stores.
@MainActor @Suite(.timeLimit(.minutes(10))) struct LimitTests {
    nonisolated private static let spent: HTTPFields = [
        .init("X-RateLimit-Limit")!: "60", .init("X-RateLimit-Remaining")!: "0", .init("X-RateLimit-Reset")!: "3600",
    ]

    private func store(
        _ transport: any Transport, at url: String = "https://api.example.com",
        _ conventions: APIConventions = .default,
        limits: RequestLimits? = nil, policy: FetchPolicy = .revalidate
    ) throws -> (store: Store, api: API) {
        let api = API(url, conventions: conventions, policy: policy, limits: limits, transport: transport)
        return (try Store(.temporary, models: Blog.models, api: api), api)
    }

    /// The reason that a call was not sent for.
    private func reason(_ call: () async throws -> Void) async -> TransportError.Reason? {
        guard case .transport(let error) = await failure({ try await call() }) else { return nil }
        return error.reason
    }

    @Test func `All stores of an API share its limits`() async throws {
        let stub = StubTransport { _ in .json("[]", headerFields: Self.spent) }
        let (first, api) = try store(stub)
        let second = try Store(.temporary, models: Blog.models, api: api)
        let before = Date()
        _ = try await Post.fetchAll(in: first.main)
        let after = Date()
        guard case .limited(let until, isOwn: false) = await reason({ _ = try await Post.fetchAll(in: second.main) })
        else {
            Testing.Issue.record("it was sent")
            return
        }
        // The limit ends an hour after the reply, which came in between.
        #expect(until > before + 3540 && until < after + 3660)
        #expect(stub.requests.count == 1)
        let quota = try #require(api.limits[""])
        #expect(quota.remaining == 0 && quota.limit == 60 && quota.reset != nil)
        _ = try await Post.fetchAll(in: try store(stub).store.main)
        #expect(stub.requests.count == 2)
        _ = try await Post.fetchAll(in: try store(stub, limits: .unlimited).store.main)
        #expect(stub.requests.count == 3)
    }

    @Test func `Stored answers aren't delayed by limits and replace delayed requests`() async throws {
        let stub = StubTransport { _ in .json(#"[{"id": 1, "title": "Kept"}]"#, headerFields: Self.spent) }
        let (store, _) = try store(stub)
        _ = try await Post.fetchAll(in: store.main)
        for policy in [FetchPolicy.cached, .offline, .ifOlder(than: .seconds(600)), .revalidate.orStored] {
            #expect(try await Post.fetchAll(policy: policy, in: store.main).map(\.title) == ["Kept"])
        }
        #expect(stub.requests.count == 1)
        let isLimited = await reason { _ = try await Post.fetchAll(in: store.main) } != nil
        #expect(isLimited)
    }

    @Test func `A failing server gets no requests for a while, and stored answers are used`() async throws {
        let isFailing = Box(false)
        let stub = StubTransport { request throws(TransportError) in
            if isFailing.value { throw TransportError(.connectionRefused, request) }
            return .json(#"[{"id": 1, "title": "Kept"}]"#)
        }
        let (store, api) = try store(stub)
        _ = try await Post.fetchAll(in: store.main)
        isFailing.value = true
        for _ in 1...10 { #expect(await reason { _ = try await Post.fetchAll(in: store.main) } == .connectionRefused) }
        guard
            case .circuitOpen(_, 10, "the connection was refused") = await reason({
                _ = try await Post.fetchAll(in: store.main)
            })
        else {
            Testing.Issue.record("it was sent")
            return
        }
        guard case .open = api.limits.circuit else {
            Testing.Issue.record("it is \(api.limits.circuit)")
            return
        }
        #expect(try await Post.fetchAll(policy: .revalidate.orStored, in: store.main).map(\.title) == ["Kept"])
        #expect(stub.requests.count == 11)
    }

    @Test(arguments: [
        ("https://api.github.com", APIConventions.github, 1), ("https://octo.ghe.com/api/v3", .github, 1),
        ("https://github.example.com/api/v3", .github, 3), ("https://api.github.com", .default, 3),
    ])
    func `GitHub's conventions apply GitHub's limits to GitHub's server only`(
        url: String, conventions: APIConventions, atOnce: Int
    ) async throws {
        let held = HeldTransport()
        let (store, api) = try store(held, at: url, conventions)
        let tasks = (1...3).map { number in
            Task { @MainActor in
                let post = Post(in: store.main)
                post.title = "\(number)"
                return await failure { try await post.create() } == nil
            }
        }
        await held.wait(for: atOnce)
        while api.limits.underway + api.limits.waiting < 3 { await Task.yield() }
        #expect(api.limits.underway == atOnce)
        for task in tasks { task.cancel() }
        for index in 0..<atOnce { held.answer(index, .status(204)) }
        for task in tasks { _ = await task.value }
        #expect(api.limits.waiting == 0)
    }

    @Test func `An urgent request doesn't join a delayed background request`() async throws {
        let held = HeldTransport()
        let (store, api) = try store(held, limits: RequestLimits(concurrency: 1))
        let first = Task { @MainActor in try await Author.fetchAll(in: store.main).count }
        await held.wait(for: 1)
        let background = Task { @MainActor in
            try await API.withPriority(.background) { try await Post.fetchAll(in: store.main).count }
        }
        while api.limits.waitingInBackground < 1 { await Task.yield() }
        let urgent = Task { @MainActor in try await Post.fetchAll(in: store.main).count }
        while api.limits.waiting < 2 { await Task.yield() }
        #expect(api.limits.waitingInBackground == 1)
        held.answer(0, .json("[]"))
        await held.wait(for: 2)
        held.answer(1, .json(#"[{"id": 1}]"#))
        #expect(try await urgent.value == 1)
        await held.wait(for: 3)
        held.answer(2, .json("[]"))
        _ = (try await first.value, try await background.value)
    }

    @Test func `A creation that is cancelled while it waits in line can be queued, as it was never sent`() async throws
    {
        let held = HeldTransport()
        let (store, api) = try store(held, limits: RequestLimits(concurrency: 1))
        let first = Task { @MainActor in try await Author.fetchAll(in: store.main).count }
        await held.wait(for: 1)
        let post = Post(in: store.main)
        post.title = "A"
        let creation = Task { @MainActor in await failure { try await post.create() } }
        while api.limits.waiting < 1 { await Task.yield() }
        creation.cancel()
        #expect(await creation.value?.isCancellation == true)
        held.answer(0, .json("[]"))
        _ = try await first.value
        try await post.save(.queued)
        let draining = Task { @MainActor in await store.outbox.drain() }
        await held.wait(for: 2)
        held.answer(1, .json(#"{"id": 7, "title": "A"}"#, status: 201))
        let report = await draining.value
        #expect((report.sent, report.rejected) == (1, 0))
        #expect(post.identifier == 7)
    }

    @Test func `Limit updates report an API's quota`() async throws {
        var seen: [APILimits] = []
        do {
            let (store, api) = try store(StubTransport { _ in .json("[]", headerFields: Self.spent) })
            let updates = api.limitUpdates
            _ = try await Post.fetchAll(in: store.main)
            for await limits in updates {
                seen.append(limits)
                if limits.underway == 0, limits.quotas.count == 1 { break }
            }
        }
        #expect(seen.last?[""]?.remaining == 0)
    }

    // MARK: Over the wire

    nonisolated private static func retrying() -> [any Middleware] { [Retry()] }

    @Test(arguments: [403, 429])
    func `A request refused with Retry-After is sent again after that time`(status: Int) async throws {
        try await withGitHub(middleware: Self.retrying) { server, store in
            server.inject(.reply(status: status, headers: ["Retry-After": "1"], body: #"{"message": "slow down"}"#))
            let start = ContinuousClock.now
            let user = try await User.fetch(key: "octocat", in: store.main)
            #expect(user.login == "octocat")
            #expect(ContinuousClock.now - start >= .seconds(1))
            #expect(server.requests.map(\.status) == [status, 200])
        }
    }

    @Test func `A server with rate limits refuses no request, and all objects arrive`() async throws {
        try await withGitHub(seed: .demo(repositories: 1, issues: 12), middleware: Self.retrying) { server, store in
            // So many that the first may be spent on the repository.
            server.limit(to: 4, every: .seconds(1))
            let user = try await User.fetch(key: "octocat", in: store.main)
            let repositories = try await user.$repositories.fetch()
            let issues = try await repositories[0].$issues.fetch(query: ["state": "all", "per_page": 1], pages: .all())
            #expect(issues.count == 12)
            #expect(server.requests.count >= 14)
            #expect(server.requests.allSatisfy { $0.status == 200 })
        }
    }
}
