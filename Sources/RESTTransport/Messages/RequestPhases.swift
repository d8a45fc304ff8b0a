/// The durations of a request's parts, and the bytes of its bodies.
///
/// ```swift
/// let reply = try await chain.send(request)
/// if let waiting = reply.phases.waiting { print("The server took \(waiting)") }
/// ```
///
/// Unknown parts, and those of stored answers, are nil. Several attempts have the last one's. URLSession reports the
/// last hop of a redirected request. For a reply in pieces (``APIRequest/delivery``), parts after its head are unknown,
/// and URLSession reports none.
///
/// | | URLSession | AsyncHTTPClient |
/// |---|---|---|
/// | ``queued`` | yes | yes |
/// | ``connecting`` | yes | never: part of ``waiting`` |
/// | ``sending`` | yes | never: part of ``waiting`` |
/// | ``waiting`` | yes | from the start, with connecting, sending and redirects |
/// | ``receiving`` | yes | yes |
public struct RequestPhases: Sendable, Hashable {
    /// The wait for the API's limits and for earlier requests (``Governor``); zero if the request was sent at once.
    public var queued: Duration?
    /// Looking up the host, connecting, and the TLS handshake; zero on a kept connection.
    public var connecting: Duration?
    /// From the first to the last byte of the request.
    public var sending: Duration?
    /// From the end of the request to the head of the reply.
    public var waiting: Duration?
    /// From the head of the reply to its last byte.
    public var receiving: Duration?
    /// The bytes of the request's body; nil for a stream of unknown length.
    public var bytesSent: Int?
    /// The bytes of the reply's body before decompression; nil for a compressed body of unknown length.
    public var bytesReceived: Int?
    /// The version of HTTP: `HTTP/1.1`, `HTTP/2` or `HTTP/3`.
    public var httpVersion: String?

    /// Creates unknown phases.
    public init() {}
}

/// A reply's equality ignores them.
struct ReplyNotes: Sendable, Hashable {
    var phases = RequestPhases()
    var pieces: BodyPieces?

    static func == (_: ReplyNotes, _: ReplyNotes) -> Bool { true }
    func hash(into _: inout Hasher) {}
}
