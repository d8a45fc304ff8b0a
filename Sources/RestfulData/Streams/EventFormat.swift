import HTTPTypes
import RESTTransport

/// How a server writes a stream of events.
public enum EventFormat: Sendable, Hashable, CaseIterable {
    /// Server-sent events, `text/event-stream`, as the
    /// [HTML standard §9.2](https://html.spec.whatwg.org/multipage/server-sent-events.html) says.
    case events
    /// One JSON text in each line: `application/x-ndjson`, `application/jsonl`, `application/x-jsonlines`. Blank lines
    /// are no events.
    case jsonLines
    /// JSON texts, each after a record separator: `application/json-seq`
    /// ([RFC 7464](https://www.rfc-editor.org/rfc/rfc7464)).
    case jsonSequence

    /// The format of a reply by its `Content-Type`; nil for a type that is none of a stream.
    init?(contentType: String?) {
        guard let type = contentType.flatMap({ MediaType($0).name }) else { return nil }
        guard let format = Self.allCases.first(where: { $0.mediaTypes.contains(type) }) else { return nil }
        self = format
    }

    /// The media types of the format; the first is the one to ask for.
    private var mediaTypes: [String] {
        switch self {
        case .events: ["text/event-stream"]
        case .jsonLines:
            [
                "application/x-ndjson", "application/jsonl", "application/x-jsonlines", "application/ndjson",
                "application/x-jsonl", "application/jsonlines", "application/stream+json",
            ]
        case .jsonSequence: ["application/json-seq"]
        }
    }

    /// What `Accept` says. Some servers send events to those only who ask for nothing else.
    var accept: String {
        self == .jsonLines ? mediaTypes.prefix(3).joined(separator: ", ") : mediaTypes[0]
    }

    /// A parser of such a stream.
    ///
    /// - Parameters:
    ///   - lastEventID: The ID of the event after which the stream goes on.
    ///   - limit: The most bytes of one event.
    func parser(after lastEventID: String, limit: Int) -> any EventParser {
        switch self {
        case .events: ServerSentEventParser(after: lastEventID, limit: limit)
        case .jsonLines: JSONLineParser(limit: limit)
        case .jsonSequence: JSONSequenceParser(limit: limit)
        }
    }
}

/// Makes events of a body's bytes, however they are cut.
protocol EventParser: Sendable {
    /// Reads a piece of the body.
    ///
    /// - Parameter events: gets the events that end in it, those before an error included.
    /// - Throws: ``StreamProblem/eventTooLarge(limit:)``. Nothing more can be read then.
    mutating func read(_ piece: [UInt8], into events: inout [ServerEvent]) throws(StreamProblem)

    /// Ends a body that is complete.
    ///
    /// - Parameter events: gets what its end has finished.
    mutating func finish(into events: inout [ServerEvent])

    /// The ID after which the stream goes on once all events so far are handled; nil for a format without IDs.
    var lastEventID: String? { get }
    /// How long the server wants to be left alone before the next connection; nil where it doesn't say.
    var retry: Duration? { get }
}

extension EventParser {
    var lastEventID: String? { nil }
    var retry: Duration? { nil }
}

/// Why a successful reply is no stream that can be read (``APIError/stream(_:_:)``).
public enum StreamProblem: Error, Sendable, Hashable {
    /// The reply has this `Content-Type`, which is none of a stream; nil for none at all.
    case contentType(String?)
    /// An event has more than `limit` bytes (``StreamOptions/eventLimit``).
    case eventTooLarge(limit: Int)
    /// Two iterators, or two tasks, read the stream at once.
    case readTwice
}

extension StreamProblem: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .contentType(let type?):
            """
            the reply is no stream of events, as its content type is "\(type)"; check the URL, or say how the stream is \
            written by options: StreamOptions(format:)
            """
        case .contentType(nil):
            """
            the reply is no stream of events that can be told, as it has no content type; say how the stream is written by \
            options: StreamOptions(format:)
            """
        case .eventTooLarge(let limit):
            "an event of the stream has more than \(limit) bytes; allow more by options: StreamOptions(eventLimit:)"
        case .readTwice: "two tasks read the stream at once; make a stream for each"
        }
    }
}
