// TransportError: no whole reply came. (A reply with an error status is an APIResponse, not an error.)
// ├─ the request can't be sent
// │   ├─ invalidURL               not an absolute http or https URL
// │   └─ credentialUnavailable    no token to send
// ├─ there is no connection
// │   ├─ connectionRefused        nothing listens there
// │   ├─ connectionFailed         no such host, no route, no answer
// │   └─ tls                      certificate or handshake
// ├─ the reply can't be had
// │   ├─ connectionLost           the connection ended before the reply did
// │   ├─ malformedResponse        what came is not HTTP, or not what its header fields say
// │   └─ tooLarge                 more bytes than allowed
// ├─ redirects
// │   ├─ tooManyRedirects         more hops than allowed
// │   ├─ redirectLoop             back where it was
// │   ├─ insecureRedirect         from https to http
// │   └─ invalidRedirect          to what is not an http or https URL
// ├─ time
// │   ├─ timedOut                 the request's timeout passed
// │   └─ cancelled                the calling task was cancelled
// └─ other                        anything else, from a client or from middleware

/// Why a request has no reply: the one error type of this module.
///
/// It names the request without its secrets: they are in no description of it.
public struct TransportError: Error, Sendable, Hashable {
    /// What went wrong.
    public enum Reason: Sendable, Hashable {
        /// The URL is not one that a request can go to; the text says why. Nothing was sent.
        case invalidURL(String)
        /// There is no usable token or password; the text says why. Nothing was sent.
        case credentialUnavailable(String)
        /// Nothing listens at the host and port. Nothing was sent.
        case connectionRefused
        /// No connection could be made; the text says why. Nothing was sent.
        case connectionFailed(String)
        /// The secure connection could not be made or broke; the text says why.
        case tls(String)
        /// The connection ended before the reply did. The server may have acted on the request.
        case connectionLost
        /// What came back is not HTTP, or contradicts itself; the text says how. The server may have acted.
        case malformedResponse(String)
        /// The body is longer than `limit` bytes, counted after decompression. The server has acted.
        case tooLarge(limit: Int)
        /// There were more redirects than `limit`.
        case tooManyRedirects(limit: Int)
        /// Redirects led back to a URL that had redirected already, given without secrets.
        case redirectLoop(to: String)
        /// A redirect led from `https` to this URL, given without secrets, where others could read the request.
        case insecureRedirect(to: String)
        /// A redirect led to this text, given without secrets, which is no `http` or `https` URL.
        case invalidRedirect(to: String)
        /// The time allowed for the whole exchange passed. The server may have acted on the request.
        case timedOut(after: Duration)
        /// The calling task was cancelled. The server may have acted on the request.
        case cancelled
        /// Something else, named without secrets.
        case other(String)
    }

    /// What went wrong.
    public let reason: Reason

    /// The method and URL of the request, without secrets.
    public let request: RequestSummary

    /// Makes an error; what transports and middleware do.
    ///
    /// - Parameters:
    ///   - reason: What went wrong; its texts must not hold secrets.
    ///   - request: The request that has no reply.
    public init(_ reason: Reason, _ request: RequestSummary) {
        self.reason = reason
        self.request = request
    }

    /// Makes an error about a request; what transports and middleware do.
    public init(_ reason: Reason, _ request: APIRequest) {
        self.init(reason, RequestSummary(request))
    }

    /// Whether the same request may well succeed a moment later: no connection, or one that broke.
    ///
    /// Whether it may be sent again is another question: after ``Reason/connectionLost`` the server may have acted.
    public var isTransient: Bool {
        switch reason {
        case .connectionRefused, .connectionFailed, .connectionLost: true
        default: false
        }
    }
}
