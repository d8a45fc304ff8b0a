/// The durations of a request's parts, and the bytes of its bodies, as far as the transport reports them.
///
/// ```swift
/// let reply = try await chain.send(request)
/// if let waiting = reply.phases.waiting { print("The server took \(waiting)") }
/// ```
///
/// A part that isn't known is nil. A reply of the store has none. If ``Retry`` or a new token sent a request several
/// times, these are the parts of the last attempt. Of a redirected request, URLSession reports those of the last hop.
/// Of a reply in pieces (``APIRequest/delivery``) nothing is known that comes after its head, and URLSession reports
/// nothing.
///
/// | | URLSession | AsyncHTTPClient |
/// |---|---|---|
/// | ``queued`` | yes | yes |
/// | ``connecting`` | yes | never: part of ``waiting`` |
/// | ``sending`` | yes | never: part of ``waiting`` |
/// | ``waiting`` | yes | from the start, with connecting, sending and redirects |
/// | ``receiving`` | yes | yes |
public struct RequestPhases: Sendable, Hashable {
    /// The wait for the API's limits, and for the requests ahead (``Governor``): zero if it was sent at once.
    public var queued: Duration?
    /// Looking up the host, connecting, and the TLS handshake: zero on a connection that was kept.
    public var connecting: Duration?
    /// From the first to the last byte of the request.
    public var sending: Duration?
    /// From the end of the request to the head of the reply.
    public var waiting: Duration?
    /// From the head of the reply to its last byte.
    public var receiving: Duration?
    /// The bytes of the request's body; nil for a stream of unknown length.
    public var bytesSent: Int?
    /// The bytes of the reply's body as they came, before decompression; nil for a compressed body of unknown length.
    public var bytesReceived: Int?
    /// The version of HTTP: `HTTP/1.1`, `HTTP/2` or `HTTP/3`.
    public var httpVersion: String?

    /// Makes phases of which nothing is known.
    public init() {}
}

/// Details of a reply that equal replies may differ in.
struct ReplyNotes: Sendable, Hashable {
    var phases = RequestPhases()
    var pieces: BodyPieces?

    static func == (_: ReplyNotes, _: ReplyNotes) -> Bool { true }
    func hash(into _: inout Hasher) {}
}
