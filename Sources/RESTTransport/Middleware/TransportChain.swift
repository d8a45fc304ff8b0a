#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A transport wrapped in middleware, as each API has one.
///
/// ```swift
/// let chain = TransportChain(api: baseURL) { BearerToken(token); Retry() }
/// let reply = try await chain.send(APIRequest(.get, "https://api.github.com/user"))
/// ```
///
/// Requests pass the middleware in the order written, then the transport; replies pass them in reverse. The request's
/// timeout covers all of it.
public struct TransportChain: Transport {
    private enum Layer {
        /// Lets the reply pass.
        case edits(any RequestEditing)
        /// Takes part in some requests only.
        case acts(any OccasionalMiddleware)
        case wraps(any Middleware)

        init(_ middleware: any Middleware) {
            self =
                switch middleware {
                case let editing as any RequestEditing: .edits(editing)
                case let occasional as any OccasionalMiddleware: .acts(occasional)
                default: .wraps(middleware)
                }
        }

        var middleware: any Middleware {
            switch self {
            case .edits(let middleware): middleware
            case .acts(let middleware): middleware
            case .wraps(let middleware): middleware
            }
        }
    }

    private let origin: Origin?
    private let layers: [Layer]
    private let transport: any Transport
    private let time: TimeSource

    /// Wraps a transport in middleware.
    ///
    /// - Parameters:
    ///   - api: The API's base URL. Only its origin sees the API's credentials.
    ///   - middleware: The middleware, from the outermost on.
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
        layers = middleware().map { Layer($0) }
    }

    /// Sends a request through the middleware and the transport.
    ///
    /// - Throws: ``TransportError``, also at the timeout or when the task is cancelled. Transport and middleware are
    ///   then cancelled and awaited: one that ignores this delays the call, which returns its late reply.
    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        var request = request.measured
        request.apiOrigin = origin
        request.chainState.elapsed = { [time, start = time.elapsed()] in time.elapsed() - start }
        return try await withDeadline(of: request) { [request] () async throws(TransportError) -> APIResponse in
            try await pass(request, from: 0)
        }
    }

    package var middlewareNames: [String] { layers.map { "\(type(of: $0.middleware))" } }

    /// Each layer that has to do with the reply takes a function's frame.
    private func pass(_ request: APIRequest, from index: Int) async throws(TransportError) -> APIResponse {
        var (request, index) = (request, index)
        while index < layers.count {
            defer { index += 1 }
            let layer: any Middleware
            switch layers[index] {
            case .edits(let editing):
                request = editing.edited(request)
                continue
            case .acts(let occasional):
                guard occasional.acts(on: request) else { continue }
                layer = occasional
            case .wraps(let middleware): layer = middleware
            }
            return try await layer.intercept(request) { [index] request async throws(TransportError) -> APIResponse in
                try await pass(request, from: index + 1)
            }
        }
        return try await transport.send(request)
    }
}

extension TransportChain: CustomStringConvertible, CustomReflectable {
    /// The names of the types that a request passes, without their values.
    public var description: String {
        "TransportChain(\((middlewareNames + ["\(type(of: transport))"]).joined(separator: ", ")))"
    }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
