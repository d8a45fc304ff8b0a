import HTTPTypes
import RESTTransport
import Testing

/// Retries and their delays.
@Suite struct RetryTests {
    /// A reply or an error, and how often the request is sent if the server keeps answering like this.
    @Test(
        arguments: [
            ("GET", Stub.Answer.status(500), 4), ("GET", .status(502), 4), ("GET", .status(503), 4),
            ("PUT", .status(500), 4),
            ("DELETE", .status(500), 4), ("HEAD", .status(500), 4), ("GET", .status(501), 1), ("GET", .status(505), 1),
            ("POST", .status(500), 1), ("PATCH", .status(503), 1), ("POST", .status(503, [.retryAfter: "1"]), 1),
            ("GET", .status(200), 1), ("GET", .status(404), 1), ("GET", .status(401), 1), ("GET", .status(422), 1),
            ("GET", .status(429), 4), ("POST", .status(429, [.retryAfter: "1"]), 4), ("GET", .status(403), 1),
            ("GET", .status(403, [.retryAfter: "1"]), 4), ("POST", .status(403, [.retryAfter: "1"]), 4),
            ("GET", .failure(.connectionLost), 4), ("GET", .failure(.connectionRefused), 4),
            ("GET", .failure(.connectionFailed("x")), 4), ("POST", .failure(.connectionLost), 1),
            ("PATCH", .failure(.connectionLost), 1), ("GET", .failure(.tls("x")), 1), ("GET", .failure(.cancelled), 1),
            ("GET", .failure(.tooLarge(limit: 1)), 1), ("GET", .failure(.malformedResponse("x")), 1),
            ("GET", .failure(.timedOut(after: .seconds(1))), 1),
        ] as [(String, Stub.Answer, Int)])
    func `Only a request that is safe to repeat and may succeed is retried`(
        method: String, answer: Stub.Answer, count: Int
    )
        async throws
    {
        let stub = Stub(answer)
        let chain = TransportChain(stub) { Retry(time: FakeTime().source) }
        let request = APIRequest(try #require(HTTPRequest.Method(method)), apiURL)
        let error = await failure { () async throws(TransportError) -> APIResponse in try await chain.send(request) }
        #expect(stub.requests.count == count)
        if case .failure(let reason) = answer { #expect(error?.reason == reason) } else { #expect(error == nil) }
    }

    @Test func `A request with an idempotency key is retried`() async throws {
        let stub = Stub(.failure(.connectionLost), .status(.created))
        let key = try #require(HTTPField.Name("Idempotency-Key"))
        let chain = TransportChain(stub) { Retry(time: FakeTime().source) }
        let reply = try await chain.send(APIRequest(.post, apiURL, headerFields: [key: "7"], body: .bytes([1, 2])))
        #expect(reply.status == .created)
        #expect(stub.requests.map(\.body?.bytes) == [[1, 2], [1, 2]])
    }

    @Test func `Retry delays double up to the longest, scaled by chance`() async throws {
        let time = FakeTime(chance: 0.5)
        let stub = Stub(.status(500))
        let chain = TransportChain(stub) {
            Retry(attempts: 6, firstDelay: .seconds(1), longestDelay: .seconds(5), time: time.source)
        }
        let reply = try await chain.send(APIRequest(.get, apiURL))
        #expect(reply.status.code == 500)
        #expect(time.sleeps == [.seconds(0.5), .seconds(1), .seconds(2), .seconds(2.5), .seconds(2.5)])
    }

    @Test(
        arguments: [
            ([.retryAfter: "7"], .seconds(7)),
            ([.retryAfter: "Sun, 06 Nov 1994 08:49:47 GMT", .date: "Sun, 06 Nov 1994 08:49:37 GMT"], .seconds(10)),
            ([limitLeft: "0", limitReset: "1000030"], .seconds(30)),
            ([limitLeft: "0", limitReset: "784111783", .date: "Sun, 06 Nov 1994 08:49:37 GMT"], .seconds(6)),
            ([limitLeft: "0", limitReset: "5"], .seconds(5)), ([limitLeft: "0", limitReset: "0"], .seconds(1)),
            ([limitLeft: "0", limitReset: "999000"], .seconds(1)),
            ([limitLeft: "0", limitReset: "1000030", .retryAfter: "3"], .seconds(3)),
        ] as [(HTTPFields, Duration)])
    func `A Retry-After delay is waited before the retry`(fields: HTTPFields, expected: Duration) async throws {
        for status in [403, 429] as [HTTPResponse.Status] {
            let time = FakeTime()
            let stub = Stub(.status(status, fields), .status(.ok))
            let reply = try await TransportChain(stub) { Retry(time: time.source) }.send(APIRequest(.post, apiURL))
            #expect(reply.status == .ok)
            #expect(time.sleeps == [expected])
        }
    }

    @Test(
        arguments: [
            [.retryAfter: "0"], [.retryAfter: "Thu, 01 Jan 1970 00:00:10 GMT"],
            [.retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:49:47 GMT"],
        ] as [HTTPFields])
    func `A Retry-After delay of zero is replaced by the usual delay`(fields: HTTPFields) async throws {
        let time = FakeTime(chance: 0.5)
        let stub = Stub(.status(429, fields))
        let chain = TransportChain(stub) { Retry(firstDelay: .seconds(1), time: time.source) }
        #expect(try await chain.send(APIRequest(.get, apiURL)).status == .tooManyRequests)
        #expect(time.sleeps == [.seconds(0.5), .seconds(1), .seconds(2)])
    }

    @Test func `A retry whose wait exceeds the timeout isn't begun`() async throws {
        let time = FakeTime()
        let stub = Stub(.status(429, [.retryAfter: "61"]))
        let reply = try await TransportChain(stub) { Retry(time: time.source) }.send(APIRequest(.get, apiURL))
        #expect(reply.status == .tooManyRequests)
        #expect(time.sleeps == [])
        #expect(stub.requests.count == 1)
    }

    @Test func `Time spent in attempts counts against the timeout`() async throws {
        let time = FakeTime()
        let stub = Stub { _, _ in
            time.advance(by: .seconds(25))
            return .status(503, [.retryAfter: "10"])
        }
        let reply = try await TransportChain(stub) { Retry(time: time.source) }.send(APIRequest(.get, apiURL))
        #expect(reply.status == .serviceUnavailable)
        #expect(time.sleeps == [.seconds(10)])  // 25 + 10 + 25 leave no room for another ten of sixty.
        #expect(stub.requests.count == 2)
    }

    @Test func `A task cancelled while waiting for a retry ends as cancelled`() async throws {
        let stub = Stub(.status(500))
        let sending = Task {
            await failure { () async throws(TransportError) -> APIResponse in
                try await TransportChain(stub) { Retry(firstDelay: .seconds(3600), longestDelay: .seconds(3600)) }
                    .send(APIRequest(.get, apiURL, timeout: .seconds(86_400)))
            }
        }
        while stub.requests.isEmpty { await Task.yield() }
        sending.cancel()
        #expect(await sending.value?.reason == .cancelled)
        #expect(stub.requests.count == 1)
    }

    @Test func `Extreme retry settings do not trap`() async throws {
        let stub = Stub(.status(500))
        let time = FakeTime(chance: 1)
        let retry = Retry(
            attempts: 100, firstDelay: .seconds(Int64.max), longestDelay: .seconds(Int64.max), time: time.source)
        _ = try await TransportChain(stub) { retry }.send(APIRequest(.get, apiURL, timeout: .seconds(Int64.max)))
        #expect(stub.requests.count == 100)
        let never = Retry(attempts: Int.min, firstDelay: .seconds(Int64.min), time: time.source)
        _ = try await TransportChain(stub) { never }.send(APIRequest(.get, apiURL))
        #expect(stub.requests.count == 101)
    }
}
