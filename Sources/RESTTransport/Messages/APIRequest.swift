public import HTTPTypes
package import Logging

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One HTTP request with an absolute URL, its body, and the time it may take.
///
/// Its description shows the method and the URL without secrets; never header fields, never the body.
public struct APIRequest: Sendable, Hashable {
    /// The method, for example `.get`.
    public var method: HTTPRequest.Method

    /// The absolute `http` or `https` URL. A fragment isn't sent. A user name or password in it is refused when the
    /// request is sent: use ``BasicAuthentication`` instead.
    public var url: URL

    /// The header fields to send. `Host`, `Content-Length` and `Transfer-Encoding` are set by the transport.
    public var headerFields: HTTPFields

    /// The body; nil sends none.
    public var body: RequestBody?

    /// Where the reply's body goes, and who is told how far the bodies are; nil keeps it in memory and tells nobody.
    public var transfer: Transfer? {
        get { passage.transfer }
        set { passage.transfer = newValue }
    }

    /// Whether the reply comes with its whole body, or with its head as soon as that is there, and the body in pieces.
    ///
    /// Only a successful reply comes in pieces, and only from a transport that can deliver them: otherwise the body is
    /// whole. What goes to a file (``Transfer/file``) goes there.
    public var delivery: BodyDelivery {
        get { passage.delivery }
        set { passage.delivery = newValue }
    }

    /// The longest the whole exchange may take: connecting, redirects, the reply's last byte, and all that middleware
    /// does, retries and waits included. A request that reads its body from a file or stream, or writes the reply's to
    /// a file, may take as long as bytes move: there it is the longest time without one. Of a reply in pieces
    /// (``delivery``) it is the time until the head is there. Clamped to between zero and one year; 60 seconds by
    /// default.
    public var timeout: Duration {
        didSet { timeout = timeout.clampedToTimeouts }
    }

    /// The origin of the API that this request belongs to: the only one that may see its credentials.
    ///
    /// ``TransportChain`` sets it. While it is nil, no middleware of this module adds a credential.
    public var apiOrigin: Origin?

    /// The names of further header fields that are secret, and so are left out when a redirect points to another
    /// origin. `Authorization`, `Proxy-Authorization` and `Cookie` always are. Middleware that adds a secret adds its
    /// name here.
    public var credentialFields: Set<HTTPField.Name>

    /// Where it is on its way through a chain.
    package var passage = Passage()

    /// Makes a request to an absolute URL.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The absolute `http` or `https` URL; checked when the request is sent.
    ///   - headerFields: The header fields to send.
    ///   - body: The body; nil sends none. Its media type becomes `Content-Type` where the fields have none.
    ///   - timeout: The longest the whole exchange may take; clamped to between zero and one year.
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

    /// Makes a request to an absolute URL given as text.
    ///
    /// - Parameters: As the other initializer's; `url` must be percent-encoded already.
    /// - Throws: ``TransportError`` with ``TransportError/Reason/invalidURL(_:)`` if `url` isn't an absolute `http`
    ///   or `https` URL, or carries a user name or password.
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

/// What a chain notes of a request on its way; two requests don't differ by it.
package struct Passage: Sendable, Hashable {
    /// When the chain got the request; nil outside of one.
    package var start: Duration?
    /// The place that a ``Governor`` has given it, in a reply that refuses it for now: it will hold the next attempt
    /// for as long as the server wants.
    package var ticket: UInt64?
    /// Whether it may wait behind others; nil for what the task says.
    package var priority: RequestPriority?
    /// The name of the model that it is about.
    package var model: String?
    /// The level at which it is logged; nil for the API's.
    package var logLevel: Logger.Level?
    /// Where the reply's body goes.
    package var transfer: Transfer?
    /// Whether the reply's body comes whole.
    package var delivery = BodyDelivery.whole
    /// The name of the account that it is for; nil if only its header fields tell.
    package var account: String?
    /// The name of the account that may send it; nil for any. Empty: only credentials without a name. Providers that
    /// have no name are not bound by it.
    package var requiredAccount: String?
    /// The API keys in the URL's query, which a redirect to another origin loses.
    package var queryKeys: [String] = []
    /// How often it was sent before.
    package var resends = 0
    /// Whether it only finds out which fields would go out, and isn't sent.
    package var isProbe = false
    /// Whether a redirect is a reply to it, as its body has secrets that may go nowhere else.
    var staysAtURL = false

    package init() {}

    package static func == (_: Passage, _: Passage) -> Bool { true }
    package func hash(into _: inout Hasher) {}
}

extension APIRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the URL, secrets replaced.
    public var description: String { RequestSummary(self).description }

    /// What `dump` and test failures show: the same as the description, and the body's kind and length.
    public var customMirror: Mirror {
        Mirror(self, children: ["summary": description, "body": body.map { "\($0)" } ?? "none"], displayStyle: .struct)
    }
}

extension Duration {
    /// This duration, no shorter than zero and no longer than a year: so that adding it to an instant never overflows.
    fileprivate var clampedToTimeouts: Duration { min(max(self, .zero), .seconds(365 * 86_400)) }
}

extension APIRequest {
    /// Whether the server is asked for nothing but an answer
    /// ([RFC 9110 §9.2.1](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1)).
    var isSafe: Bool {
        switch method {
        case .get, .head, .options, .trace: true
        default: false
        }
    }

    /// Whether a body is read from or written to a file or stream, which may take long.
    package var isTransfer: Bool { transfer?.file != nil || body?.isInMemory == false }

    /// How much of its timeout the request has left: counted from its start, or, of a transfer, from the last byte that
    /// moved. Negative once its time is over.
    package func timeLeft(since start: Duration, at now: Duration) -> Duration {
        if isTransfer, let rest = transfer?.rest(of: timeout, at: Alarms.time(after: .zero)) { return rest }
        return timeout - (now - start)
    }

    /// The error of a request, for middleware that was cancelled with it: the end of the request's time looks like that
    /// from within.
    package func seen(_ error: TransportError, at now: Duration) -> TransportError {
        guard case .cancelled = error.reason, let start = passage.start, timeLeft(since: start, at: now) <= .zero else {
            return error
        }
        return TransportError(.timedOut(after: timeout), self)
    }

    /// The request with a ``Transfer`` if it needs one, so that its timeout counts from the last byte that moved.
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

    /// Refuses a URL that no transport may receive.
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
