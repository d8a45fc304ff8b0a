import RestfulData
import TestSupport
import Testing

@testable import RestfulData

/// Server-sent events, by the HTML standard §9.2.
@Suite struct ServerSentEventTests {
    /// A parser's results for pieces.
    struct Outcome: Equatable {
        var events: [ServerEvent] = []
        var lastEventID: String?
        var retry: Duration?
        var problem: StreamProblem?

        init(_ pieces: [[UInt8]], by parser: any EventParser) {
            var parser = parser
            do throws(StreamProblem) {
                for piece in pieces { try parser.read(piece, into: &events) }
                parser.finish(into: &events)
            } catch {
                problem = error
            }
            (lastEventID, retry) = (parser.lastEventID, parser.retry)
        }
    }

    struct Example: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        /// Type, ID and data.
        var events: [[String]] = []
        var lastEventID = ""
        var retry: Duration?
        var testDescription: String { name }
    }

    private static func outcome(_ pieces: [[UInt8]], limit: Int = 1 << 20) -> Outcome {
        Outcome(pieces, by: ServerSentEventParser(limit: limit))
    }

    /// The examples of the standard, and a row for each of its rules.
    static let examples = [
        Example(
            name: "three lines of data", text: "data: YHOO\ndata: +2\ndata: 10\n\n",
            events: [["message", "", "YHOO\n+2\n10"]]),
        Example(
            name: "comment, IDs and an ID that is reset",
            text: ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            events: [
                ["message", "1", "first event"], ["message", "", "second event"], ["message", "", " third event"],
            ]),
        Example(
            name: "empty data, and an unfinished event", text: "data\n\ndata\ndata\n\ndata:",
            events: [["message", "", ""], ["message", "", "\n"]]),
        Example(
            name: "one space is left out", text: "data:test\n\ndata: test\n\n",
            events: [["message", "", "test"], ["message", "", "test"]]),
        Example(
            name: "types", text: "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\ndata: x\n\n",
            events: [["add", "", "73857293"], ["remove", "", "2153"], ["message", "", "x"]]),
        Example(
            name: "a type without data is no event", text: "event: add\n\ndata: x\n\n", events: [["message", "", "x"]]),
        Example(
            name: "an ID stays until another comes", text: "id: a\ndata: 1\n\ndata: 2\n\nid: b\n\ndata: 3\n\n",
            events: [["message", "a", "1"], ["message", "a", "2"], ["message", "b", "3"]], lastEventID: "b"),
        Example(name: "an ID without data counts", text: "id: 7\n\n", lastEventID: "7"),
        Example(name: "an ID of an unfinished event doesn't", text: "id: 7\n\nid: 8\ndata: x\n", lastEventID: "7"),
        Example(name: "an ID with NUL is left out", text: "id: a\0b\ndata: x\n\n", events: [["message", "", "x"]]),
        Example(
            name: "returns, line feeds, and both", text: "data: 1\r\rdata: 2\n\ndata: 3\r\n\r\ndata: 4\r\ndata: 5\n\r",
            events: [["message", "", "1"], ["message", "", "2"], ["message", "", "3"], ["message", "", "4\n5"]]),
        Example(name: "a byte order mark", text: "\u{FEFF}data: x\n\n", events: [["message", "", "x"]]),
        Example(
            name: "two byte order marks", text: "\u{FEFF}\u{FEFF}data: x\n\ndata: y\n\n",
            events: [["message", "", "y"]]),
        Example(name: "a retry of digits", text: "retry: 1500\n", retry: .milliseconds(1500)),
        Example(
            name: "a retry of more digits than fit", text: "retry: 99999999999999999999\n", retry: .seconds(86_400)),
        Example(name: "retries that are none", text: "retry: 1.5\nretry: -1\nretry\nretry: 1 s\nretry: ２\n"),
        Example(
            name: "unknown fields, and names in another case", text: "Data: 1\nfoo: 2\n data: 3\ndata : 4\ndata: 5\n\n",
            events: [["message", "", "5"]]),
        Example(name: "a colon in the data", text: "data: a: b\n\n", events: [["message", "", "a: b"]]),
        Example(name: "characters beyond ASCII", text: "data: grün 🐢\n\n", events: [["message", "", "grün 🐢"]]),
        Example(name: "nothing", text: ""),
    ]

    @Test(arguments: examples) func `The examples and rules of the server-sent events standard hold`(example: Example) {
        let outcome = Self.outcome([Array(example.text.utf8)])
        #expect(outcome.events.map { [$0.type, $0.id, $0.data] } == example.events)
        #expect(outcome.lastEventID == example.lastEventID && outcome.retry == example.retry && outcome.problem == nil)
    }

    @Test(arguments: examples) func `Server-sent events don't depend on how the stream is cut`(example: Example) {
        let bytes = Array(example.text.utf8)
        let whole = Self.outcome([bytes])
        #expect(Self.outcome(bytes.map { [$0] }) == whole)
        for first in bytes.indices {
            for second in first..<bytes.count {
                let pieces = [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
                #expect(Self.outcome(pieces) == whole, "cut at \(first) and \(second)")
            }
        }
    }

    @Test func `A carriage return ends an event at once`() {
        var parser = ServerSentEventParser(limit: 100)
        var events: [ServerEvent] = []
        #expect(throws: Never.self) { try parser.read(Array("data: x\r\n\r".utf8), into: &events) }
        #expect(events.map(\.data) == ["x"])
    }

    @Test func `Bytes that aren't UTF-8 are kept and read as U+FFFD`() {
        let events = Self.outcome([Array("data: a".utf8) + [0xFF] + Array("\n\n".utf8)]).events
        #expect(events.map(\.bytes) == [[0x61, 0xFF]] && events.map(\.data) == ["a\u{FFFD}"])
    }

    @Test func `An event ID is kept across connections until the server sends another`() {
        let outcome = Outcome(
            [Array("data: 1\n\nid\ndata: 2\n\n".utf8)], by: ServerSentEventParser(after: "9", limit: 100))
        #expect(outcome.events.map(\.id) == ["9", ""] && outcome.lastEventID == "")
    }

    @Test(arguments: ["data: 0123456789\n\n", "data: 0123\ndata: 4567\n\n", ": 0123456789012", "id: 0123456789\n"])
    func `A server-sent event that is too large throws after the events before it`(text: String) {
        let bytes = Array("data: ok\n\n\(text)".utf8)
        for pieces in [[bytes], bytes.map { [$0] }] {
            let outcome = Self.outcome(pieces, limit: 10)
            #expect(outcome.problem == .eventTooLarge(limit: 10) && outcome.events.map(\.data) == ["ok"])
        }
    }

    @Test func `Any number of events, lines and comments within the limit is read`() {
        let text = String(repeating: ": comment\ndata: x\nid: 1\n\n", count: 1000)
        let outcome = Self.outcome([Array(text.utf8)], limit: 10)
        #expect(outcome.problem == nil && outcome.events.count == 1000)
    }

    @Test(arguments: Fuzzing.seeds(100)) func `Random server-sent events don't depend on how the stream is cut`(
        seed: UInt64
    ) {
        let words = ["data:", "id:", "event:", "retry:", "\n", "\r", "\r\n", "\n\n", ":", " ", "\u{FEFF}", "\0"]
        var mutator = Mutator(seed: seed, words: words)
        for _ in 0..<20 {
            let bytes = mutator.next(Self.examples.map(\.text))
            let limit = Int.random(in: 1...100, using: &mutator.random)
            let whole = Self.outcome([bytes], limit: limit)
            var (pieces, rest) = ([[UInt8]](), bytes[...])
            while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &mutator.random)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(
                Self.outcome(pieces, limit: limit) == whole, "\(bytes) with limit \(limit), as \(pieces.map(\.count))")
            #expect(whole.events.allSatisfy { $0.bytes.count <= limit })
        }
    }

    @Test func `An event's description has type and ID but no data`() {
        let event = ServerEvent(Array("s3cr3t".utf8), type: "note", id: "7")
        var text = "\(event)"
        dump(event, to: &text)
        #expect("\(event)" == "note 7 with 6 bytes" && !text.contains("s3cr3t"))
        #expect(ServerEvent([]) == ServerEvent([], type: "message", id: ""))
    }

    @Test func `An event's description shortens a long type and ID`() {
        let event = ServerEvent(
            [1, 2], type: String(repeating: "t", count: 101), id: "e" + String(repeating: "\u{301}", count: 1000))
        let (type, id) = (String(repeating: "t", count: 100), "e" + String(repeating: "\u{301}", count: 99))
        #expect("\(event)" == "\(type)… \(id)… with 2 bytes")
        let short = ServerEvent([1], type: type, id: id)
        #expect("\(short)" == "\(type) \(id) with 1 bytes")
    }
}

