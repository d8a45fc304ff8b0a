import Foundation
import HTTPTypes
import RESTTransport
import Testing

/// When a server is left alone.
@Suite(.timeLimit(.minutes(10))) struct CircuitTests {
    private let time = FakeTime(chance: 0)

    private func chain(
        _ transport: any Transport, _ limits: RequestLimits = RequestLimits(circuit: .init(failures: 5)),
        @MiddlewareBuilder _ outer: () -> [any Middleware] = { [] }
    ) -> (chain: TransportChain, governor: Governor) {
        let governor = Governor(limits, api: apiURL, time: time.source)
        let all = outer() + [governor]
        return (TransportChain(api: apiURL, transport: transport, time: time.source) { all }, governor)
    }

    private func get(_ path: String = "", timeout: Duration = .seconds(60)) -> APIRequest {
        APIRequest(.get, URL(string: apiURL.absoluteString + path)!, timeout: timeout)
    }

    private func send(_ count: Int, _ chain: TransportChain) async -> [TransportError.Reason?] {
        var reasons: [TransportError.Reason?] = []
        for number in 0..<count {
            reasons.append(
                await failure { () async throws(TransportError) in try await chain.send(get("/\(number)")) }?.reason)
        }
        return reasons
    }

    @Test(
        arguments: [
            (Stub.Answer.status(502), "502"), (.status(503, [.retryAfter: "90"]), "503"), (.status(504), "504"),
            (.status(500), "500"),
            (.failure(.connectionRefused), "the connection was refused"),
            (.failure(.connectionLost), "the connection was lost before the whole reply had come"),
        ] as [(Stub.Answer, String)])
    func `Five failures in a row open the circuit, with an error that says so`(answer: Stub.Answer, last: String)
        async throws
    {
        let stub = Stub(answer)
        let sent = chain(stub)
        _ = await send(5, sent.chain)
        #expect(stub.requests.count == 5)
        let error = await failure { () async throws(TransportError) in try await sent.chain.send(get()) }
        let until = Date(timeIntervalSince1970: 1_000_001)
        #expect(error?.reason == .circuitOpen(until: until, failures: 5, last))
        #expect(
            error?.description
                == """
                GET https://api.example.com/v1: the server has failed 5 times in a row (the last time: \(last)), so nothing is \
                sent to it before 1970-01-12T13:46:41Z; send it again then; the server or the way to it is in trouble
                """)
        #expect(stub.requests.count == 5)
        #expect(sent.governor.limits.circuit == .open(since: Date(timeIntervalSince1970: 1_000_000), until: until))
    }

    @Test(
        arguments: [
            .status(404), .status(401), .status(429), .status(501), .failure(.cancelled), .failure(.tls("x")),
            .failure(.timedOut(after: .milliseconds(10))), .failure(.other("x")), .failure(.tooLarge(limit: 1)),
        ] as [Stub.Answer])
    func `Failures that aren't the server's don't open the circuit`(answer: Stub.Answer) async throws {
        let stub = Stub(answer)
        let sent = chain(stub)
        _ = await send(50, sent.chain)
        #expect(stub.requests.count == 50)
        #expect(sent.governor.limits.circuit == .closed)
    }

    @Test func `Timeouts open the circuit`() async throws {
        let stub = Stub { _, _ in
            time.advance(by: .seconds(5))
            return .failure(.timedOut(after: .seconds(5)))
        }
        let sent = chain(stub)
        _ = await send(6, sent.chain)
        #expect(stub.requests.count == 5)
    }

    @Test func `A single URL that fails with 500 doesn't open the circuit`() async throws {
        let stub = Stub(.status(500))
        let sent = chain(stub)
        for _ in 1...50 { _ = try await sent.chain.send(get("/one")) }
        #expect(stub.requests.count == 50)
        _ = try await sent.chain.send(get("/two"))
        #expect(await failure { () async throws(TransportError) in try await sent.chain.send(get("/one")) } != nil)
        #expect(stub.requests.count == 51)
    }

    @Test func `A single path that fails with 500 for each query doesn't open the circuit`() async throws {
        let stub = Stub(.status(500))
        let sent = chain(stub)
        for page in 1...50 { _ = try await sent.chain.send(get("/one?page=\(page)")) }
        #expect(stub.requests.count == 50)
        #expect(sent.governor.limits.circuit == .closed)
    }

    @Test func `A success, or enough time, between failures resets the circuit's count`() async throws {
        let stub = Stub { number, _ in .status(number % 5 == 4 ? 200 : 503) }
        let sent = chain(stub)
        _ = await send(50, sent.chain)
        #expect(stub.requests.count == 50)
        let slow = Stub { _, _ in
            time.advance(by: .seconds(31))
            return .status(503)
        }
        _ = await send(20, chain(slow).chain)
        #expect(slow.requests.count == 20)
    }

    @Test func `After a pause one request is sent, and the pause doubles until the server recovers`() async throws {
        let stub = Stub { number, _ in .status(number < 12 ? 503 : 200) }
        let sent = chain(stub)
        _ = await send(5, sent.chain)
        var pauses: [Int64] = []
        for count in 6...13 {
            var waited: Int64 = 0
            while stub.requests.count < count {
                time.advance(by: .seconds(1))
                waited += 1
                _ = await send(1, sent.chain)
            }
            pauses.append(waited)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30])
        #expect(sent.governor.limits.circuit == .closed)
        _ = await send(3, sent.chain)
        #expect(stub.requests.count == 16)
    }

    @Test func `Without a network, one request is sent every five seconds`() async throws {
        let stub = Stub(.failure(.connectionRefused))
        let sent = chain(stub)
        _ = await send(5, sent.chain)
        for _ in 1...60 {
            time.advance(by: .seconds(1))
            _ = await send(1, sent.chain)
        }
        // At 1, 3, 7, 12, 17 … seconds.
        #expect(stub.requests.count == 5 + 13)
    }

    @Test func `With an open circuit, only one request probes the server until it recovers`() async throws {
        let stub = PendingStub()
        let sent = chain(stub)
        for _ in 1...5 {
            let task = Task { await failure { () async throws(TransportError) in try await sent.chain.send(get()) } }
            while stub.pending == 0 { await Task.yield() }
            stub.answer(1, .status(503))
            _ = await task.value
        }
        time.advance(by: .seconds(1))
        let probe = Task { await failure { () async throws(TransportError) in try await sent.chain.send(get()) } }
        while stub.pending == 0 { await Task.yield() }
        #expect(sent.governor.limits.circuit == .probing(since: Date(timeIntervalSince1970: 1_000_000)))
        #expect(await send(3, sent.chain).allSatisfy { $0 != nil })
        // A cancelled probe leaves the server's state open: the next request is sent at once.
        probe.cancel()
        _ = await probe.value
        let other = Task { await failure { () async throws(TransportError) in try await sent.chain.send(get()) } }
        while stub.pending == 0 { await Task.yield() }
        stub.answer()
        #expect(await other.value == nil)
        #expect(sent.governor.limits.circuit == .closed)
    }

    @Test func `Waiting requests are refused when the circuit opens`() async throws {
        let stub = PendingStub()
        let sent = chain(stub, RequestLimits(concurrency: 5, circuit: .init(failures: 5)))
        let tasks = (1...12).map { _ in
            Task { await failure { () async throws(TransportError) in try await sent.chain.send(get()) } }
        }
        while stub.pending < 5 || sent.governor.limits.waiting < 7 { await Task.yield() }
        // With each reply the next one goes; the fifth opens it.
        for number in 1...5 {
            stub.answer(1, .status(503))
            while stub.requests.count < min(9, 5 + number) { await Task.yield() }
        }
        while sent.governor.limits.waiting > 0 { await Task.yield() }
        while sent.governor.limits.underway > 0 {
            stub.answer(1, .status(503))
            await Task.yield()
        }
        var refused = 0
        for task in tasks where await task.value != nil { refused += 1 }
        #expect(stub.requests.count == 9)
        #expect(refused == 3)
    }

    @Test func `A thousand requests cause a few dozen to a server that fails`() async throws {
        let stub = Stub { _, _ in
            await Task.yield()
            return .status(503)
        }
        let sent = chain(stub) { Retry(time: FakeTime(chance: 0).source) }
        let failures = await withTaskGroup(of: Bool.self) { group in
            for number in 1...1000 {
                group.addTask {
                    let request = APIRequest(.get, URL(string: "\(apiURL.absoluteString)/\(number)")!)
                    do throws(TransportError) { return try await sent.chain.send(request).status != .ok } catch {
                        return true
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 1000)
        #expect(stub.requests.count <= 5 + 64)
    }

    @Test func `A retry refused by the open circuit returns the earlier reply`() async throws {
        let stub = Stub(.status(503))
        let sent = chain(stub) { Retry(attempts: 9, time: FakeTime(chance: 0).source) }
        #expect(try await sent.chain.send(get()).status == .serviceUnavailable)
        #expect(stub.requests.count == 5)
    }

    @Test func `The circuit can be switched off`() async throws {
        for limits in [RequestLimits(circuit: nil), .unlimited] {
            let stub = Stub(.status(503))
            _ = await send(50, chain(stub, limits).chain)
            #expect(stub.requests.count == 50)
        }
    }
}
