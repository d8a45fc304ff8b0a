import Foundation
import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// Replies' reports of the phases of their requests.
@Suite struct PhasesTests {
    @Test(arguments: TransportKind.allCases)
    func `A reply reports how long its phases took, within the whole time`(kind: TransportKind) async throws {
        try await withWebServer { _ in
            ServerReply(body: "four")
        } _: { base in
            let request = try APIRequest(.post, base + "/", body: .text("sent"))
            let start = ContinuousClock.now
            let phases = try await kind.make().send(request).phases
            let whole = ContinuousClock.now - start
            let waiting = try #require(phases.waiting)
            let receiving = try #require(phases.receiving)
            #expect(waiting > .zero)
            #expect(receiving >= .zero)
            #expect(waiting + receiving <= whole)
            #expect(phases.httpVersion == "HTTP/1.1")
            #expect(phases.bytesSent == 4)
            #expect(phases.bytesReceived == 4)
            #expect(phases.queued == nil)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A request without a body reports no bytes sent`(kind: TransportKind) async throws {
        try await withWebServer { _ in
            ServerReply(status: 204)
        } _: { base in
            let phases = try await kind.make().send(APIRequest(.get, base + "/")).phases
            #expect(phases.bytesSent == 0)
            #expect(phases.bytesReceived == 0)
        }
    }

    @Test(arguments: TransportKind.allCases, ["/", "/from"])
    func `Redirects count as waiting`(kind: TransportKind, path: String) async throws {
        try await withWebServer { request in
            request.target == "/from" ? .redirect(307, to: "/to") : ServerReply(body: "there")
        } _: { base in
            let reply = try await kind.make().send(APIRequest(.get, base + path))
            #expect(reply.phases.waiting ?? .zero > .zero)
            #expect(reply.phases.bytesReceived == 5)
            #expect(reply.request.url.path() == path)
        }
    }

    @Test(arguments: TransportKind.allCases, [true, false])
    func `The bytes of a compressed body are counted as received`(kind: TransportKind, isFile: Bool) async throws {
        let text = Array(String(repeating: "hello ", count: 100).utf8)
        let compressed = try #require(RequestBody.bytes(text).gzipped().bytes)
        try await RawServer.run { _ in
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(compressed.count)\r\n\r\n"
            return [.send(head), .sendBytes(compressed)]
        } _: { _, base in
            try await withTemporaryFolder { folder in
                var request = try APIRequest(.get, base + "/")
                if isFile { request.transfer = Transfer(to: folder.appending(path: "hello.txt")) }
                let reply = try await kind.make().send(request)
                #expect(isFile ? request.transfer?.stored == text.count : reply.body == text)
                #expect(reply.phases.bytesReceived == compressed.count)
            }
        }
    }

    @Test func `The wait for the API's limits is reported, and is zero for a request sent at once`() async throws {
        let time = FakeTime(chance: 0)
        let stub = Stub(.status(.ok, [.retryAfter: "7"]), .status(.ok))
        let refusing = Stub { number, _ in number == 0 ? .status(429, [.retryAfter: "7"]) : .status(.ok) }
        for (stub, waits) in [(stub, [.zero]), (refusing, [.zero, .seconds(7)] as [Duration])] {
            let governor = Governor(.standard, api: apiURL, time: time.source)
            let chain = TransportChain(api: apiURL, transport: stub, time: time.source) { governor }
            var told: [Duration?] = []
            for _ in waits { told.append(try await chain.send(APIRequest(.get, apiURL)).phases.queued) }
            #expect(told == waits)
        }
    }

    @Test func `Replies that differ only in their times are equal`() {
        let request = APIRequest(.get, apiURL)
        var (reply, other) = (
            APIResponse(HTTPResponse(status: .ok), to: request), APIResponse(HTTPResponse(status: .ok), to: request)
        )
        #expect(other.phases == RequestPhases())
        reply.phases.waiting = .seconds(1)
        other.phases.waiting = .seconds(2)
        #expect(reply == other)
        #expect(Set([reply, other]).count == 1)
    }

    #if !canImport(Darwin)
        @Test func `HTTP 2 is reported as the reply's version`() async throws {
            try await HTTP2Server.run { _, _ in
                [.head("200"), .data("ok", ends: true)]
            } _: { _, base in
                let phases = try await HTTP2Tests.transport().send(APIRequest(.get, base + "/")).phases
                #expect(phases.httpVersion == "HTTP/2")
                #expect(phases.bytesReceived == 2)
            }
        }
    #endif
}
