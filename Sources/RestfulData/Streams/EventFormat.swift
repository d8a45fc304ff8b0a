import HTTPTypes
import RESTTransport

/// The format of a stream of events.
public enum EventFormat: Sendable, Hashable, CaseIterable {
    /// Server-sent events, `text/event-stream`, by the [HTML standard
    /// §9.2](https://html.spec.whatwg.org/multipage/server-sent-events.html).
    case events
    /// One JSON text in each line: `application/x-ndjson`, `application/jsonl`, `application/x-jsonlines`. Blank lines
    /// are ignored.
    case jsonLines
    /// JSON texts, each after a record separator: `application/json-seq`
    /// ([RFC 7464](https://www.rfc-editor.org/rfc/rfc7464)).
    case jsonSequence

    /// Creates the format for a `Content-Type`; nil if the type isn't a stream's.
    init?(contentType: String?) {
        guard let type = contentType.flatMap({ MediaType($0).name }) else { return nil }
        guard let format = Self.allCases.first(where: { $0.mediaTypes.contains(type) }) else { return nil }
        self = format
    }

    /// The media types of the format. The first is used for `Accept`.
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

    /// The value of `Accept`. Some servers send events only if `Accept` has no other type.
    var accept: String {
        self == .jsonLines ? mediaTypes.prefix(3).joined(separator: ", ") : mediaTypes[0]
    }

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - lastEventID: The ID of the event before the first one of the body.
    ///   - limit: The maximum number of bytes of one event.
    func parser(after lastEventID: String, limit: Int) -> any EventParser {
        switch self {
        case .events: ServerSentEventParser(after: lastEventID, limit: limit)
        case .jsonLines: JSONLineParser(limit: limit)
        case .jsonSequence: JSONSequenceParser(limit: limit)
        }
    }
}

/// Parses the bytes of a body into events, for any division into pieces.
protocol EventParser: Sendable {
    /// Reads a piece of the body.
    ///
    /// - Parameter events: Receives the events that end in the piece, including those before an error.
    /// - Throws: ``StreamProblem/eventTooLarge(limit:)``. The parser can't be used afterwards.
    mutating func read(_ piece: [UInt8], into events: inout [ServerEvent]) throws(StreamProblem)

    /// Ends a complete body.
    ///
    /// - Parameter events: Receives the events that the end of the body completes.
    mutating func finish(into events: inout [ServerEvent])

    /// The ID to continue after, once all events so far are handled; nil for a format without IDs.
    var lastEventID: String? { get }
    /// The server's wait before the next connection; nil by default.
    var retry: Duration? { get }
}

extension EventParser {
    var lastEventID: String? { nil }
    var retry: Duration? { nil }
}

/// The reason why a successful reply can't be read as a stream (``APIError/stream(_:_:)``).
public enum StreamProblem: Error, Sendable, Hashable {
    /// The reply has this `Content-Type`, which isn't a stream's; nil if the field is missing.
    case contentType(String?)
    /// An event has more than `limit` bytes (``StreamOptions/eventLimit``).
    case eventTooLarge(limit: Int)
    /// Two iterators or tasks read the stream at once. The newer iterator continues.
    case readTwice
}

extension StreamProblem: CustomStringConvertible {
    /// The problem, and the way to solve it.
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
