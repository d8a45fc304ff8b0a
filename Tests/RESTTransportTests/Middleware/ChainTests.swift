import HTTPTypes
import Logging
import RESTTransport
import Synchronization
import TestSupport
import Testing

/// How middleware and transport make one transport.
@Suite struct ChainTests {
    /// Notes when a request goes in and its reply comes out.
    private struct Noting: Middleware {
        let name: String
        let notes: Notes

        func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
            notes.add("\(name) in")
            defer { notes.add("\(name) out") }
            return try await next(request)
        }
    }

    private final class Notes: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test(arguments: [true, false])
    func `The first middleware is the outermost`(isOptionalThere: Bool) async throws {
        let notes = Notes()
        let chain = TransportChain(Stub(.status(.ok))) {
            Noting(name: "a", notes: notes)
            if isOptionalThere { Noting(name: "b", notes: notes) }
            if isOptionalThere { Noting(name: "c", notes: notes) } else { Noting(name: "d", notes: notes) }
            for name in ["e", "f"] { Noting(name: name, notes: notes) }
        }
        _ = try await chain.send(APIRequest(.get, apiURL))
        let order = isOptionalThere ? ["a", "b", "c", "e", "f"] : ["a", "d", "e", "f"]
        #expect(notes.all == order.map { "\($0) in" } + order.reversed().map { "\($0) out" })
    }

    @Test func `The timeout covers slow middleware`() async throws {
        struct Dawdling: Middleware {
            func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
                await untilCancelled()
                throw TransportError(.cancelled, request)
            }
        }
        let error = await failure { () async throws(TransportError) -> APIResponse in
            try await TransportChain(Stub(.status(.ok))) { Dawdling() }
                .send(APIRequest(.get, apiURL, timeout: .milliseconds(50)))
        }
        #expect(error?.reason == .timedOut(after: .milliseconds(50)))
        #expect(
            error?.description.hasPrefix(
                "GET https://api.example.com/v1: no whole reply came and was stored within 0.05 seconds")
                == true)
    }

    @Test func `A chain without middleware sends as its transport does`() async throws {
        let stub = Stub(.status(.accepted))
        let reply = try await TransportChain(api: apiURL, transport: stub).send(APIRequest(.delete, apiURL))
        #expect(reply.status == .accepted)
        #expect(stub.requests.map(\.method) == [.delete])
    }

    @Test func `The history keeps the last requests, including failures`() async throws {
        let time = FakeTime()
        let history = RequestHistory(capacity: 3, time: time.source)
        let stub = Stub { number, _ in
            time.advance(by: .milliseconds(number + 1))
            return number == 3 ? .failure(.connectionLost) : .status(.ok)
        }
        let chain = TransportChain(stub) { history }
        for number in 0..<5 {
            _ = await failure { () async throws(TransportError) -> APIResponse in
                try await chain.send(APIRequest(.get, "https://api.example.com/\(number)"))
            }
        }
        #expect(
            history.entries.map(\.description) == [
                "GET https://api.example.com/2 → 200 in 3 ms",
                "GET https://api.example.com/3 → the connection was lost before the whole reply had come in 4 ms",
                "GET https://api.example.com/4 → 200 in 5 ms",
            ])
        #expect(history.entries.map(\.status) == [200, nil, 200])
        history.removeAll()
        #expect(history.entries == [])
    }

    @Test(arguments: [1, 2, 7, 0, -1])
    func `The history never exceeds its capacity`(_ capacity: Int) async throws {
        let history = RequestHistory(capacity: capacity, time: FakeTime().source)
        let chain = TransportChain(Stub(.status(.ok))) { history }
        for number in 1...30 {
            _ = try await chain.send(APIRequest(.get, "https://api.example.com/\(number)"))
            let first = max(1, number - max(1, capacity) + 1)
            #expect(
                history.entries.map(\.request.description)
                    == (first...number).map { "GET https://api.example.com/\($0)" })
        }
        history.removeAll()
        #expect(history.entries == [])
        _ = try await chain.send(APIRequest(.get, "https://api.example.com/31"))
        #expect(history.entries.count == 1)
    }

    @Test func `The log has a line for each request`() async throws {
        let log = CapturedLog()
        let time = FakeTime()
        let stub = Stub { number, _ in
            time.advance(by: .milliseconds(12))
            return number == 0 ? .status(.ok) : .failure(.connectionRefused)
        }
        let chain = TransportChain(stub) { RequestLog(log.logger, level: .info, time: time.source) }
        for _ in 0..<2 {
            _ = await failure { () async throws(TransportError) -> APIResponse in
                try await chain.send(APIRequest(.get, apiURL))
            }
        }
        #expect(
            log.lines == [
                "info GET https://api.example.com/v1 → 200 in 12 ms, 0 bytes [:]",
                "warning GET https://api.example.com/v1 → no reply after 12 ms: the connection was refused [:]",
            ])
    }

    @Test func `The log calls a request that its timeout has cancelled timed out`() async throws {
        let log = CapturedLog()
        let time = FakeTime()
        let stub = Stub { _, _ in
            time.advance(by: .seconds(9))
            return .failure(.cancelled)
        }
        let chain = TransportChain(api: apiURL, transport: stub, time: time.source) {
            RequestLog(log.logger, time: time.source)
        }
        _ = await failure { () async throws(TransportError) -> APIResponse in
            try await chain.send(APIRequest(.get, apiURL, timeout: .seconds(9)))
        }
        let reason = TransportError.Reason.timedOut(after: .seconds(9))
        #expect(log.lines == ["warning GET https://api.example.com/v1 → no reply after 9000 ms: \(reason) [:]"])
    }
}