/// JSON lines, and JSON text sequences.
@Suite struct JSONLineTests {
    private typealias Outcome = ServerSentEventTests.Outcome

    @Test(
        arguments: [
            ("{\"a\":1}\n[2]\n", ["{\"a\":1}", "[2]"]), ("1\r\n2\r\n", ["1", "2"]), ("\n \n\t\r\n", []),
            ("1\n2", ["1", "2"]), ("\u{FEFF}1\n", ["1"]), ("  {}  \n", ["{}"]), ("", []),
            ("no JSON\n1\n", ["no JSON", "1"]),
        ]) func `Each JSON line is an event, also the last one of a whole body`(text: String, data: [String])
    {
        let bytes = Array(text.utf8)
        for pieces in [[bytes], bytes.map { [$0] }] {
            let outcome = Outcome(pieces, by: JSONLineParser(limit: 100))
            #expect(outcome.events.map(\.data) == data && outcome.problem == nil)
            #expect(outcome.events.allSatisfy { $0.type == "message" && $0.id.isEmpty })
        }
    }

    @Test(
        arguments: [
            ("\u{1E}{\"a\":1}\n\u{1E}[2]\n", ["{\"a\":1}", "[2]"]), ("\u{1E}1\n\u{1E}\u{1E}2\n", ["1", "2"]),
            ("\u{1E}{\n\"a\":\n\"}\\\"\"\n}\n", ["{\n\"a\":\n\"}\\\"\"\n}"]),
            ("\u{1E}{\"a\":\u{1E}2\n", ["{\"a\":", "2"]),
            ("\u{1E}12\u{1E}tru\u{1E}\"x\"\u{1E}{}", ["\"x\"", "{}"]), ("lost\n\u{1E}true \u{1E}\n", ["true"]),
            ("\u{1E}{}\nlost\n\u{1E}{}", ["{}", "{}"]), ("", []),
        ]) func `Each text of a JSON sequence is an event, except a number that may be cut off`(
            text: String, data: [String]
        )
    {
        let bytes = Array(text.utf8)
        for pieces in [[bytes], bytes.map { [$0] }] {
            let outcome = Outcome(pieces, by: JSONSequenceParser(limit: 100))
            #expect(outcome.events.map(\.data) == data && outcome.problem == nil)
        }
    }

