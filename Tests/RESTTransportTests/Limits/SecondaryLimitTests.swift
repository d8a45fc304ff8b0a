import Foundation
import HTTPTypes
import RESTTransport
import Testing

/// GitHub's secondary limits, which may lack a remaining number and an end, and refusals for other reasons than limits.
@Suite(.timeLimit(.minutes(10))) struct SecondaryLimitTests {
    private static let secondary = """
        {"documentation_url": "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits", \
        "message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
        """
    private static let abuse = """
        {"message": "You have triggered an abuse detection mechanism. Please wait a few minutes before you try again."}
        """
    private static let notAllowed = #"{"message": "Resource not accessible by personal access token", "status": "403"}"#
    private static let left: HTTPFields = [limitAll: "5000", limitLeft: "4987", limitReset: "1003000"]
    private static let spent: HTTPFields = [limitAll: "5000", limitLeft: "0", limitReset: "1000030"]

    private let time = FakeTime(chance: 0)

    private func chain(_ stub: Stub, governed: Bool = true) -> TransportChain {
        let governor = Governor(governed ? .standard : .unlimited, api: apiURL, time: time.source)
        return TransportChain(api: apiURL, transport: stub, time: time.source) {
            Retry(time: time.source)
            governor
        }
    }

    private func request(_ method: HTTPRequest.Method = .get, timeout: Duration = .seconds(3600)) -> APIRequest {
        APIRequest(method, URL(string: apiURL.absoluteString + "/things")!, timeout: timeout)
    }

    @Test(arguments: [true, false], [(403, secondary), (429, secondary), (403, abuse)])
    func `A secondary limit waits a minute, then twice as long each time`(
        governed: Bool, refusal: (status: Int, body: String)
    ) async throws {
        let refused = Stub.Answer.status(.init(code: refusal.status), Self.left, body: refusal.body)
        let stub = Stub(refused, refused, refused, .status(.ok))
        // The server refused to execute the request, so even a non-idempotent one is sent again.
        #expect(try await chain(stub, governed: governed).send(request(.post)).status == .ok)
        #expect(time.sleeps == [.seconds(60), .seconds(120), .seconds(240)])
    }

    @Test(arguments: [true, false])
    func `A secondary limit's reply is returned if the timeout is shorter than the wait`(governed: Bool) async throws {
        let stub = Stub(.status(403, Self.left, body: Self.secondary))
        #expect(try await chain(stub, governed: governed).send(request(timeout: .seconds(60))).status == .forbidden)
        #expect(stub.requests.count == 1 && time.sleeps == [])
    }

    @Test func `A secondary limit makes all of the account's requests wait, until a known time`() async throws {
        let stub = Stub(.status(403, Self.left, body: Self.secondary), .status(.ok))
        let governor = Governor(.github, api: apiURL, time: time.source)
        let chain = TransportChain(api: apiURL, transport: stub, time: time.source) { governor }
        _ = try await chain.send(request())
        #expect(governor.limits.heldUntil == Date(timeIntervalSince1970: 1_000_060))
        let error = await failure { () async throws(TransportError) in
            try await chain.send(request(timeout: .seconds(59)))
        }
        #expect(error?.reason == .limited(until: Date(timeIntervalSince1970: 1_000_060)))
        _ = try await chain.send(request(timeout: .seconds(61)))
        #expect(time.sleeps == [.seconds(60)] && stub.requests.count == 2)
    }

    @Test func `A success resets the secondary limit's wait, and concurrent refusals count once`() async throws {
        let stub = PendingStub()
        let governor = Governor(.standard, api: apiURL, time: time.source)
        let chain = TransportChain(api: apiURL, transport: stub, time: time.source) { governor }
        func send(_ count: Int) -> [Task<APIResponse?, Never>] {
            (1...count).map { _ in Task { try? await chain.send(request()) } }
        }
        func until(_ isSo: () -> Bool) async { while !isSo() { await Task.yield() } }
        let together = send(5)
        await until { stub.pending == 5 }
        stub.answer(5, .status(403, body: Self.secondary))
        for task in together { _ = await task.value }
        #expect(governor.limits.heldUntil == Date(timeIntervalSince1970: 1_000_060))
        for (answer, wait) in [
            (Stub.Answer.status(403, body: Self.secondary), 120), (.status(.ok), nil),
            (.status(403, body: Self.secondary), 60),
        ] as [(Stub.Answer, Int?)] {
            let task = send(1)
            await until { stub.pending == 1 }
            let now = 1_000_000 + Int(time.source.elapsed().components.seconds)
            stub.answer(1, answer)
            _ = await task[0].value
            #expect(governor.limits.heldUntil == wait.map { Date(timeIntervalSince1970: Double(now + $0)) })
        }
    }

    @Test func `A successful read doesn't reset the secondary limit's wait of writes`() async throws {
        let stub = Stub { number, _ in
            [0, 2].contains(number) ? .status(403, body: Self.secondary) : .status(.ok)
        }
        let governor = Governor(.standard, api: apiURL, time: time.source)
        let chain = TransportChain(api: apiURL, transport: stub, time: time.source) { governor }
        for method in [.post, .get, .post, .post] as [HTTPRequest.Method] { _ = try await chain.send(request(method)) }
        #expect(time.sleeps == [.seconds(60), .seconds(120)])
    }

    @Test(
        arguments: [true, false],
        [
            (left, notAllowed), (left, ""), (HTTPFields(), notAllowed), (spent, notAllowed),
            (HTTPFields(), #"{"message": "API rate limit exceeded"}"#),
        ] as [(HTTPFields, String)])
    func `A forbidden request is never sent again`(governed: Bool, reply: (fields: HTTPFields, body: String))
        async throws
    {
        let stub = Stub(.status(403, reply.fields, body: reply.body))
        #expect(try await chain(stub, governed: governed).send(request()).status == .forbidden)
        #expect(stub.requests.count == 1 && time.sleeps == [])
    }

    @Test(
        arguments: [true, false],
        [
            (spent, "", 30), (spent, #"{"message": "API rate limit exceeded for user ID 1."}"#, 30),
            (spent, "Zu viele Anfragen, später", 30),
            ([.retryAfter: "7"], notAllowed, 7), ([.retryAfter: "7"], secondary, 7), (spent, secondary, 30),
        ] as [(HTTPFields, String, Int)])
    func `A refused request with a time is sent again at that time`(
        governed: Bool, reply: (fields: HTTPFields, body: String, wait: Int)
    ) async throws {
        let stub = Stub(.status(403, reply.fields, body: reply.body), .status(.ok))
        #expect(try await chain(stub, governed: governed).send(request(.post)).status == .ok)
        #expect(time.sleeps == [.seconds(reply.wait)])
    }
}
