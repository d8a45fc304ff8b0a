public import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A server's whole reply to one request, whatever its status.
///
/// Its description shows status, length, and the request without secrets; never header fields, never the body.
public struct APIResponse: Sendable, Hashable {
    /// Status and header fields, as they came; `Content-Encoding` and `Content-Length` are left out if the body was
    /// decompressed.
    public var head: HTTPResponse

    /// The bytes of the body, decompressed; empty if there was none, or if it is in ``file`` or ``pieces``.
    public var body: [UInt8]

    /// The file that has the body, decompressed (``Transfer/file``); nil when it is in ``body``.
    public var file: URL?

    /// The URL that answered: the request's own, or the one that redirects ended at.
    public var url: URL

    /// The request that this answers, as it was passed to the transport.
    public var request: APIRequest

    /// The method that was answered: the request's own, or the GET that a redirect by 303 made of it, whose reply says
    /// nothing of what the request was to do.
    public var method: HTTPRequest.Method

    /// How long the parts of the request took; equal replies may differ in it.
    public var phases: RequestPhases {
        get { notes.phases }
        set { notes.phases = newValue }
    }

    /// The body as it comes, if the request asked for that (``APIRequest/delivery``) and the transport can do it; nil
    /// when it is in ``body``. Equal replies may differ in it.
    public var pieces: BodyPieces? {
        get { notes.pieces }
        set { notes.pieces = newValue }
    }

    private var notes = ReplyNotes()

    /// Whether a redirect on the way to ``url`` led through another origin than the request's.
    package var hasLeftOrigin = false

    /// Makes a reply; what transports and stubs do.
    ///
    /// - Parameters:
    ///   - head: Status and header fields.
    ///   - body: The bytes of the body.
    ///   - url: The URL that answered; the request's own if nil.
    ///   - request: The request that this answers.
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

    /// Refuses a body that no transport or middleware has decoded: those who do take `Content-Encoding` away.
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
    /// Status, length of the body, and the request, secrets replaced.
    public var description: String {
        "\(status.code) with \(pieces?.description ?? "\(body.count) bytes") to \(RequestSummary(request))"
    }

    /// What `dump` and test failures show: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension APIResponse {
    /// How long the server asks to wait, from `Retry-After`: seconds, or a date
    /// ([RFC 9110 §10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)).
    ///
    /// A date is measured against the reply's own `Date`, so that a wrong local clock doesn't matter, otherwise
    /// against the local clock. Never negative, never more than a year; nil if the field is absent or unreadable.
    public var retryAfter: Duration? { retryAfter(localTime: Self.localTime) }

    /// How long until the server's limit lets requests through again, where none are left: from `X-RateLimit-Remaining:
    /// 0` with `X-RateLimit-Reset`, as GitHub sends them, `RateLimit: "default";r=0;t=30` of the [IETF's
    /// draft](https://www.ietf.org/archive/id/draft-ietf-httpapi-ratelimit-headers-10.txt), and the like.
    ///
    /// Nil while requests remain, and when the fields are absent or unreadable. Never negative, never over a year.
    public var rateLimitReset: Duration? { rateLimitReset(localTime: Self.localTime) }

    /// Seconds since 1970 by the local clock.
    package static var localTime: Int { Int(Date().timeIntervalSince1970) }

    package func retryAfter(localTime: Int) -> Duration? {
        LimitStatement(headerFields, localTime: localTime).retryAfter
    }

    package func rateLimitReset(localTime: Int) -> Duration? {
        LimitStatement(headerFields, localTime: localTime).spentFor
    }
}

extension Substring {
    /// This text without spaces and tabs at its ends.
    var trimmingSpaces: String {
        var rest = utf8
        while let first = rest.first, first.isFieldBlank { rest.removeFirst() }
        while let last = rest.last, last.isFieldBlank { rest.removeLast() }
        return String(Substring(rest))
    }
}

extension String {
    /// This text without spaces and tabs at its ends.
    var trimmingSpaces: String { self[...].trimmingSpaces }

    /// Reads its bytes where they are, without an iterator's cost for each.
    func readingBytes<Result>(_ read: (Span<UInt8>) -> Result) -> Result {
        var text = self
        // They stay for as long as the closure runs, and a span can't be kept beyond that.
        return text.withUTF8 { unsafe read(Span(_unsafeElements: $0)) }
    }
}
