import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// How often all requests of an API together are sent again.
@Suite struct RetryBudgetTests {
    @Test func `A thousand failing requests cause only 210 retries`() async throws {
        let stub = Stub(.status(503))
        let time = FakeTime(chance: 0)
        let chain = TransportChain(stub) { Retry(time: time.source) }
        var replies = 0
        for _ in 1...1000 where try await chain.send(APIRequest(.get, apiURL)).status == .serviceUnavailable {
            replies += 1
        }
        #expect(replies == 1000)
        #expect(stub.requests.count == 1210)
    }

    @Test func `The retry budget recovers with time`() async throws {
        let stub = Stub(.status(503))
        let time = FakeTime(chance: 0)
        let chain = TransportChain(stub) { Retry(time: time.source) }
        for _ in 1...20 { _ = try await chain.send(APIRequest(.get, apiURL)) }
        #expect(stub.requests.count == 34)
        time.advance(by: .seconds(10))
        _ = try await chain.send(APIRequest(.get, apiURL))
        #expect(stub.requests.count == 38)
    }

    @Test func `Successful requests extend the retry budget`() async throws {
        let time = FakeTime(chance: 0)
        let stub = Stub { number, _ in .status(number < 100 ? 200 : 503) }
        let chain = TransportChain(stub) { Retry(attempts: 100, time: time.source) }
        for _ in 1...100 { _ = try await chain.send(APIRequest(.get, apiURL)) }
        _ = try await chain.send(APIRequest(.get, apiURL))
        #expect(stub.requests.count == 131)
    }

    @Test func `Copies of an API share one retry budget, two APIs don't`() async throws {
        let stub = Stub(.status(503))
        let retry = Retry(attempts: 100, time: FakeTime(chance: 0).source)
        let chain = TransportChain(stub) { retry }
        let copy = chain
        _ = try await chain.send(APIRequest(.get, apiURL))
        _ = try await copy.send(APIRequest(.get, apiURL))
        #expect(stub.requests.count == 12)
        _ = try await TransportChain(stub) { Retry(attempts: 100, time: FakeTime(chance: 0).source) }
            .send(APIRequest(.get, apiURL))
        #expect(stub.requests.count == 23)
    }
}
