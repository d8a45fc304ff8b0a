#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A transport wrapped in middleware: what an API sends its requests through.
///
/// ```swift
/// let chain = TransportChain(api: baseURL) { BearerToken(token); Retry() }
/// let reply = try await chain.send(APIRequest(.get, "https://api.github.com/user"))
/// ```
///
/// Every request passes the middleware in the order written, then the transport; its reply passes them in the reverse
/// order. The request's timeout covers all of it.
public struct TransportChain: Transport {
    private let origin: Origin?
    private let middleware: [any Middleware]
    private let transport: any Transport
    private let time: TimeSource

    /// Wraps a transport in middleware.
    ///
    /// - Parameters:
    ///   - api: The API's base URL. Its origin is the only one that sees the API's credentials.
    ///   - transport: What sends.
    ///   - middleware: What wraps it; the first one written is the outermost.
    public init(
        api: URL, transport: any Transport = HTTPTransport.standard,
        @MiddlewareBuilder _ middleware: () -> [any Middleware] = { [] }
    ) {
        self.init(api: api, transport: transport, time: .system, middleware)
    }

    package init(
        api: URL, transport: any Transport, time: TimeSource,
        @MiddlewareBuilder _ middleware: () -> [any Middleware]
    ) {
        self.origin = Origin(api)
        self.transport = transport
        self.time = time
        self.middleware = middleware()
    }

    /// Sends a request through the middleware and the transport.
    ///
    /// - Throws: ``TransportError``, within the request's timeout, and promptly when the task is cancelled. When either
    ///   comes, what sends the request is cancelled and waited for: with a transport or middleware of your own that
    ///   does not end then this takes as long as that, and a reply that comes late is returned.
    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        var request = request.measured
        request.apiOrigin = origin
        request.passage.start = time.elapsed()
        return try await withDeadline(of: request) { [request] () async throws(TransportError) -> APIResponse in
            try await pass(request, from: 0)
        }
    }

    /// The names of the middleware's types, from the outermost inwards.
    package var middlewareNames: [String] { middleware.map { "\(type(of: $0))" } }

    private func pass(_ request: APIRequest, from index: Int) async throws(TransportError) -> APIResponse {
        guard index < middleware.count else { return try await transport.send(request) }
        return try await middleware[index].intercept(request) { request async throws(TransportError) -> APIResponse in
            try await pass(request, from: index + 1)
        }
    }
}

extension TransportChain: CustomStringConvertible, CustomReflectable {
    /// The names of the types that a request passes; their values may be secret.
    public var description: String {
        "TransportChain(\((middlewareNames + ["\(type(of: transport))"]).joined(separator: ", ")))"
    }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
