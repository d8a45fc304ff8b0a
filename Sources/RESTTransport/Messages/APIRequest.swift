public import HTTPTypes
package import Logging

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One HTTP request with an absolute URL, a body and a timeout.
///
/// Its description has the method, and the URL without secrets.
public struct APIRequest: Sendable, Hashable {
    /// The method, for example `.get`.
    public var method: HTTPRequest.Method

    /// The absolute `http` or `https` URL. A fragment isn't sent. A user name or password in it is an error: use
    /// ``BasicAuthentication``.
    public var url: URL

    /// The header fields. The transport sets `Host`, `Content-Length` and `Transfer-Encoding`.
    public var headerFields: HTTPFields

    /// The body.
    public var body: RequestBody?

    /// The destination of the reply's body, and the observer of progress. Nil keeps the body in memory.
    public var transfer: Transfer? {
        get { chainState.transfer }
        set { chainState.transfer = newValue }
    }

    /// Whether the reply is delivered with its whole body, or with its head at once and the body in pieces.
    ///
    /// The body of a failure, or of a transport without support, is whole. A body for a file (``Transfer/file``) is
    /// written to it.
    public var delivery: BodyDelivery {
        get { chainState.delivery }
        set { chainState.delivery = newValue }
    }

    /// The longest time for the whole exchange, with all middleware, retries and waits. Between zero and one year; 60
    /// seconds by default.
    ///
    /// With a body from a file or stream, or a reply to a file, it is the longest time without a byte; for a reply in
    /// pieces (``delivery``), until the head.
    public var timeout: Duration {
        didSet { timeout = timeout.clampedToTimeouts }
    }

    /// The API's origin, which alone receives its credentials; nil for no credentials. ``TransportChain`` sets it.
    public var apiOrigin: Origin?

    /// The header fields, besides `Authorization`, `Proxy-Authorization` and `Cookie`, that a redirect to another
    /// origin leaves out. Middleware that adds a secret adds its name here.
    public var credentialFields: Set<HTTPField.Name>

    package var chainState = ChainState()

    /// Creates a request to an absolute URL.
    ///
    /// - Parameters:
    ///   - url: The absolute `http` or `https` URL, checked when it is sent.
    ///   - body: The body. Its media type becomes `Content-Type`, unless the fields have one.
    ///   - timeout: The longest time for the whole exchange, between zero and one year.
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
    /// - Parameter url: A percent-encoded URL.
    /// - Throws: ``TransportError/Reason/invalidURL(_:)`` unless `url` is an absolute `http` or `https` URL without a
    ///   user name and password.
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
package struct ChainState: Sendable, Hashable {
    /// The time since the chain received the request, by the chain's clock; nil outside a chain.
    package var elapsed: (@Sendable () -> Duration)?
    /// The place in line that a ``Governor`` gave the request when it refused it for now. The next attempt waits there.
    package var ticket: UInt64?
    /// Nil for the task's priority.
    package var priority: RequestPriority?
    package var model: String?
    /// Nil for the API's level.
    package var logLevel: Logger.Level?
    package var transfer: Transfer?
    package var delivery = BodyDelivery.whole
    /// Nil if only header fields identify the account.
    package var account: String?
    /// The account that may send the request; nil for any. If empty, only credentials without a name may. Providers
    /// without a name are exempt.
    package var requiredAccount: String?
    /// The keys in the URL's query, for removal by a redirect to another origin.
    package var queryKeys: [String] = []
    /// The number of earlier attempts.
    package var resends = 0
    /// Whether the request stays unsent, and only determines its fields.
    package var isProbe = false
    /// Whether redirects are returned as replies, because the body has secrets for this URL only.
    var staysAtURL = false

    package init() {}

    package static func == (_: ChainState, _: ChainState) -> Bool { true }
    package func hash(into _: inout Hasher) {}
}

extension APIRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the URL, with secrets replaced.
    public var description: String { RequestSummary(self).description }

    /// The description, with the body's kind and length.
    public var customMirror: Mirror {
        Mirror(self, children: ["summary": description, "body": body.map { "\($0)" } ?? "none"], displayStyle: .struct)
    }
}

extension Duration {
    /// Adding this to an instant never overflows.
    fileprivate var clampedToTimeouts: Duration { min(max(self, .zero), .seconds(365 * 86_400)) }
}

extension APIRequest {
    /// Whether the method is read-only ([RFC 9110 §9.2.1](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1)).
    var isSafe: Bool {
        switch method {
        case .get, .head, .options, .trace: true
        default: false
        }
    }

    /// Whether a body is a file or stream, which may take long.
    package var isTransfer: Bool { transfer?.file != nil || body?.isInMemory == false }

    /// The rest of the timeout, from the start, or for a transfer from the last byte that moved. Negative after the
    /// end.
    package func timeLeft(since start: Duration, at now: Duration) -> Duration {
        if isTransfer, let rest = transfer?.rest(of: timeout, at: Alarms.time(after: .zero)) { return rest }
        return timeout - (now - start)
    }

    package var timeLeft: Duration { timeLeft(since: .zero, at: chainState.elapsed?() ?? .zero) }

    /// After the request's time, a cancellation becomes a time-out, as both look the same to middleware.
    package func seen(_ error: TransportError) -> TransportError {
        guard case .cancelled = error.reason, chainState.elapsed != nil, timeLeft <= .zero else { return error }
        return error.timedOut(self)
    }

    /// The request, with a ``Transfer`` if the timeout counts from the last byte that moved.
    var measured: APIRequest {
        guard isTransfer, transfer == nil else { return self }
        var request = self
        request.transfer = Transfer()
        return request
    }

    /// Method, scheme, authority, path with query, and header fields.
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
