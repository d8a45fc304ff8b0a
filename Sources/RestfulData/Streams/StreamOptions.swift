/// How a stream of events is read, and what becomes of a connection that ends.
///
/// ```swift
/// let options = StreamOptions(idleTimeout: .seconds(60))
/// for try await event in api.stream("/events", options: options) { print(event.data) }
/// ```
public struct StreamOptions: Sendable, Hashable {
    /// How the stream is written; nil for what the reply's `Content-Type` says. A reply of `text/html` is an error in
    /// any case.
    public var format: EventFormat?
    /// Whether to connect again when the connection ends or breaks, or can't be made for now. Nil: server-sent events
    /// of a GET are, and nothing else, as JSON lines end with their body, and a POST may not be sent twice.
    ///
    /// JSON lines have no IDs: a new connection begins where the server begins.
    public var reconnects: Bool?
    /// How many connections in a row may bring nothing before the last error ends the stream; nil for any number.
    public var attempts: Int?
    /// How long a connection may bring nothing, not even a comment, before it counts as broken; nil for any time. Many
    /// servers send a comment every 15 seconds, so that a minute without a byte means that the way is broken.
    public var idleTimeout: Duration?
    /// The most bytes of one event; 1 MiB by default. A larger one ends the stream with
    /// ``StreamProblem/eventTooLarge(limit:)``.
    public var eventLimit: Int

    /// Makes options.
    ///
    /// - Parameters:
    ///   - format: How the stream is written; nil for what the reply says.
    ///   - reconnects: Whether to connect again; nil for server-sent events of a GET only.
    ///   - attempts: How many connections in a row may bring nothing; at least 1, nil for any number.
    ///   - idleTimeout: How long a connection may bring nothing; nil for any time.
    ///   - eventLimit: The most bytes of one event.
    public init(
        format: EventFormat? = nil, reconnects: Bool? = nil, attempts: Int? = nil, idleTimeout: Duration? = nil,
        eventLimit: Int = 1 << 20
    ) {
        (self.format, self.reconnects, self.attempts) = (format, reconnects, attempts)
        (self.idleTimeout, self.eventLimit) = (idleTimeout, eventLimit)
    }
}
