// TransportChain          what an API sends through: the middleware, then the transport, within a request's timeout
//  ├─ Middleware          wraps what is further in; the first one written is the outermost
//  │   ├─ Headers, UserAgent                                      change the request
//  │   ├─ AuthenticationProvider                                  adds credentials: BearerToken, OAuth2, APIKey, …
//  │   ├─ Retry, FollowRedirects, ResumeDownloads                 send several times
//  │   ├─ Governor                                                holds back what the server's limits don't let through
//  │   ├─ MapResponse                                             changes the reply
//  │   └─ RequestLog, RequestHistory                              only observe
//  └─ Transport           sends one request (this file)
//      └─ HTTPTransport   the platform's: AsyncHTTPClientTransport or URLSessionTransport, each with a FollowRedirects
//
//  APIRequest ─▶ chain ─▶ APIResponse      a reply, whatever its status; it has Links, a status, a body
//                      └▶ TransportError   no reply; it has a RequestSummary, which has no secrets

/// What sends one HTTP request and brings back one reply.
///
/// This is the only seam to the network. `HTTPTransport.standard` is the ready one; a test's stub is another:
///
/// ```swift
/// struct Stub: Transport {
///     func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
///         APIResponse(HTTPResponse(status: .noContent), to: request)
///     }
/// }
/// ```
public protocol Transport: Sendable {
    /// Sends a request and waits for the whole reply, or for the head of one that is asked for in pieces.
    ///
    /// A conforming type returns every reply that the server gave, whatever its status: an error means that there is
    /// no reply. It ends within ``APIRequest/timeout``, and promptly when the calling task is cancelled.
    ///
    /// - Parameter request: What to send, to an absolute `http` or `https` URL.
    /// A body is read by ``RequestBody/readAll()`` if the client can't read it piece by piece. A successful reply's
    /// body may go to ``Transfer/file``; a transport that can't write files returns it in memory. Where
    /// ``APIRequest/delivery`` asks for pieces, a successful reply may come as soon as its head is there, with
    /// ``APIResponse/pieces``; a transport that can't do that returns it whole.
    ///
    /// - Returns: The reply, its body complete and decompressed, or in pieces.
    /// - Throws: ``TransportError`` when no whole reply came.
    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse
}

#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    /// The platform's client: AsyncHTTPClient on Linux, URLSession on Apple platforms.
    ///
    /// `HTTPTransport.standard` is the one to use unless something special is needed.
    public typealias HTTPTransport = AsyncHTTPClientTransport
#else
    /// The platform's client: AsyncHTTPClient on Linux, URLSession on Apple platforms.
    ///
    /// `HTTPTransport.standard` is the one to use unless something special is needed.
    public typealias HTTPTransport = URLSessionTransport
#endif
