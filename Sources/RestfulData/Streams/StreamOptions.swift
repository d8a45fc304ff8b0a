/// Options for reading a stream of events and for reconnecting.
///
/// ```swift
/// let options = StreamOptions(idleTimeout: .seconds(60))
/// for try await event in api.stream("/events", options: options) { print(event.data) }
/// ```
public struct StreamOptions: Sendable, Hashable {
    /// The format of the stream; nil selects it by the reply's `Content-Type`. A reply of `text/html` is always an
    /// error.
    public var format: EventFormat?
    /// Whether to connect again if the connection ends, breaks, or can't be made for now. By default (nil), only
    /// server-sent events of a GET connect again. JSON lines end with their body, and a POST may not be sent twice.
    ///
    /// JSON lines have no IDs, so a new connection starts at the server's own starting point.
    public var reconnects: Bool?
    /// The number of connections in a row without a byte after which the last error ends the stream; nil for any
    /// number.
    public var attempts: Int?
    /// The longest time without a byte, comments included, before a connection counts as broken; nil for any time. Many
    /// servers send a comment every 15 seconds, so a minute without a byte means a broken connection.
    public var idleTimeout: Duration?
    /// The maximum number of bytes of one event; 1 MiB by default. A larger event ends the stream with
    /// ``StreamProblem/eventTooLarge(limit:)``.
    public var eventLimit: Int

    /// Creates options.
    ///
    /// - Parameters:
    ///   - format: The format of the stream; nil selects it by the reply's `Content-Type`.
    ///   - reconnects: Whether to connect again; nil for server-sent events of a GET only.
    ///   - attempts: The number of connections in a row without a byte that end the stream; at least 1, nil for any
    ///     number.
    ///   - idleTimeout: The longest time without a byte; nil for any time.
    ///   - eventLimit: The maximum number of bytes of one event.
    public init(
        format: EventFormat? = nil, reconnects: Bool? = nil, attempts: Int? = nil, idleTimeout: Duration? = nil,
        eventLimit: Int = 1 << 20
    ) {
        (self.format, self.reconnects, self.attempts) = (format, reconnects, attempts)
        (self.idleTimeout, self.eventLimit) = (idleTimeout, eventLimit)
    }
}
