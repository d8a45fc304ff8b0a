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

    /// The bytes of the body, decompressed; empty if there was none.
    public var body: [UInt8]

    /// The URL that answered: the request's own, or the one that redirects ended at.
    public var url: URL

    /// The request that this answers, as it was passed to the transport.
    public var request: APIRequest

    /// The method that was answered: the request's own, or the GET that a redirect by 303 made of it, whose reply says
    /// nothing of what the request was to do.
    public var method: HTTPRequest.Method

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
        guard !body.isEmpty, let encoding = headerFields[.contentEncoding]?.trimmingSpaces, !encoding.isEmpty,
            encoding.lowercased() != "identity"
        else { return }
        throw TransportError(.undecoded(encoding: encoding), request)
    }
}

extension APIResponse: CustomStringConvertible, CustomReflectable {
    /// Status, length of the body, and the request, secrets replaced.
    public var description: String { "\(status.code) with \(body.count) bytes to \(RequestSummary(request))" }

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

    /// How long until the server's request limit is reset, from `X-RateLimit-Remaining: 0` with
    /// `X-RateLimit-Reset` in seconds since 1970, as GitHub sends them.
    ///
    /// Nil while requests remain, and when the fields are absent or unreadable. Never negative, never over a year.
    public var rateLimitReset: Duration? { rateLimitReset(localTime: Self.localTime) }

    /// Seconds since 1970 by the local clock.
    package static var localTime: Int { Int(Date().timeIntervalSince1970) }

    package func retryAfter(localTime: Int) -> Duration? {
        guard let text = headerFields[.retryAfter]?.trimmingSpaces else { return nil }
        if let seconds = Self.wholeNumber(text) { return Self.wait(seconds) }
        guard let date = HTTPDate.seconds(text) else { return nil }
        return Self.wait(date - serverTime(localTime))
    }

    package func rateLimitReset(localTime: Int) -> Duration? {
        guard headerFields[.rateLimitRemaining]?.trimmingSpaces == "0",
            let text = headerFields[.rateLimitReset]?.trimmingSpaces, let reset = Self.wholeNumber(text)
        else { return nil }
        return Self.wait(reset - serverTime(localTime))
    }

    private func serverTime(_ localTime: Int) -> Int {
        headerFields[.date].flatMap { HTTPDate.seconds($0) } ?? localTime
    }

    private static func wait(_ seconds: Int) -> Duration { .seconds(min(max(seconds, 0), 365 * 86_400)) }

    /// The number that consists of decimal digits alone, at most 2^53.
    private static func wholeNumber(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return min(Int(text) ?? .max, 1 << 53)
    }
}

extension HTTPField.Name {
    // Both are valid tokens, so the fallbacks are never taken.
    fileprivate static let rateLimitRemaining = Self("X-RateLimit-Remaining") ?? .retryAfter
    fileprivate static let rateLimitReset = Self("X-RateLimit-Reset") ?? .retryAfter
}

extension StringProtocol {
    /// This text without spaces and tabs at its ends.
    var trimmingSpaces: String {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: blank).reversed().drop(while: blank).reversed())
    }
}
