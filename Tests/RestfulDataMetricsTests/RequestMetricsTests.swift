import CoreMetrics
import HTTPTypes
import MetricsTestKit
import RESTTransport
import RestfulDataMetrics
import Synchronization
import TestSupport
import Testing

/// The measurements of `RequestMetrics`, and their dimensions.
@Suite struct RequestMetricsTests {
    private let factory = TestMetrics()
    private let time = FakeTime()

    private var metrics: RequestMetrics { RequestMetrics(factory: factory, time: time.source) }

    private func dimensions(
        method: String = "GET", status: String = "", error: String = "", version: String = "", model: String = "User"
    ) -> [(String, String)] {
        [
            ("http.request.method", method), ("server.address", "api.example.com"), ("server.port", "443"),
            ("restfuldata.model", model), ("http.response.status_code", status), ("error.type", error),
            ("network.protocol.version", version),
        ]
    }

    private var durations: [TestTimer] { factory.timers(label: "http.client.request.duration") }
    private var errors: Int64 { factory.counterTotal(label: "http.client.request.errors") }

    @Test func `A reply is timed by its request's method, server, model and status`() async throws {
        let stub = Stub { [time] _, request in
            time.advance(by: .milliseconds(250))
            var reply = APIResponse(HTTPResponse(status: .ok), to: request)
            reply.phases.httpVersion = "HTTP/2"
            return reply
        }
        await stub.send(.get()) { metrics }
        let timer = try factory.expectTimer(
            "http.client.request.duration", dimensions(status: "200", version: "2"))
        #expect(timer.values == [250_000_000])
        #expect(timer.valueInPreferredUnit(atIndex: 0) == 0.25)
        #expect(durations.count == 1)
        #expect(errors == 0)
        #expect(stub.requests.map(\.headerFields) == [[:]])
    }

    @Test(arguments: [400, 404, 429, 500, 503])
    func `An error reply is timed and counted as an error`(status: Int) async throws {
        await Stub(.init(code: status)).send(.get()) { metrics }
        let expected = dimensions(status: "\(status)", error: "\(status)")
        #expect(try factory.expectTimer("http.client.request.duration", expected).values.count == 1)
        #expect(try factory.expectCounter("http.client.request.errors", expected).values == [1])
    }

    @Test(
        arguments: [
            (.connectionRefused, "connection_refused"), (.cancelled, "cancelled"),
            (.timedOut(after: .seconds(1)), "timeout"), (.other("one of a thousand texts"), "_OTHER"),
        ] as [(TransportError.Reason, String)])
    func `A request without a reply is counted as an error of its kind`(reason: TransportError.Reason, type: String)
        async throws
    {
        await Stub(failing: reason).send(.get()) { metrics }
        let expected = dimensions(error: type)
        #expect(try factory.expectTimer("http.client.request.duration", expected).values.count == 1)
        #expect(try factory.expectCounter("http.client.request.errors", expected).values == [1])
        #expect(try active.lastValue == 0)
    }

    @Test func `A request that times out is counted as a timeout, not as cancelled`() async throws {
        let metrics = RequestMetrics(factory: factory)
        let history = RequestHistory()
        let stub = Stub { _, request throws(TransportError) in
            await untilCancelled()
            throw TransportError(.cancelled, request)
        }
        let chain = TransportChain(api: Stub.api, transport: stub) {
            metrics
            history
        }
        var request = APIRequest.get()
        request.timeout = .milliseconds(20)
        let reply = try? await chain.send(request)
        #expect(reply == nil)
        #expect(try factory.expectCounter("http.client.request.errors", dimensions(error: "timeout")).values == [1])
        #expect(history.entries.map(\.failure) == [.timedOut(after: .milliseconds(20))])
    }

    @Test func `A cancelled request is counted as an error of that kind`() async throws {
        let (metrics, asked) = (metrics, AsyncStream<Void>.makeStream())
        let stub = Stub { _, request throws(TransportError) in
            asked.continuation.yield()
            await untilCancelled()
            throw TransportError(.cancelled, request)
        }
        let sending = Task { await stub.send(.get()) { metrics } }
        for await _ in asked.stream { break }
        #expect(try active.lastValue == 1)
        sending.cancel()
        await sending.value
        #expect(try factory.expectCounter("http.client.request.errors", dimensions(error: "cancelled")).values == [1])
        #expect(try active.lastValue == 0)
    }

