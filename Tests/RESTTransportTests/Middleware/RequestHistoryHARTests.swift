import Foundation
import HTTPTypes
import RESTTransport
import Testing

/// The history as a file for the developer tools of browsers.
@Suite struct RequestHistoryHARTests {
    /// 2026-11-26T14:15:20Z.
    private let time = FakeTime(localTime: 1_795_702_520)

    private typealias Object = [String: Any]

    /// The objects of a history's file, by their mandatory names.
    private func log(_ history: RequestHistory) throws -> Object {
        let file = try #require(try JSONSerialization.jsonObject(with: history.har) as? Object)
        #expect(Array(file.keys) == ["log"])
        return try #require(file["log"] as? Object)
    }

    private func entries(_ history: RequestHistory) throws -> [Object] {
        try #require(try log(history)["entries"] as? [Object])
    }

    private func part(_ name: String, of object: Object) throws -> Object { try #require(object[name] as? Object) }

    private func send(_ requests: [APIRequest], _ history: RequestHistory, by transport: any Transport) async {
        let chain = TransportChain(api: apiURL, transport: transport, time: time.source) { history }
        for request in requests {
            _ = await failure { () async throws(TransportError) -> APIResponse in try await chain.send(request) }
        }
    }

    /// Answers with phases, as clients do.
    private struct TimedTransport: Transport {
        let time: FakeTime

        func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            time.advance(by: .milliseconds(120))
            let head = HTTPResponse(status: .created, headerFields: [.contentType: "application/json", .server: "x"])
            var reply = APIResponse(head, body: Array("{\"id\":1}".utf8), to: request)
            reply.phases.queued = .milliseconds(10)
            reply.phases.connecting = .milliseconds(20)
            reply.phases.sending = .microseconds(1500)
            reply.phases.waiting = .milliseconds(60)
            reply.phases.receiving = .milliseconds(5)
            reply.phases.bytesReceived = 6
            reply.phases.httpVersion = "HTTP/2"
            return reply
        }
    }

