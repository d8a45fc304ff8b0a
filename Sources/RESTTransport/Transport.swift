// TransportChain          an API's way to the network: the middleware, then the transport, within a request's timeout
//  ├─ Middleware          wraps the next layer; the first one written is the outermost
//  │   ├─ Headers, UserAgent                                      change the request
//  │   ├─ AuthenticationProvider                                  adds credentials: BearerToken, OAuth2, APIKey, …
//  │   ├─ Retry, FollowRedirects, ResumeDownloads                 send several times
//  │   ├─ Governor                                                holds back requests that exceed the server's limits
//  │   ├─ MapResponse                                             changes the reply
//  │   └─ RequestLog, RequestHistory                              only observe
//  └─ Transport           sends one request (this file)
//      └─ HTTPTransport   the platform's: AsyncHTTPClientTransport or URLSessionTransport, each with a FollowRedirects
//
//  APIRequest ─▶ chain ─▶ APIResponse      a reply of any status; it has Links, a status, a body
//                      └▶ TransportError   a missing reply; its RequestSummary omits secrets

/// Sends one HTTP request and returns its reply.
///
/// All requests go through it, by default `HTTPTransport.standard`. A test can use a stub:
///
/// ```swift
/// struct Stub: Transport {
///     func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
///         APIResponse(HTTPResponse(status: .noContent), to: request)
///     }
/// }
/// ```
public protocol Transport: Sendable {
    /// Sends a request and waits for the whole reply, or for the head of a reply in pieces.
    ///
    /// A conforming type returns every reply of the server, of any status. It throws only if the reply is missing or
    /// incomplete. It ends within ``APIRequest/timeout``, and promptly when the calling task is cancelled.
    ///
    /// - Parameter request: The request, to an absolute `http` or `https` URL. If your client sends only whole bodies,
    ///   read the body by ``RequestBody/readAll()``. A successful reply's body may go to ``Transfer/file``, or else
    ///   stay in memory. If ``APIRequest/delivery`` asks for pieces, you may return a successful reply as soon as its
    ///   head arrives, with ``APIResponse/pieces``, or else the whole reply.
    ///
    /// - Returns: The reply, its body complete and decompressed, or in pieces.
    /// - Throws: ``TransportError`` if the reply is missing or incomplete.
    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse
}

#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    /// The platform's client: AsyncHTTPClient on Linux, URLSession on Apple platforms.
    public typealias HTTPTransport = AsyncHTTPClientTransport
#else
    /// The platform's client: AsyncHTTPClient on Linux, URLSession on Apple platforms.
    public typealias HTTPTransport = URLSessionTransport
#endif