    private var active: TestMeter {
        get throws {
            try factory.expectMeter(
                "http.client.active_requests",
                [("http.request.method", "GET"), ("server.address", "api.example.com"), ("server.port", "443")])
        }
    }

    @Test func `Outside of Retry metrics measure one request, inside of it each attempt`() async throws {
        let (outer, inner) = (TestMetrics(), TestMetrics())
        await Stub(.serviceUnavailable, .serviceUnavailable, .ok).send(.get()) {
            RequestMetrics(factory: outer, time: time.source)
            Retry(time: time.source)
            RequestMetrics(factory: inner, time: time.source)
        }
        func count(_ factory: TestMetrics) -> Int {
            factory.timers(label: "http.client.request.duration").map(\.values.count).reduce(0, +)
        }
        #expect(count(outer) == 1)
        #expect(outer.counterTotal(label: "http.client.request.errors") == 0)
        #expect(count(inner) == 3)
        #expect(inner.counterTotal(label: "http.client.request.errors") == 2)
    }

    @Test func `Twenty concurrent requests are counted as active, and none remains`() async throws {
        let all = AsyncStream<Void>.makeStream()
        let (open, opener) = AsyncStream<Void>.makeStream()
        let stub = Stub { _, request in
            all.continuation.yield()
            for await _ in open {}
            return APIResponse(HTTPResponse(status: .ok), to: request)
        }
        let chain = TransportChain(api: Stub.api, transport: stub) { metrics }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await chain.send(.get()) } }
            var begun = 0
            for await _ in all.stream {
                begun += 1
                if begun == 20 { break }
            }
            #expect(try active.lastValue == 20)
            opener.finish()
            try await group.waitForAll()
        }
        #expect(try active.lastValue == 0)
        #expect(durations.map(\.values.count) == [20])
    }

    @Test func `An answer of the store is counted as such, a probe isn't counted`() async throws {
        let reasons: [APIResponse.Unsent] = [.stored, .probe, .notStored]
        let stub = Stub { number, request in .unsent(request, reasons[number]) }
        var probe = APIRequest.get()
        probe.chainState.isProbe = true
        await stub.send(.get(), probe, .get()) { metrics }
        #expect(durations.isEmpty)
        #expect(errors == 0)
        #expect(factory.counterTotal(label: "restfuldata.client.store_answers") == 1)
        #expect(try active.values == [1, 0, 1, 0])
    }

    @Test func `No metric's dimension contains a secret, path, query or unknown method`() async throws {
        let method = try #require(HTTPRequest.Method("S3CR3T"))
        let request = try APIRequest(
            method, "https://api.example.com/v1/s3cr3t?token=s3cr3t", headerFields: [.authorization: "s3cr3t"])
        await Stub(.notFound).send(request) { metrics }
        let all = durations.map(\.dimensions) + factory.counters.map(\.dimensions) + factory.meters.map(\.dimensions)
        #expect(all.count == 3)
        #expect(all.joined().allSatisfy { !$0.1.lowercased().contains("s3cr3t") && !$0.1.contains("/") })
        #expect(durations.first?.dimensions.first?.1 == "_OTHER")
    }

    @Test func `Each metric has the same dimensions for every request`() async throws {
        await Stub(.ok, .notFound).send(.get(), .get(model: nil)) { metrics }
        await Stub(failing: .connectionLost).send(.get()) { metrics }
        let names = Set(durations.map { $0.dimensions.map(\.0) })
        #expect(durations.count == 3)
        #expect(names == [dimensions().map(\.0)])
    }

    @Test func `Two APIs of one server count their requests together`() async throws {
        let (metrics, other, asked) = (metrics, metrics, AsyncStream<Void>.makeStream())
        let stub = Stub { number, request in
            asked.continuation.yield()
            if number == 0 { await untilCancelled() }
            return APIResponse(HTTPResponse(status: .ok), to: request)
        }
        let sending = Task { await stub.send(.get()) { metrics } }
        for await _ in asked.stream { break }
        await stub.send(.get()) { other }
        sending.cancel()
        await sending.value
        #expect(try active.values == [1, 2, 1, 0])
    }

    /// In a process of its own: a program sets its metrics up once.
    @Test func `Without a factory, metrics go to the program's, even if set up later`() async {
        await #expect(processExitsWith: .success) {
            let metrics = RequestMetrics()
            let factory = TestMetrics()
            MetricsSystem.bootstrap(factory)
            await Stub(.ok).send(.get()) { metrics }
            #expect(factory.timers(label: "http.client.request.duration").count == 1)
        }
    }
}
