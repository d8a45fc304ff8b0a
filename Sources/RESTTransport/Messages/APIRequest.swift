public import HTTPTypes
package import Logging

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One HTTP request with an absolute URL, a body and a timeout.
///
/// Its description has the method, and the URL with its secrets removed. Header fields and the body are left out.
public struct APIRequest: Sendable, Hashable {
    /// The method, for example `.get`.
    public var method: HTTPRequest.Method

    /// The absolute `http` or `https` URL. A fragment isn't sent. A user name or password in it is refused when the
    /// request is sent: use ``BasicAuthentication`` instead.
    public var url: URL

    /// The header fields to send. `Host`, `Content-Length` and `Transfer-Encoding` are set by the transport.
    public var headerFields: HTTPFields

    /// The request's body, if it has one.
    public var body: RequestBody?

    /// The destination of the reply's body, and the observer of progress. Nil keeps the body in memory.
    public var transfer: Transfer? {
        get { passage.transfer }
        set { passage.transfer = newValue }
    }

    /// Whether the reply is delivered with its whole body, or with its head as soon as possible, and the body in
    /// pieces.
    ///
    /// Only a successful reply is delivered in pieces, and only by a transport that supports it. Otherwise the body is
    /// whole. A body for a file (``Transfer/file``) is written to the file.
    public var delivery: BodyDelivery {
        get { passage.delivery }
        set { passage.delivery = newValue }
    }

    /// The longest time for the whole exchange: connecting, redirects, the reply's last byte, and all middleware,
    /// including retries and waits. Clamped to between zero and one year; 60 seconds by default.
    ///
    /// If the body is read from a file or stream, or the reply is written to a file, it is the longest time without a
    /// byte. For a reply in pieces (``delivery``), it is the time until the head.
    public var timeout: Duration {
        didSet { timeout = timeout.clampedToTimeouts }
    }

    /// The origin of the request's API. Only this origin receives its credentials.
    ///
    /// ``TransportChain`` sets it. While it is nil, middleware of this module adds credentials to no request.
    public var apiOrigin: Origin?

    /// The names of additional secret header fields, which a redirect to another origin leaves out. `Authorization`,
    /// `Proxy-Authorization` and `Cookie` are always left out. Middleware that adds a secret adds its name here.
    public var credentialFields: Set<HTTPField.Name>

    package var passage = Passage()

    /// Creates a request to an absolute URL.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The absolute `http` or `https` URL; checked when the request is sent.
    ///   - headerFields: The header fields to send.
    ///   - body: The request's body, if it has one. Its media type becomes `Content-Type`, unless the fields have one.
    ///   - timeout: The longest time for the whole exchange; clamped to between zero and one year.
    public init(
        _ method: HTTPRequest.Method = .get, _ url: URL, headerFields: HTTPFields = [:], body: RequestBody? = nil,
        timeout: Duration = .seconds(60)
    ) {
        self.method = method
        self.url = url
        self.headerFields = headerFields
        self.body = body
        self.timeout = timeout.clampedToTimeouts
        self.apiOrigin = nil
        self.credentialFields = []
        if let type = body?.contentType, self.headerFields[.contentType] == nil {
            self.headerFields[.contentType] = type
        }
        if let encoding = body?.contentEncoding, self.headerFields[.contentEncoding] == nil {
            self.headerFields[.contentEncoding] = encoding
        }
    }

    /// Creates a request to an absolute URL given as text.
    ///
    /// - Parameters: See the other initializer. `url` must be percent-encoded already.
    /// - Throws: ``TransportError`` with ``TransportError/Reason/invalidURL(_:)`` unless `url` is an absolute `http` or
    ///   `https` URL, free of a user name and password.
    public init(
        _ method: HTTPRequest.Method = .get, _ url: String, headerFields: HTTPFields = [:], body: RequestBody? = nil,
        timeout: Duration = .seconds(60)
    ) throws(TransportError) {
        guard let parsed = URL(string: url, encodingInvalidCharacters: false) else {
            let summary = RequestSummary(method: method.rawValue, url: url)
            throw TransportError(.invalidURL("it is not a percent-encoded URL"), summary)
        }
        self.init(method, parsed, headerFields: headerFields, body: body, timeout: timeout)
        try checkURL()
    }
}

