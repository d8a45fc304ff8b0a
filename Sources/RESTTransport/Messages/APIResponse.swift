public import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A server's whole reply to one request, with any status.
///
/// Its description has the status, the length, and the request without secrets.
public struct APIResponse: Sendable, Hashable {
    /// The status and header fields, without `Content-Encoding` and `Content-Length` if the body was decompressed.
    public var head: HTTPResponse

    /// The decompressed body; empty if there is none, or if it is in ``file`` or ``pieces``.
    public var body: [UInt8]

    /// The file with the decompressed body (``Transfer/file``); nil if it is in ``body``.
    public var file: URL?

    /// The URL that replied: the request's own, or the last one of its redirects.
    public var url: URL

    /// The request, as it was passed to the transport.
    public var request: APIRequest

    /// The answered method: the request's own, or GET after a 303. That GET's reply doesn't describe the request's
    /// effect.
    public var method: HTTPRequest.Method

    /// The durations of the request's parts. Equality ignores them.
    public var phases: RequestPhases {
        get { notes.phases }
        set { notes.phases = newValue }
    }

    /// The body in pieces (``APIRequest/delivery``), if the transport supports it; nil if it is in ``body``. Equality
    /// ignores it.
    public var pieces: BodyPieces? {
        get { notes.pieces }
        set { notes.pieces = newValue }
    }

    private var notes = ReplyNotes()

    /// Whether the reply came through another origin than the request's, by a redirect.
    package var hasLeftOrigin = false

    /// Creates a reply, in a transport or a stub.
    ///
    /// - Parameter url: The URL that replied; nil for the request's own.
    public init(_ head: HTTPResponse, body: [UInt8] = [], url: URL? = nil, to request: APIRequest) {
        self.head = head
        self.body = body
        self.url = url ?? request.url
        self.request = request
        self.method = request.method
    }

    /// The status, for example 200.
    public var status: HTTPResponse.Status { head.status }

    /// The header fields.
    public var headerFields: HTTPFields { head.headerFields }

    /// Whether the status is one of 200 to 299.
    public var isSuccess: Bool { head.status.kind == .successful }

    /// The body's length; nil if it comes in pieces.
    var bodyLength: Int? {
        guard pieces == nil else { return nil }
        return file == nil ? body.count : request.transfer?.stored
    }

    var bodyDescription: String { pieces?.description ?? "\(bodyLength ?? 0) bytes" }

    /// Throws if the body is still encoded. Decoders remove `Content-Encoding`.
    package func checkEncoding() throws(TransportError) {
        guard !body.isEmpty || file != nil || pieces != nil,
            let encoding = headerFields[.contentEncoding]?.trimmingSpaces,
            !encoding.isEmpty,
            encoding.lowercased() != "identity"
        else { return }
        throw TransportError(.undecoded(encoding: encoding), request)
    }
}

extension APIResponse: CustomStringConvertible, CustomReflectable {
    /// The status, the length of the body, and the request, with secrets replaced.
    public var description: String {
        "\(status.code) with \(bodyDescription) to \(RequestSummary(request))"
    }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension APIResponse {
    /// The server's wait in `Retry-After`: seconds, or a date
    /// ([RFC 9110 §10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)). Fractions, as Shopify sends, are
    /// rounded up.
    ///
    /// A date is compared with the reply's own `Date`, or else with the local clock. Between zero and one year; nil if
    /// the field is absent or unreadable.
    public var retryAfter: Duration? { retryAfter(localTime: Self.localTime) }

    /// The time until the server's limit resets, if no requests remain. It is read from `X-RateLimit-Remaining: 0` with
    /// `X-RateLimit-Reset`, as GitHub sends them, `RateLimit: "default";r=0;t=30` of the
    /// [IETF's draft](https://www.ietf.org/archive/id/draft-ietf-httpapi-ratelimit-headers-10.txt), and similar fields.
    ///
    /// Between zero and one year; nil while requests remain, or if the fields are absent or unreadable.
    public var rateLimitReset: Duration? { rateLimitReset(localTime: Self.localTime) }

    /// The local time in seconds since 1970.
    package static var localTime: Int { Int(Date().timeIntervalSince1970) }

    package func retryAfter(localTime: Int) -> Duration? {
        LimitStatement(headerFields, localTime: localTime).retryAfter
    }

    package func rateLimitReset(localTime: Int) -> Duration? {
        LimitStatement(headerFields, localTime: localTime).spentFor
    }
}

extension Substring {
    /// Without spaces and tabs at both ends.
    var trimmingSpaces: String {
        var rest = utf8
        while let first = rest.first, first.isFieldBlank { rest.removeFirst() }
        while let last = rest.last, last.isFieldBlank { rest.removeLast() }
        return String(Substring(rest))
    }
}

extension String {
    /// Without spaces and tabs at both ends.
    var trimmingSpaces: String { self[...].trimmingSpaces }

    /// Faster than an iterator.
    func readingBytes<Result>(_ read: (Span<UInt8>) -> Result) -> Result {
        var text = self
        // Safe: the bytes stay in place while the closure runs, which confines the span.
        return text.withUTF8 { unsafe read(Span(_unsafeElements: $0)) }
    }
}