    @Test func `A HAR entry has every mandatory field with the request's values`() async throws {
        let history = RequestHistory(time: time.source)
        time.advance(by: .milliseconds(7))
        let request = try APIRequest(
            .post, "https://api.example.com/v1/posts?page=2&q=a%20b&flag&empty=", headerFields: [.accept: "text/html"],
            body: .text("hello"))
        await send([request], history, by: TimedTransport(time: time))

        let log = try log(history)
        #expect(log["version"] as? String == "1.2")
        let creator = try part("creator", of: log)
        #expect(creator["name"] as? String == "RestfulData")
        #expect((creator["version"] as? String)?.isEmpty == false)

        let entry = try #require(try entries(history).first)
        #expect(entry["startedDateTime"] as? String == "2026-11-26T14:15:20.007Z")
        #expect(entry["time"] as? Double == 120)
        #expect((entry["cache"] as? Object)?.isEmpty == true)
        #expect(entry["_fromCache"] == nil)

        let sent = try part("request", of: entry)
        #expect(sent["method"] as? String == "POST")
        #expect(sent["url"] as? String == request.url.absoluteString)
        #expect(sent["httpVersion"] as? String == "HTTP/2")
        #expect((sent["cookies"] as? [Object])?.isEmpty == true)
        #expect(
            sent["headers"] as? [[String: String]] == [
                ["name": "Content-Type", "value": "text/plain; charset=utf-8"]
            ])
        #expect(
            sent["queryString"] as? [[String: String]] == [
                ["name": "page", "value": "2"], ["name": "q", "value": "a b"], ["name": "flag", "value": ""],
                ["name": "empty", "value": ""],
            ])
        #expect(sent["headersSize"] as? Int == -1)
        #expect(sent["bodySize"] as? Int == 5)

        let received = try part("response", of: entry)
        #expect(received["status"] as? Int == 201)
        #expect(received["statusText"] as? String == "")
        #expect(received["httpVersion"] as? String == "HTTP/2")
        #expect((received["cookies"] as? [Object])?.isEmpty == true)
        #expect(received["headers"] as? [[String: String]] == [["name": "Content-Type", "value": "application/json"]])
        #expect(received["redirectURL"] as? String == "")
        #expect(received["headersSize"] as? Int == -1)
        #expect(received["bodySize"] as? Int == 6)
        #expect(received["_error"] == nil)
        let content = try part("content", of: received)
        #expect(content["size"] as? Int == 8)
        #expect(content["mimeType"] as? String == "application/json")

        let timings = try #require(entry["timings"] as? [String: Double])
        #expect(
            timings == [
                "blocked": 33.5, "dns": -1, "connect": 20, "ssl": -1, "send": 1.5, "wait": 60, "receive": 5,
            ])
        #expect(timings.values.filter { $0 > 0 }.reduce(0, +) == 120)
    }

    @Test func `A phase that the transport doesn't report is counted as waiting in HAR`() async throws {
        let history = RequestHistory(time: time.source)
        let stub = Stub { _, _ in
            time.advance(by: .microseconds(12_345))
            return .status(.noContent)
        }
        await send([APIRequest(.get, apiURL)], history, by: stub)
        let entry = try #require(try entries(history).first)
        #expect(
            entry["timings"] as? [String: Double] == [
                "blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 12.345, "receive": 0,
            ])
        #expect(entry["time"] as? Double == 12.345)
        let content = try part("content", of: part("response", of: entry))
        #expect(content["size"] as? Int == 0)
        #expect(content["mimeType"] as? String == "x-unknown")
        #expect(try part("request", of: entry)["bodySize"] as? Int == 0)
    }

    @Test(
        arguments: [
            (.connectionRefused, "net::ERR_CONNECTION_REFUSED"), (.connectionLost, "net::ERR_CONNECTION_CLOSED"),
            (.connectionFailed("x"), "net::ERR_CONNECTION_FAILED"), (.tls("x"), "net::ERR_SSL_PROTOCOL_ERROR"),
            (.timedOut(after: .seconds(1)), "net::ERR_TIMED_OUT"), (.cancelled, "net::ERR_ABORTED"),
            (.malformedResponse("x"), "net::ERR_INVALID_HTTP_RESPONSE"), (.other("x"), "net::ERR_FAILED"),
        ] as [(TransportError.Reason, String)])
    func `A HAR entry without a reply has the status 0 and the error's name`(
        reason: TransportError.Reason, name: String
    ) async throws {
        let history = RequestHistory(time: time.source)
        await send([APIRequest(.get, apiURL)], history, by: Stub(.failure(reason)))
        let received = try part("response", of: #require(try entries(history).first))
        #expect(received["status"] as? Int == 0)
        #expect(received["statusText"] as? String == "")
        #expect(received["_error"] as? String == name)
        #expect(received["comment"] as? String == reason.description)
    }

    /// Answers as the store does, instead of a server.
    private struct StoreTransport: Transport {
        let reason: APIResponse.Unsent

        func send(_ request: APIRequest) async throws(TransportError) -> APIResponse { .unsent(request, reason) }
    }

    @Test func `A HAR log marks answers of the store and leaves out probes`() async throws {
        let history = RequestHistory(time: time.source)
        for reason in [.stored, .probe, .notStored] as [APIResponse.Unsent] {
            await send([APIRequest(.get, apiURL)], history, by: StoreTransport(reason: reason))
        }
        let entries = try entries(history)
        #expect(entries.map { $0["_fromCache"] as? String } == ["disk", nil])
        #expect(entries.map { $0["comment"] as? String } == ["from the store", nil])
        let replies = try entries.map { try part("response", of: $0) }
        #expect(replies.map { $0["status"] as? Int } == [200, 0])
        #expect(replies.map { $0["_error"] as? String } == [nil, "net::ERR_CACHE_MISS"])
    }

    @Test func `HAR entries are in the order of their ends`() async throws {
        let history = RequestHistory(capacity: 3, time: time.source)
        let requests = (0..<5).map { APIRequest(.get, apiURL.appending(path: "\($0)")) }
        await send(requests, history, by: Stub(.status(.ok)))
        let urls = try entries(history).map { try part("request", of: $0)["url"] as? String }
        #expect(urls == (2..<5).map { "https://api.example.com/v1/\($0)" })
        #expect(String(decoding: history.har, as: UTF8.self) == String(decoding: history.har, as: UTF8.self))
    }

    @Test func `An empty history is an empty HAR log`() throws {
        #expect(try entries(RequestHistory(time: time.source)).isEmpty)
    }

    @Test func `A HAR log contains no secret`() async throws {
        let history = RequestHistory(time: time.source)
        let request = try APIRequest(
            .post, "https://api.example.com/v1?access_token=s3cr3t&page=2#s3cr3t",
            headerFields: [.authorization: "Bearer s3cr3t", .cookie: "a=s3cr3t"], body: .bytes(Array("s3cr3t".utf8)))
        let stub = Stub(.status(.ok, [.setCookie: "a=s3cr3t", .location: "/s3cr3t"], body: "s3cr3t"))
        await send([request], history, by: stub)
        let text = String(decoding: history.har, as: UTF8.self)
        #expect(!text.contains("s3cr3t"))
        #expect(text.contains("https://api.example.com/v1?access_token=REDACTED&page=2"))
        let sent = try part("request", of: #require(try entries(history).first))
        #expect(
            sent["queryString"] as? [[String: String]] == [
                ["name": "access_token", "value": "REDACTED"], ["name": "page", "value": "2"],
            ])
    }
}
