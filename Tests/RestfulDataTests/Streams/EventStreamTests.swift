import Foundation
import Logging
import RESTTransport
import RestfulData
import RestfulDataTesting
import Synchronization
import TestSupport
import Testing

/// Streams of events: their end, and their reconnection.
@Suite(.timeLimit(.minutes(10))) struct EventStreamTests {
    private let waits = NotedWaits()

    private func api(
        _ transport: any Transport, timeout: Duration = .seconds(60),
        @MiddlewareBuilder middleware: () -> [any Middleware] = { [] }
    ) -> API {
        var api = API(
            "https://api.example.com", timeout: timeout, limits: .unlimited, transport: transport,
            middleware: middleware)
        api.time = waits.source
        return api
    }

    /// The data of the events, and the error that ended the stream.
    private func read(_ stream: EventStream, upTo count: Int = .max) async -> (data: [String], error: APIError?) {
        var data: [String] = []
        do throws(APIError) {
            for try await event in stream {
                data.append(event.data)
                if data.count == count { break }
            }
            return (data, nil)
        } catch {
            return (data, error)
        }
    }

    @Test func `A stream reconnects after the last event until the server replies 204`()
        async throws
    {
        let transport = ScriptedStream(
            .pieces(["id: 1\ndata: a\n\nid: 2\nda", "ta: b\n\nid: 3\ndata: lost"]),
            .pieces(["data: c\n\n: comment\n", "id: 4\n\n"], .broken()), .pieces([": nothing\n"]),
            .pieces(["id\ndata: d\n\n"]), .pieces(["data: e\n\n"]))
        let stream = api(transport).stream("/events")
        let (data, error) = await read(stream)
        #expect(data == ["a", "b", "c", "d", "e"] && error == nil)
        #expect(transport.lastEventIDs == [nil, "2", "4", "4", nil, nil])
        #expect(waits.all == Array(repeating: .seconds(3), count: 5))
        #expect(stream.lastEventID == "")
        let fields = try #require(transport.requests.first).headerFields
        #expect(fields[.accept] == "text/event-stream" && fields[.cacheControl] == "no-cache")
        #expect(transport.requests.allSatisfy { $0.delivery == .pieces && $0.method == .get })
    }

    @Test func `A stream waits for the server's retry time, at least a second without events`() async {
        let transport = ScriptedStream(
            .pieces(["retry: 10\ndata: a\n\n"]), .pieces(["retry: 20\n\n"]),
            .pieces(["retry: 0\ndata: b\n\n"], .broken()),
            .pieces(["retry: 5000\n"]))
        #expect(await read(api(transport).stream("/events")).data == ["a", "b"])
        #expect(waits.all == [.milliseconds(10), .seconds(1), .zero, .seconds(5)])
    }

    @Test func `Waits grow with each connection without data, and data resets them`() async {
        let transport = ScriptedStream(
            .failure(.connectionRefused), .failure(.timedOut(after: .seconds(60))), .pieces([]), .pieces([], .broken()),
            .reply(503), .reply(500), .reply(502), .reply(503), .pieces([": ok\n"]), .failure(.connectionLost))
        let (data, error) = await read(api(transport).stream("/events"))
        #expect(data == [] && error == nil)
        // Three quarters of a bound that doubles, up to a minute.
        #expect(waits.all.map { $0 / .seconds(1) } == [3, 4.5, 9, 18, 36, 45, 45, 45, 3, 3])
    }

    @Test(arguments: [40, 300]) func `No failure makes a wait shorter than the server wants it`(seconds: Int) async {
        let waits = NotedWaits(chance: 0)
        var api = api(
            ScriptedStream(
                .pieces(["retry: \(seconds)000\ndata: a\n\n"]), .failure(.connectionRefused),
                .failure(.connectionRefused), .failure(.connectionRefused)))
        api.time = waits.source
        #expect(await read(api.stream("/events")).data == ["a"])
        #expect(waits.all == Array(repeating: .seconds(seconds), count: 4))
    }

    @Test func `A stream waits for Retry-After and the API's own limits`() async {
        let until = Date(timeIntervalSince1970: 1_000_090)
        let transport = ScriptedStream(
            .reply(503, [.retryAfter: "120"]), .reply(429, [.retryAfter: "70"]),
            .failure(.limited(until: until, isOwn: true)), .failure(.circuitOpen(until: until, failures: 5, "503")))
        #expect(await read(api(transport).stream("/events")).error == nil)
        #expect(waits.all == [.seconds(120), .seconds(70), .seconds(90), .seconds(90)])
    }

    @Test(arguments: [400, 401, 403, 404, 410, 500 + 1, 304])
    func `Another status ends the stream with the server's error`(status: Int) async {
        let transport = ScriptedStream(.pieces(["data: a\n\n"]), .reply(status, body: #"{"message": "no"}"#))
        let (data, error) = await read(api(transport).stream("/events"))
        #expect(data == ["a"] && error?.reply?.status == status && error?.reply?.message == "no")
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: [TransportError.Reason.tls("x"), .credentialUnavailable("x"), .redirectLoop(to: "x"), .other("x")])
    func `A permanent transport error ends the stream`(reason: TransportError.Reason) async {
        let (data, error) = await read(api(ScriptedStream(.failure(reason))).stream("/events"))
        guard case .transport(let error) = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(data == [] && error.reason == reason && waits.all == [])
    }

    @Test(
        arguments: [
            ("text/html; charset=utf-8", nil as EventFormat?), ("text/html", .jsonLines), ("application/json", nil),
            (nil, nil),
        ] as [(String?, EventFormat?)])
    func `A success that isn't a stream throws with its content type`(type: String?, format: EventFormat?)
        async
    {
        let transport = ScriptedStream(.pieces(["<html>\n\n"], .open, type: type))
        let options = StreamOptions(format: format)
        let (data, error) = await read(api(transport).stream("/events?token=s3cr3t", options: options))
        guard case .stream(.contentType(type), let request) = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        await until { transport.closed == 1 }
        #expect(data == [] && request.method == "GET")
        #expect("\(error as Any)".contains(type ?? "no content type") && !"\(error as Any)".contains("s3cr3t"))
    }

    @Test func `A format given by the caller overrides the content type`() async {
        let transport = ScriptedStream(.pieces(["1\n2\n"], type: "application/json"))
        let options = StreamOptions(format: .jsonLines)
        #expect(await read(api(transport).stream("/rows", options: options)).data == ["1", "2"])
        #expect(
            transport.requests.map { $0.headerFields[.accept] } == [
                "application/x-ndjson, application/jsonl, application/x-jsonlines"
            ])
    }

    @Test func `JSON lines end with their body, and an interrupted body throws`() async {
        let whole = ScriptedStream(.pieces(["{\"a\":", "1}\n{}"], type: "application/x-ndjson"))
        var (data, error) = await read(api(whole).stream("/rows", after: "7"))
        #expect(
            data == ["{\"a\":1}", "{}"] && error == nil && whole.requests.count == 1 && whole.lastEventIDs == ["7"])
        let broken = ScriptedStream(.pieces(["1\n2"], .broken(), type: "application/x-ndjson"))
        (data, error) = await read(api(broken).stream("/rows"))
        guard case .transport(let failure) = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(data == ["1"] && failure.reason == .connectionLost && broken.requests.count == 1)
    }

    @Test func `JSON lines reconnect and server-sent events don't if the caller says so`() async {
        let lines = ScriptedStream(
            .pieces(["1\n2"], type: "application/jsonl"), .pieces(["1\n"], type: "application/jsonl"))
        #expect(
            await read(api(lines).stream("/rows", options: StreamOptions(reconnects: true))).data == ["1", "2", "1"])
        let events = ScriptedStream(.pieces(["data: a\n\n"]), .pieces(["data: b\n\n"]))
        #expect(await read(api(events).stream("/events", options: StreamOptions(reconnects: false))).data == ["a"])
        let refused = ScriptedStream(.failure(.connectionRefused))
        #expect(await read(api(refused).stream("/e", options: StreamOptions(reconnects: false))).error != nil)
    }

    @Test func `A POST stream is sent once, with its body`() async throws {
        let transport = ScriptedStream(.pieces(["data: Hello\n\ndata: there\n\n"]), .pieces(["data: again\n\n"]))
        let body = try RequestBody.json(["prompt": "Hi"])
        #expect(await read(api(transport).stream(.post, "/chat", body: body)).data == ["Hello", "there"])
        #expect(transport.requests.map(\.method) == [.post] && transport.requests[0].body?.bytes == body.bytes)
    }

    @Test func `Too many connections without data end the stream with the last error`() async {
        let transport = ScriptedStream { number, _ in
            switch number {
            case 0: .pieces([": ok\n"])
            case 1: .pieces([])
            default: .failure(.connectionRefused)
            }
        }
        let (data, error) = await read(api(transport).stream("/events", options: StreamOptions(attempts: 3)))
        guard case .transport(let failure) = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(data == [] && failure.reason == .connectionRefused && transport.requests.count == 4)
    }

    @Test func `An event that is too large ends the stream after the events before it`() async {
        let transport = ScriptedStream(.pieces(["data: ok\n\ndata: 0123456789\n\n"], .open))
        let (data, error) = await read(api(transport).stream("/events", options: StreamOptions(eventLimit: 10)))
        guard case .stream(.eventTooLarge(limit: 10), _) = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        await until { transport.closed == 1 }
        #expect(data == ["ok"] && "\(error as Any)".contains("eventLimit"))
    }

    @Test func `An idle connection is closed, and another one is opened`() async {
        // The wait for a byte is over at once, and so would be each.
        let transport = ScriptedStream(.pieces([], .open), .pieces([], .open))
        let options = StreamOptions(idleTimeout: .seconds(60))
        #expect(await read(api(transport).stream("/events", options: options)).error == nil)
        #expect(transport.closed == 2 && transport.requests.count == 3)
        #expect(waits.all == [.seconds(60), .seconds(3), .seconds(60), .seconds(4.5)])
        let once = StreamOptions(reconnects: false, idleTimeout: .seconds(60))
        guard
            case .transport(let error) = await read(api(ScriptedStream(.pieces([], .open))).stream("/e", options: once))
                .error
        else {
            Testing.Issue.record("the stream has ended without an error")
            return
        }
        #expect(error.reason == .timedOut(after: .seconds(60)))
    }

    @Test func `Leaving the loop closes the connection`() async {
        let transport = ScriptedStream(.pieces(["data: a\n\ndata: b\n\n"], .open))
        #expect(await read(api(transport).stream("/events"), upTo: 1).data == ["a"])
        await until { transport.closed == 1 }
    }

    @Test func `Cancelling the task closes the connection and throws a cancellation`() async {
        let transport = ScriptedStream(.pieces(["data: a\n\n"], .open))
        let stream = api(transport).stream("/events")
        let (arrival, arrived) = AsyncStream.makeStream(of: Void.self)
        let reading = Task { () -> APIError? in
            do throws(APIError) {
                for try await _ in stream { arrived.yield() }
                return nil
            } catch {
                return error
            }
        }
        for await _ in arrival { break }
        reading.cancel()
        #expect(await reading.value?.isCancellation == true)
        await until { transport.closed == 1 }
    }

    @Test func `A cancelled task gets no more events of the piece that has arrived`() async {
        let transport = ScriptedStream(.pieces(["id: 1\ndata: a\n\nid: 2\ndata: b\n\n"], .open))
        let stream = api(transport).stream("/events")
        let (arrival, arrived) = AsyncStream.makeStream(of: Void.self)
        let reading = Task { () -> (data: [String], error: APIError?) in
            var data: [String] = []
            do throws(APIError) {
                for try await event in stream {
                    data.append(event.data)
                    arrived.yield()
                    await untilCancelled()
                }
                return (data, nil)
            } catch {
                return (data, error)
            }
        }
        for await _ in arrival { break }
        reading.cancel()
        let (data, error) = await reading.value
        #expect(data == ["a"] && error?.isCancellation == true && stream.lastEventID == "1")
        await until { transport.closed == 1 }
    }

    @Test func `A cancelled task that waits for a byte has not timed out`() async {
        let transport = ScriptedStream(.pieces(["data: a\n\n"], .open))
        var api = api(transport)
        api.time.sleep = { _ in
            await untilCancelled()
            try Task.checkCancellation()
        }
        let stream = api.stream("/events", options: StreamOptions(idleTimeout: .seconds(60)))
        let (arrival, arrived) = AsyncStream.makeStream(of: Void.self)
        let reading = Task { () -> APIError? in
            do throws(APIError) {
                for try await _ in stream { arrived.yield() }
                return nil
            } catch {
                return error
            }
        }
        for await _ in arrival { break }
        reading.cancel()
        #expect(await reading.value?.isCancellation == true)
        await until { transport.closed == 1 }
    }

    @Test func `Cancelling the wait between two connections ends the stream`() async {
        var api = api(ScriptedStream(.failure(.connectionRefused)))
        let (waiting, waits) = AsyncStream.makeStream(of: Void.self)
        api.time.sleep = { _ in
            waits.yield()
            await untilCancelled()
            try Task.checkCancellation()
        }
        let stream = api.stream("/events")
        let reading = Task { await read(stream).error }
        for await _ in waiting { break }
        reading.cancel()
        #expect(await reading.value?.isCancellation == true)
    }

    @Test func `A loop started again continues after the last handled event`() async {
        let transport = ScriptedStream(
            .pieces(["id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: c\n\n"], .open), .pieces(["data: d\n\n"], .open))
        let stream = api(transport).stream("/events", after: "0")
        #expect(stream.lastEventID == "0")
        // The loop was left with the second event, which may not have been handled.
        #expect(await read(stream, upTo: 2).data == ["a", "b"])
        #expect(stream.lastEventID == "1")
        #expect(await read(stream, upTo: 1).data == ["d"])
        #expect(transport.lastEventIDs == ["0", "1"])
    }

    @Test func `A newer iterator ends an older one, which no longer marks events as handled`() async throws {
        let events = "id: 1\ndata: a\n\n"
        let transport = ScriptedStream(
            .pieces([events, "id: 2\ndata: b\n\n"], .open), .pieces([events, "id: 2\ndata: b\n\n"], .open))
        let stream = api(transport).stream("/events")
        var older = stream.makeAsyncIterator()
        let first = try await older.next()
        #expect(first?.data == "a")
        var newer = stream.makeAsyncIterator()
        let again = try await newer.next()
        #expect(again?.data == "a")
        do throws(APIError) {
            let event = try await older.next()
            Testing.Issue.record("the older iterator got \(String(describing: event))")
        } catch {
            guard case .stream(.readTwice, _) = error else { throw error }
        }
        // The newer iterator is still handling the event.
        #expect(stream.lastEventID == "")
        await until { transport.closed == 1 }
        let second = try await newer.next()
        #expect(second?.data == "b" && stream.lastEventID == "1")
        #expect(transport.lastEventIDs == [nil, nil])
    }

    @Test func `A newer iterator ends an older one that has received further events`() async throws {
        let events = "id: 1\ndata: a\n\nid: 2\ndata: b\n\n"
        let transport = ScriptedStream(.pieces([events], .open), .pieces([events], .open))
        let stream = api(transport).stream("/events")
        var older = stream.makeAsyncIterator()
        let first = try await older.next()
        var newer = stream.makeAsyncIterator()
        let again = try await newer.next()
        #expect(first?.data == "a" && again?.data == "a")
        do throws(APIError) {
            let event = try await older.next()
            Testing.Issue.record("the older iterator got \(String(describing: event))")
        } catch {
            guard case .stream(.readTwice, _) = error else { throw error }
        }
        let second = try await newer.next()
        #expect(second?.data == "b" && stream.lastEventID == "1")
    }

    @Test func `An event ID that a header can't have isn't sent, and is logged`() async {
        let log = Box<[String]>([])
        let transport = ScriptedStream(.pieces(["id: a\u{1}b\ndata: x\n\n"]), .pieces(["id: ü\ndata: y\n\n"]))
        var api = api(transport)
        api.makeLogger = { Logger(label: "test") { _ in StreamLog(log) } }
        #expect(await read(api.stream("/events")).data == ["x", "y"])
        #expect(transport.lastEventIDs == [nil, nil, "ü"])
        #expect(log.value.filter { $0.hasPrefix("warning") }.count == 1)
    }

    @Test func `Failed connections are logged as warnings, and ended ones aren't`() async {
        let log = Box<[String]>([])
        var api = api(ScriptedStream(.pieces(["data: a\n\n"]), .failure(.connectionRefused)))
        api.makeLogger = { Logger(label: "test") { _ in StreamLog(log) } }
        _ = await read(api.stream("/events?access_token=s3cr3t"))
        #expect(log.value.map { $0.prefix { $0 != " " } } == ["debug", "warning"])
        #expect(log.value.allSatisfy { !$0.contains("s3cr3t") && $0.contains("GET https://api.example.com/events") })
    }

    @Test func `Each connection has the call's settings and the API's current headers`()
        async throws
    {
        let transport = ScriptedStream(.pieces(["data: a\n\n"]))
        let api = api(transport)
        let stream = api.stream("/projects/:id/events", ["id": 7], query: ["since": 3]) {
            $0.headers[.acceptLanguage] = "de"
            $0.headers[.accept] = "text/event-stream, */*"
            $0.timeout = .seconds(5)
            $0.query["all"] = true
        }
        for try await _ in stream { api.headers[.init("X-Color")!] = "red" }
        let url = "https://api.example.com/projects/7/events?since=3&all=true"
        #expect(transport.requests.map(\.url.absoluteString) == [url, url])
        #expect(transport.requests.map { $0.headerFields[.acceptLanguage] } == ["de", "de"])
        #expect(
            transport.requests.map { $0.headerFields[.accept] } == Array(repeating: "text/event-stream, */*", count: 2))
        #expect(transport.requests.map { $0.headerFields[.init("X-Color")!] } == [nil, "red"])
        #expect(transport.requests.map(\.timeout) == [.seconds(5), .seconds(5)])
    }
}

/// Keeps level and message of each line.
struct StreamLog: LogHandler {
    let lines: Box<[String]>
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    init(_ lines: Box<[String]>) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.value.append("\(event.level) \(event.message)") }
}