    @Test func `A text of a JSON sequence is read before the next separator`() {
        var parser = JSONSequenceParser(limit: 100)
        var events: [ServerEvent] = []
        #expect(throws: Never.self) { try parser.read(Array("\u{1E}{\"a\": [1,\n2]}\n".utf8), into: &events) }
        #expect(events.map(\.data) == ["{\"a\": [1,\n2]}"])
    }

    @Test func `Whitespace before a text of a sequence may be longer than an event`() {
        let space = String(repeating: "\n ", count: 50)
        let bytes = Array("\u{1E}\(space){}\n\u{1E}\(space)1 ".utf8)
        for pieces in [[bytes], bytes.map { [$0] }] {
            let outcome = Outcome(pieces, by: JSONSequenceParser(limit: 10))
            #expect(outcome.events.map(\.data) == ["{}", "1"] && outcome.problem == nil)
        }
    }

    @Test(arguments: [EventFormat.jsonLines, .jsonSequence])
    func `A JSON line or text that is too large throws after those before it`(format: EventFormat) {
        let text = format == .jsonLines ? "1\n\"0123456789\"\n" : "\u{1E}1\n\u{1E}\"0123456789\"\n"
        let outcome = Outcome([Array(text.utf8)], by: format.parser(after: "", limit: 10))
        #expect(outcome.problem == .eventTooLarge(limit: 10) && outcome.events.map(\.data) == ["1"])
    }

    @Test(arguments: Fuzzing.seeds(50), [EventFormat.jsonLines, .jsonSequence])
    func `Random JSON lines and sequences don't depend on how the stream is cut`(seed: UInt64, format: EventFormat) {
        var mutator = Mutator(seed: seed, words: ["\u{1E}", "\n", "{", "}", "[", "]", "\"", "\\", " ", "1", "true"])
        for _ in 0..<20 {
            let bytes = mutator.next([
                "{\"a\": [1, \"x\\\"\"]}\n2\n", "\u{1E}{\"a\": 1}\n\u{1E}2\n", "\u{1E}[\"}\"]\u{1E}1 ",
            ])
            let limit = Int.random(in: 1...50, using: &mutator.random)
            let whole = Outcome([bytes], by: format.parser(after: "", limit: limit))
            #expect(Outcome(bytes.map { [$0] }, by: format.parser(after: "", limit: limit)) == whole)
            #expect(whole.events.allSatisfy { $0.bytes.count <= limit })
        }
    }

    @Test(
        arguments: [
            ("text/event-stream", EventFormat.events as EventFormat?), ("Text/Event-Stream;charset=utf-8", .events),
            ("application/x-ndjson", .jsonLines), ("application/jsonl", .jsonLines),
            ("application/x-jsonlines; charset=utf-8", .jsonLines), ("application/json-seq", .jsonSequence),
            ("application/json", nil), ("text/html", nil), ("text/plain", nil), ("", nil), ("event-stream", nil),
        ]) func `The content type determines the event format`(type: String, format: EventFormat?)
    {
        #expect(EventFormat(contentType: type) == format)
        #expect(EventFormat(contentType: nil) == nil)
    }
}
