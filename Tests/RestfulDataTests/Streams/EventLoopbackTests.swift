import Foundation
import RESTTransport
import RestfulData
import TestSupport
import Testing

/// Streams of events from a server on this machine.
@Suite(.timeLimit(.minutes(10))) struct EventLoopbackTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func chunk(_ text: String) -> EventServer.Step {
        .send("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
    }

    private static func api(_ base: String) -> API {
        var api = API(base, timeout: patience) { Retry() }
        api.time = NotedWaits().source
        return api
    }

    @Test func `A stream with a dropped connection continues after the last event`() async throws {
        try await EventServer.run { number, _ in
            switch number {
            case 0: [.send(Self.head), Self.chunk("id: 1\ndata: a"), Self.chunk("\n\nid: 2\ndata: lost")]
            case 1: [.send(Self.head), Self.chunk("data: b\r\n\r"), Self.chunk("\nid: 3\n\n"), .send("0\r\n\r\n")]
            default: [.send("HTTP/1.1 204 No Content\r\n\r\n")]
            }
        } _: { server, base in
            var events: [ServerEvent] = []
            let stream = Self.api(base).stream("/events")
            for try await event in stream { events.append(event) }
            #expect(events.map(\.data) == ["a", "b"] && events.map(\.id) == ["1", "1"])
            #expect(server.values(of: "last-event-id") == [nil, "1", "3"] && stream.lastEventID == "3")
            #expect(server.values(of: "accept") == Array(repeating: "text/event-stream", count: 3))
        }
    }

    @Test func `Leaving the loop or cancelling its task closes the connection`()
        async throws
    {
        try await EventServer.run { _, _ in
            [.send(Self.head), Self.chunk("data: a\n\n"), .waitForClose]
        } _: { server, base in
            let api = Self.api(base)
            for try await event in api.stream("/events") {
                #expect(event.data == "a")
                break
            }
            await until { server.closed == 1 }
            let (arrival, arrived) = AsyncStream.makeStream(of: Void.self)
            let reading = Task { () -> APIError? in
                do throws(APIError) {
                    for try await _ in api.stream("/events") { arrived.yield() }
                    return nil
                } catch {
                    return error
                }
            }
            for await _ in arrival { break }
            reading.cancel()
            #expect(await reading.value?.isCancellation == true)
            await until { server.closed == 2 }
        }
    }

    @Test func `An idle stream is closed and started again`() async throws {
        try await EventServer.run { number, _ in
            number == 0
                ? [.send(Self.head), .waitForClose]
                : [.send("HTTP/1.1 204 No Content\r\n\r\n")]
        } _: { server, base in
            let options = StreamOptions(idleTimeout: .seconds(30))
            for try await event in Self.api(base).stream("/events", options: options) {
                Testing.Issue.record("\(event)")
            }
            await until { server.closed == 1 }
            #expect(server.heads.count == 2)
        }
    }

    @Test func `Each connection follows redirects, and JSON lines end with their body`() async throws {
        try await EventServer.run { _, head in
            head.hasPrefix("GET /rows ")
                ? [.send("HTTP/1.1 307 Moved\r\nLocation: /real\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")]
                : [
                    .send("HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n\r\n"),
                    .send("{\"id\": 1}\n{\"id\""), .send(": 2}\n"),
                ]
        } _: { server, base in
            var rows: [String] = []
            for try await row in Self.api(base).stream("/rows") { rows.append(row.data) }
            #expect(rows == ["{\"id\": 1}", "{\"id\": 2}"] && server.heads.count == 2)
        }
    }
}
