import Foundation
import HTTPTypes
import RESTTransport
import Testing

/// The waits of requests, and their reasons.
@Suite(.timeLimit(.minutes(10))) struct GovernorTests {
    private let time = FakeTime(chance: 0)

    private func chain(
        _ transport: any Transport, _ limits: RequestLimits = .standard,
        @MiddlewareBuilder _ outer: () -> [any Middleware] = { [] }
    ) -> (chain: TransportChain, governor: Governor) {
        let governor = Governor(limits, api: apiURL, time: time.source)
        let all = outer() + [governor]
        return (TransportChain(api: apiURL, transport: transport, time: time.source) { all }, governor)
    }

    private func request(
        _ path: String = "/things", _ method: HTTPRequest.Method = .get, timeout: Duration = .seconds(60),
        token: String? = nil
    ) -> APIRequest {
        APIRequest(
            method, URL(string: apiURL.absoluteString + path)!, headerFields: token.map { [.authorization: $0] } ?? [:],
            timeout: timeout)
    }

    /// Sends in a task of its own, and returns when it is sent or waits.
    private func start(_ request: APIRequest, _ sent: (chain: TransportChain, governor: Governor)) async
        -> Task<Result<APIResponse, TransportError>, Never>
    {
        let before = sent.governor.limits
        let task = Task {
            do throws(TransportError) {
                return Result<APIResponse, TransportError>.success(try await sent.chain.send(request))
            } catch {
                return .failure(error)
            }
        }
        while sent.governor.limits.underway + sent.governor.limits.waiting == before.underway + before.waiting {
            await Task.yield()
        }
        return task
    }

    private func until(_ isSo: () -> Bool) async { while !isSo() { await Task.yield() } }

    // MARK: Limits of the server

    @Test(
        arguments: [
            [limitLeft: "0", limitReset: "1000030"], [limitLeft: "0", limitReset: "30"],
            [rateLimit: #""default";r=0;t=30"#], [rateLimit: #""a";r=5;t=90, "b";t=30;r=0"#],
        ] as [HTTPFields])
    func `When the limit is spent, the next request waits for the reset`(fields: HTTPFields) async throws {
        let stub = Stub(.status(200, fields), .status(200))
        let sent = chain(stub)
        _ = try await sent.chain.send(request())
        let spent = sent.governor.limits.quotas.first { $0.remaining == 0 }
        #expect(spent?.reset == Date(timeIntervalSince1970: 1_000_030))
        _ = try await sent.chain.send(request())
        #expect(time.sleeps == [.seconds(30)])
        #expect(stub.requests.count == 2)
    }

    @Test(
        arguments: [
            [limitLeft: "-0", limitReset: "30"], [limitLeft: "none", limitReset: "30"], [rateLimit: #""d";r=0;t="#],
            [rateLimit: "r=0;t=30;"], [.retryAfter: "30"], [limitLeft: "1", limitReset: "30"], [:],
        ] as [HTTPFields])
    func `A malformed limit, or one that isn't spent, delays no request`(fields: HTTPFields) async throws {
        let sent = chain(Stub(.status(200, fields)))
        for _ in 1...2 { _ = try await sent.chain.send(request()) }
        #expect(time.sleeps == [])
    }

    @Test func `When the limit is spent without a known reset, one request is sent each second`() async throws {
        let sent = chain(Stub(.status(200, [limitAll: "9", limitLeft: "0", limitReset: "soon"])))
        for _ in 1...3 { _ = try await sent.chain.send(request()) }
        #expect(time.sleeps == [.seconds(1), .seconds(1)])
    }

    @Test func `A limit of zero ends with its reset, when one request probes the server`() async throws {
        let nothing: HTTPFields = [limitAll: "0", limitLeft: "0", limitReset: "30"]
        let stub = Stub(.status(200, nothing), .status(200, nothing), .status(200))
        let sent = chain(stub)
        _ = try await sent.chain.send(request())
        let error = await failure { () async throws(TransportError) in
            try await sent.chain.send(request(timeout: .seconds(20)))
        }
        #expect(error?.reason == .limited(until: Date(timeIntervalSince1970: 1_000_030)))
        for _ in 1...4 { _ = try await sent.chain.send(request()) }
        #expect(time.sleeps == [.seconds(30), .seconds(30)] && stub.requests.count == 5)
    }

    @Test func `A wait that would exceed the timeout is an error at once, with its end`() async throws {
        let stub = Stub(.status(200, [limitLeft: "0", limitReset: "1000300"]))
        let sent = chain(stub)
        _ = try await sent.chain.send(request())
        let error = await failure { () async throws(TransportError) in try await sent.chain.send(request()) }
        #expect(error?.reason == .limited(until: Date(timeIntervalSince1970: 1_000_300)))
        #expect(
            error?.description
                == """
                GET https://api.example.com/v1/things: the server's limits let no request through before \
                1970-01-12T13:51:40Z; send it again then, or allow it a longer timeout
                """)
        #expect(stub.requests.count == 1)
        #expect(time.sleeps == [])
        // A request with enough time waits.
        _ = try await sent.chain.send(request(timeout: .seconds(301)))
        #expect(time.sleeps == [.seconds(300)])
    }

    @Test func `A waiting request is refused when its wait becomes too long`() async throws {
        let stub = PendingStub()
        let sent = chain(stub, RequestLimits(concurrency: 1))
        let first = await start(request(), sent)
        let short = await start(request(timeout: .seconds(60)), sent)
        let long = await start(request(timeout: .seconds(600)), sent)
        await until { stub.pending == 1 }
        stub.answer(1, .status(429, [.retryAfter: "120"]))
        #expect(try await first.value.get().status == .tooManyRequests)
        guard case .failure(let error) = await short.value, case .limited = error.reason else {
            Issue.record("it was not told")
            return
        }
        await until { stub.pending == 1 }
        #expect(time.sleeps == [.seconds(120)])
        stub.answer()
        #expect(try await long.value.get().status == .ok)
    }

    @Test func `A refused request is sent again by Retry after the wait`() async throws {
        let stub = Stub(.status(429, [.retryAfter: "7"]), .status(.ok))
        let sent = chain(stub) { Retry(time: time.source) }
        #expect(try await sent.chain.send(request("/things", .post)).status == .ok)
        #expect(time.sleeps == [.seconds(7)])
    }

    @Test func `A refusal for a year is limited to an hour, when one request probes the server`() async throws {
        let stub = Stub(.status(429, [.retryAfter: "31536000"]), .status(429, [.retryAfter: "31536000"]), .status(.ok))
        let sent = chain(stub)
        _ = try await sent.chain.send(request())
        let error = await failure { () async throws(TransportError) in try await sent.chain.send(request()) }
        #expect(error?.reason == .limited(until: Date(timeIntervalSince1970: 1_000_000 + 31_536_000)))
        for status in [429, 200] {
            #expect(try await sent.chain.send(request(timeout: .seconds(7200))).status.code == status)
        }
        #expect(time.sleeps == [.seconds(3600), .seconds(3600)])
    }

    @Test func `A jump of the clock doesn't change a wait that has begun`() async throws {
        let jumping = FakeTime(chance: 0)
        var source = jumping.source
        let local = source.localTime
        source.localTime = { jumping.sleeps.isEmpty ? local() : local() - 90_000_000 }
        let governor = Governor(.standard, api: apiURL, time: source)
        let stub = Stub(.status(200, [limitLeft: "0", limitReset: "1000030"]), .status(200))
        let chain = TransportChain(api: apiURL, transport: stub, time: source) { governor }
        for _ in 1...3 { _ = try await chain.send(request()) }
        #expect(jumping.sleeps == [.seconds(30)])
    }

    @Test func `After a refusal without further details, requests are sent in doubling numbers`()
        async throws
    {
        let stub = PendingStub()
        let sent = chain(stub)
        let refused = await start(request(), sent)
        stub.answer(1, .status(429, [.retryAfter: "5"]))
        _ = await refused.value
        await until { time.sleeps.isEmpty && sent.governor.limits.heldUntil != nil }
        var tasks: [Task<Result<APIResponse, TransportError>, Never>] = []
        for _ in 1...31 {
            tasks.append(
                Task {
                    do throws(TransportError) { return .success(try await sent.chain.send(request())) } catch {
                        return .failure(error)
                    }
                })
        }
        await until { sent.governor.limits.underway + sent.governor.limits.waiting == 31 }
        var atOnce: [Int] = []
        for _ in 1...5 {
            await until { stub.pending == sent.governor.limits.underway && stub.pending > 0 }
            let pending = stub.pending
            atOnce.append(pending)
            stub.answer(pending)
            let next = min(32, 1 + atOnce.reduce(0, +) + pending * 2)
            await until { stub.requests.count == next }
        }
        #expect(atOnce == [1, 2, 4, 8, 16])
        for task in tasks { #expect(try await task.value.get().status == .ok) }
    }

    @Test func `After a reset, no more requests are sent than the limit allows`() async throws {
        let stub = PendingStub()
        let sent = chain(stub)
        let first = await start(request(), sent)
        stub.answer(1, .status(200, [limitAll: "3", limitLeft: "0", limitReset: "1000010"]))
        _ = await first.value
        var tasks: [Task<Result<APIResponse, TransportError>, Never>] = []
        for _ in 1...5 { tasks.append(await start(request(timeout: .seconds(600)), sent)) }
        await until { stub.pending == 3 }
        #expect(time.sleeps == [.seconds(10)])
        #expect(sent.governor.limits.waiting == 2)
        #expect(sent.governor.limits[""]?.limit == 3)
        for left in [2, 1, 0] {
            stub.answer(1, .status(200, [limitAll: "3", limitLeft: "\(left)", limitReset: "1000020"]))
        }
        await until { stub.pending == 2 }
        #expect(time.sleeps.reduce(.zero, +) == .seconds(20))
        stub.answer(2)
        for task in tasks { #expect(try await task.value.get().status == .ok) }
    }

    @Test func `Each account has its own limits`() async throws {
        let stub = Stub { _, request in
            .status(
                200,
                request.headerFields[.authorization] == "Bearer a"
                    ? [limitLeft: "0", limitReset: "30"] : [limitLeft: "9", limitReset: "30"])
        }
        let sent = chain(stub)
        for token in ["Bearer a", "Bearer b", "Bearer b", "Bearer c"] {
            _ = try await sent.chain.send(request(token: token))
        }
        #expect(time.sleeps == [])
        #expect(sent.governor.limits.quotas.map(\.account) == [1, 2, 3])
        #expect(sent.governor.limits.quotas.map(\.remaining) == [0, 9, 9])
        _ = try await sent.chain.send(request(token: "Bearer a"))
        #expect(time.sleeps == [.seconds(30)])
    }

    @Test func `A changing signature is not a new account`() async throws {
        let sent = chain(Stub(.status(200, [limitLeft: "9", limitReset: "30"])))
        for signature in ["1", "2"] {
            let value = "AWS4-HMAC-SHA256 Credential=AKIA/2026\(signature), Signature=\(signature)"
            _ = try await sent.chain.send(request(token: value))
        }
        #expect(sent.governor.limits.quotas.map(\.account) == [1])
    }

    /// Other fields of a request leave its account as it is.
    @Test func `A field of a single request is not a new account`() async throws {
        let sent = chain(Stub(.status(200, [limitLeft: "9", limitReset: "30"])))
        for (name, value) in [
            ("If-Match", "1"), ("If-Match", "2"), ("Idempotency-Key", "3"), ("X-Request-ID", "4"), ("X-Tenant", "5"),
        ] {
            var request = request(token: "Bearer a")
            let name = try #require(HTTPField.Name(name))
            request.headerFields[name] = value
            request.credentialFields.insert(name)
            _ = try await sent.chain.send(request)
        }
        #expect(sent.governor.limits.quotas.map(\.account) == [1, 2])
    }

    @Test func `The governor keeps no token`() async throws {
        let sent = chain(Stub(.status(200, [limitLeft: "9", limitReset: "30"])))
        _ = try await sent.chain.send(request(token: "Bearer s3cr3t"))
        var dumped = ""
        dump(sent.governor, to: &dumped)
        #expect(!dumped.contains("s3cr3t"))
        #expect(!"\(sent.governor.limits)".contains("s3cr3t"))
    }

    @Test(arguments: [RequestLimits.standard, RequestLimits(resources: ["/": "core", "/search": "search"])])
    func `Each resource has its own limit, found by path`(limits: RequestLimits) async throws {
        let stub = Stub { _, request in
            let isSearch = request.url.path.hasPrefix("/v1/search")
            return .status(
                200, [limitResource: isSearch ? "search" : "core", limitLeft: isSearch ? "0" : "9", limitReset: "30"])
        }
        let sent = chain(stub, limits)
        for path in ["/users/1", "/search/issues", "/users/2", "/repos/1", "/repos/2"] {
            _ = try await sent.chain.send(request(path))
        }
        #expect(time.sleeps == [])
        #expect(sent.governor.limits["core"]?.remaining == 9)
        _ = try await sent.chain.send(request("/search/users?q=1"))
        #expect(time.sleeps == [.seconds(30)])
    }

    @Test func `A route of another resource doesn't affect its sibling routes`() async throws {
        let stub = Stub { _, request in
            let isGraph = request.url.path.hasSuffix("/sbom")
            return .status(
                200, [limitResource: isGraph ? "graph" : "core", limitLeft: isGraph ? "0" : "9", limitReset: "30"])
        }
        let sent = chain(stub)
        for path in ["/repos/1/issues", "/repos/1/sbom", "/repos/1/issues", "/repos/2/issues"] {
            _ = try await sent.chain.send(request(path))
        }
        #expect(time.sleeps == [])
        _ = try await sent.chain.send(request("/repos/2/sbom"))
        #expect(time.sleeps == [.seconds(30)])
    }

    @Test func `Requests to other servers are not limited`() async throws {
        let stub = Stub(.status(200, [limitLeft: "0", limitReset: "30"]))
        let sent = chain(stub)
        for url in [
            "https://elsewhere.example/v1/things", "https://api.example.com:8443/v1",
            "https://api.example.com.evil.example/v1",
        ] {
            for _ in 1...2 { _ = try await sent.chain.send(try APIRequest(.get, url)) }
        }
        #expect(time.sleeps == [])
        for url in ["HTTPS://API.example.com/v1/x", "https://api.example.com:443/v1/x"] {
            _ = try await sent.chain.send(try APIRequest(.get, url))
        }
        #expect(time.sleeps == [.seconds(30)])
    }

    @Test func `Unlimited requests are never delayed`() async throws {
        let sent = chain(Stub(.status(429, [.retryAfter: "30"])), .unlimited)
        for _ in 1...20 { _ = try await sent.chain.send(request()) }
        #expect(time.sleeps == [])
    }

    // MARK: Limits of the API

    @Test func `A refused wait reports whether the API's or the server's limits cause it`() async throws {
        let sent = chain(Stub(.status(200)), RequestLimits(writeSpacing: .seconds(90)))
        _ = try await sent.chain.send(request("/things", .post))
        let error = await failure { () async throws(TransportError) in
            try await sent.chain.send(request("/things", .post))
        }
        #expect(error?.reason == .limited(until: Date(timeIntervalSince1970: 1_000_090), isOwn: true))
        #expect(
            error?.description
                == """
                POST https://api.example.com/v1/things: the API's own limits let no request through before \
                1970-01-12T13:48:10Z; send it again then, allow it a longer timeout, or allow more in the RequestLimits
                """)
        // Where the server wants more, it is the server's.
        let spent = chain(
            Stub(.status(200, [limitLeft: "0", limitReset: "1000300"])), RequestLimits(writeSpacing: .seconds(90)))
        _ = try await spent.chain.send(request("/things", .post))
        let other = await failure { () async throws(TransportError) in
            try await spent.chain.send(request("/things", .post))
        }
        #expect(other?.reason == .limited(until: Date(timeIntervalSince1970: 1_000_300)))
    }

    @Test(arguments: [
        RequestLimits(concurrency: .min, concurrentWrites: .min), RequestLimits(writesPerHour: .max),
        RequestLimits(writesPerMinute: .max / 2, writesPerHour: .max), RequestLimits(writeSpacing: .seconds(Int64.min)),
        RequestLimits(
            circuit: .init(failures: .min, interval: .seconds(Int64.max), firstPause: .seconds(Int64.min))),
    ])
    func `Nonsensical limits don't block requests forever`(_ limits: RequestLimits) async throws {
        let sent = chain(Stub(.status(200)), limits)
        for _ in 1...300 { _ = try await sent.chain.send(request("/things", .post)) }
        #expect(time.sleeps == [] && sent.governor.limits.underway == 0)
    }

    @Test func `Own limits delay a request for at most an hour`() async throws {
        let long = Duration.seconds(Int64.max)
        for limits in [
            RequestLimits(writeSpacing: long), RequestLimits(writesPerHour: .min), RequestLimits(writesPerHour: 0),
        ] {
            let sent = chain(Stub(.status(200)), limits)
            let before = time.sleeps.reduce(.zero, +)
            for _ in 1...3 { _ = try await sent.chain.send(request("/things", .post, timeout: .seconds(8_000))) }
            #expect(time.sleeps.reduce(.zero, +) - before == .seconds(7_200))
        }
        let failing = chain(
            Stub(.status(503)), RequestLimits(circuit: .init(failures: 1, firstPause: long, longestPause: long)))
        _ = try await failing.chain.send(request())
        let error = await failure { () async throws(TransportError) in try await failing.chain.send(request()) }
        guard case .circuitOpen(let until, 1, "503") = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            until.timeIntervalSince1970 - 1_000_000 - Double(time.sleeps.reduce(.zero, +).components.seconds) == 3_600)
    }

    @Test func `No more requests are in flight at once than allowed`() async throws {
        let stub = PendingStub()
        let sent = chain(stub, RequestLimits(concurrency: 3))
        var tasks: [Task<Result<APIResponse, TransportError>, Never>] = []
        for _ in 1...7 { tasks.append(await start(request(), sent)) }
        var most = 0
        for _ in 1...7 {
            await until { stub.pending == min(3, 7 - stub.requests.count + stub.pending) }
            most = max(most, stub.pending)
            stub.answer()
        }
        for task in tasks { _ = try await task.value.get() }
        #expect(most == 3)
        #expect(stub.requests.count == 7)
    }

    @Test func `GitHub's writes are sent one after another, a second apart, with reads between them`() async throws {
        let stub = PendingStub()
        let sent = chain(stub, .github)
        var tasks: [Task<Result<APIResponse, TransportError>, Never>] = []
        for method in [HTTPRequest.Method.post, .patch, .get, .delete] {
            tasks.append(await start(request("/things", method), sent))
        }
        await until { stub.pending == 2 }
        #expect(stub.requests.map(\.method) == [.post, .get])
        #expect(time.sleeps.allSatisfy { $0 <= .seconds(1) })
        stub.answer(2)
        await until { stub.pending == 1 }
        stub.answer()
        await until { stub.pending == 1 }
        stub.answer()
        #expect(stub.requests.map(\.method) == [.post, .get, .patch, .delete])
        #expect(time.sleeps.reduce(.zero, +) == .seconds(2))
        for task in tasks { _ = try await task.value.get() }
    }

    @Test func `GitHub's writes are limited to eighty a minute and five hundred an hour`() async throws {
        let sent = chain(Stub { _, _ in .status(201) }, .github)
        for _ in 1...200 { _ = try await sent.chain.send(request("/things", .post, timeout: .seconds(7200))) }
        // A second apart they are sixty a minute, which is less.
        #expect(time.sleeps.reduce(.zero, +) == .seconds(199))
        for _ in 201...501 { _ = try await sent.chain.send(request("/things", .post, timeout: .seconds(7200))) }
        #expect(time.sleeps.reduce(.zero, +) == .seconds(3600))
        let many = RequestLimits(writesPerMinute: 80)
        let other = GovernorTests()
        let plain = other.chain(Stub(.status(201)), many)
        for _ in 1...161 { _ = try await plain.chain.send(request("/things", .post, timeout: .seconds(7200))) }
        #expect(other.time.sleeps == [.seconds(60), .seconds(60)])
    }

    // MARK: Order

    @Test func `Urgent requests go before background ones, one of which follows each four`() async throws {
        let stub = PendingStub()
        let sent = chain(stub, RequestLimits(concurrency: 1))
        var tasks = [await start(request("/first"), sent)]
        for number in 1...3 {
            tasks.append(
                await RequestPriority.$stated.withValue(.background) {
                    await start(request("/background/\(number)"), sent)
                })
        }
        for number in 1...9 { tasks.append(await start(request("/urgent/\(number)"), sent)) }
        #expect(sent.governor.limits.waiting == 12)
        #expect(sent.governor.limits.waitingInBackground == 3)
        for number in 1...13 {
            await until { stub.requests.count == number && stub.pending == 1 }
            stub.answer()
        }
        for task in tasks { _ = try await task.value.get() }
        #expect(
            stub.requests.map { $0.url.path.dropFirst(4) } == [
                "first", "urgent/1", "urgent/2", "urgent/3", "urgent/4", "background/1", "urgent/5", "urgent/6",
                "urgent/7",
                "urgent/8", "background/2", "urgent/9", "background/3",
            ])
    }

    @Test func `A low task priority makes a request a background one`() async {
        // The test waits for the task indirectly, because awaiting it would raise its priority.
        func priority(at priority: TaskPriority) async -> RequestPriority {
            await withCheckedContinuation { continuation in
                Task.detached(priority: priority) { continuation.resume(returning: RequestPriority.current) }
            }
        }
        let low = await priority(at: .utility)
        let high = await priority(at: .userInitiated)
        let stated = RequestPriority.$stated.withValue(.background) { RequestPriority.current }
        #expect(low == .background)
        #expect(high == .urgent)
        #expect(stated == .background)
    }

    @Test func `A request cancelled while waiting leaves at once, and the next takes its place`() async throws {
        let stub = PendingStub()
        let sent = chain(stub, RequestLimits(concurrency: 1))
        let first = await start(request("/1"), sent)
        let second = await start(request("/2"), sent)
        let third = await start(request("/3"), sent)
        second.cancel()
        guard case .failure(let error) = await second.value else {
            Issue.record("it was sent")
            return
        }
        #expect(error.reason == .cancelled && error.saysUnsent)
        #expect(sent.governor.limits.waiting == 1)
        await until { stub.pending == 1 }
        stub.answer()
        await until { stub.requests.count == 2 && stub.pending == 1 }
        stub.answer()
        for task in [first, third] { _ = try await task.value.get() }
        #expect(stub.requests.map(\.url.path) == ["/v1/1", "/v1/3"])
        #expect(sent.governor.limits.underway == 0)
    }

    /// As by a middleware within Retry that sends a repeated attempt twice.
    @Test func `Two requests with the same place in line are both sent`() async throws {
        let stub = PendingStub()
        let sent = chain(stub, RequestLimits(concurrency: 1))
        var again = request("/again")
        again.chainState.ticket = 7
        var tasks = [await start(request("/first"), sent)]
        for _ in 0..<2 { tasks.append(await start(again, sent)) }
        tasks.append(await start(request("/last"), sent))
        #expect(sent.governor.limits.waiting == 3)
        for number in 1...4 {
            await until { stub.requests.count == number && stub.pending == 1 }
            stub.answer()
        }
        for task in tasks { _ = try await task.value.get() }
        #expect(Set(stub.requests.map(\.url.path)) == ["/v1/first", "/v1/again", "/v1/last"])
        #expect(sent.governor.limits.underway == 0)
    }

    @Test func `A request cancelled in flight frees its place`() async throws {
        let stub = PendingStub()
        let sent = chain(stub, RequestLimits(concurrency: 1))
        let first = await start(request("/1"), sent)
        let second = await start(request("/2"), sent)
        await until { stub.pending == 1 }
        first.cancel()
        guard case .failure(let error) = await first.value else { return #expect(Bool(false), "it ended") }
        #expect(error.reason == .cancelled && !error.saysUnsent)
        await until { stub.requests.count == 2 && stub.pending == 1 }
        stub.answer()
        #expect(try await second.value.get().status == .ok)
    }

    // MARK: Known limits

    @Test func `Updates of the limits are reported, the latest`() async throws {
        let stub = PendingStub()
        let sent = chain(stub, RequestLimits(concurrency: 1))
        var updates = sent.governor.updates.makeAsyncIterator()
        #expect(await updates.next() == APILimits())
        let task = await start(request(), sent)
        #expect(await updates.next()?.underway == 1)
        let other = await start(request(), sent)
        #expect(await updates.next()?.waiting == 1)
        stub.answer(1, .status(200, [limitAll: "9", limitLeft: "8", limitReset: "60"]))
        _ = await task.value
        await until { stub.requests.count == 2 && stub.pending == 1 }
        stub.answer(1, .status(200, [limitAll: "9", limitLeft: "7", limitReset: "60"]))
        _ = await other.value
        let last = await updates.next()
        #expect(last?.underway == 0 && last?.waiting == 0)
        let quota = try #require(last?[""])
        #expect(quota.limit == 9)
        #expect(quota.remaining == 7)
        #expect(quota.reset == Date(timeIntervalSince1970: 1_000_060))
        #expect(quota.since == Date(timeIntervalSince1970: 1_000_000))
    }
}