/// A request's state in a chain. Equality ignores it.
package struct Passage: Sendable, Hashable {
    /// The time since the chain received the request, by the chain's clock; nil outside a chain.
    package var elapsed: (@Sendable () -> Duration)?
    /// The place in line that a ``Governor`` gave the request when it refused it for now. The next attempt waits there.
    package var ticket: UInt64?
    /// Nil for the task's priority.
    package var priority: RequestPriority?
    package var model: String?
    /// Nil for the API's.
    package var logLevel: Logger.Level?
    package var transfer: Transfer?
    package var delivery = BodyDelivery.whole
    /// Nil if only header fields identify the account.
    package var account: String?
    /// The account that may send the request; nil for any. If empty, only credentials without a name may. Providers
    /// without a name are exempt.
    package var requiredAccount: String?
    /// In the URL's query, for removal by a redirect to another origin.
    package var queryKeys: [String] = []
    /// Earlier attempts.
    package var resends = 0
    /// Whether the request stays unsent, and only determines its fields.
    package var isProbe = false
    /// Returns redirects as replies, because the body has secrets for this URL only.
    var staysAtURL = false

    package init() {}

    package static func == (_: Passage, _: Passage) -> Bool { true }
    package func hash(into _: inout Hasher) {}
}

extension APIRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the URL, with secrets replaced.
    public var description: String { RequestSummary(self).description }

    /// The description, with the body's kind and length, for `dump` and test failures.
    public var customMirror: Mirror {
        Mirror(self, children: ["summary": description, "body": body.map { "\($0)" } ?? "none"], displayStyle: .struct)
    }
}

extension Duration {
    /// Adding this to an instant never overflows.
    fileprivate var clampedToTimeouts: Duration { min(max(self, .zero), .seconds(365 * 86_400)) }
}

extension APIRequest {
    /// Read-only ([RFC 9110 §9.2.1](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1)).
    var isSafe: Bool {
        switch method {
        case .get, .head, .options, .trace: true
        default: false
        }
    }

    /// Bodies of files and streams may take long.
    package var isTransfer: Bool { transfer?.file != nil || body?.isInMemory == false }

    /// From the start, or for a transfer from the last byte that moved. Negative after the end.
    package func timeLeft(since start: Duration, at now: Duration) -> Duration {
        if isTransfer, let rest = transfer?.rest(of: timeout, at: Alarms.time(after: .zero)) { return rest }
        return timeout - (now - start)
    }

    package var timeLeft: Duration { timeLeft(since: .zero, at: passage.elapsed?() ?? .zero) }

    /// After the request's time, a cancellation becomes a time-out, as both look the same to middleware.
    package func seen(_ error: TransportError) -> TransportError {
        guard case .cancelled = error.reason, passage.elapsed != nil, timeLeft <= .zero else { return error }
        return error.timedOut(self)
    }

    /// With a ``Transfer`` if the timeout counts from the last byte that moved.
    var measured: APIRequest {
        guard isTransfer, transfer == nil else { return self }
        var request = self
        request.transfer = Transfer()
        return request
    }

    /// The request as the HTTP currency type: method, scheme, authority, path with query, header fields.
    public var head: HTTPRequest {
        let components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        var path = components?.percentEncodedPath ?? url.path
        if path.isEmpty { path = "/" }
        if let query = components?.percentEncodedQuery { path += "?" + query }
        return HTTPRequest(
            method: method, scheme: url.scheme?.lowercased(), authority: Origin(url)?.authority, path: path,
            headerFields: headerFields)
    }

    /// Throws if transports can't use the URL.
    package func checkURL() throws(TransportError) {
        guard let scheme = url.scheme?.lowercased() else { throw refusal("it has no scheme") }
        guard scheme == "http" || scheme == "https" else { throw refusal("its scheme is neither http nor https") }
        guard Origin(url) != nil else { throw refusal("it names no host, or a port that does not exist") }
        guard url.user() == nil, url.password() == nil else {
            throw refusal("it carries a user name or password; use BasicAuthentication instead")
        }
    }

    private func refusal(_ why: String) -> TransportError {
        TransportError(.invalidURL(why), RequestSummary(self))
    }
}
