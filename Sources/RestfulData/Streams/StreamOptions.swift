/// Options for reading a stream of events.
public struct StreamOptions: Sendable, Hashable {
    /// The format of the stream; nil selects it by the reply's `Content-Type`. `text/html` is always an error.
    public var format: EventFormat?
    /// Whether to connect again if the connection ends, breaks, or can't be made for now; nil for server-sent events of
    /// a GET only.
    ///
    /// A new connection for JSON lines starts where the server does.
    public var reconnects: Bool?
    /// The number of connections in a row without a byte that end the stream; nil for any number.
    public var attempts: Int?
    /// The longest time without a byte, even of a comment, before a connection counts as broken; nil for any time. Many
    /// servers send a comment every 15 seconds, so a minute is safe.
    public var idleTimeout: Duration?
    /// The most bytes of one event; 1 MiB by default. A larger one ends the stream with
    /// ``StreamProblem/eventTooLarge(limit:)``.
    public var eventLimit: Int

    /// Creates options.
    ///
    /// - Parameters: See the properties. `attempts` is at least 1.
    public init(
        format: EventFormat? = nil, reconnects: Bool? = nil, attempts: Int? = nil, idleTimeout: Duration? = nil,
        eventLimit: Int = 1 << 20
    ) {
        (self.format, self.reconnects, self.attempts) = (format, reconnects, attempts)
        (self.idleTimeout, self.eventLimit) = (idleTimeout, eventLimit)
    }
}
