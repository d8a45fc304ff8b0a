import HTTPTypes
import Instrumentation
public import RESTTransport
public import Tracing

/// Creates a span for each request by [swift-distributed-tracing](https://github.com/apple/swift-distributed-tracing),
/// with the names of OpenTelemetry's [conventions for HTTP
/// clients](https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client-span).
///
/// ```swift
/// import RestfulDataMetrics
///
/// let api = API("https://api.example.com") { Retry(); RequestTracing() }
/// ```
///
/// The span has the kind `client`, the name `GET`, or `GET User` for a model, and the parent `ServiceContext.current`.
/// Its attributes are `http.request.method`, `url.full` with secrets replaced, `server.address`, `server.port`,
/// `http.response.status_code`, `network.protocol.version`, and `restfuldata.model`. Inside ``Retry`` or an
/// authentication provider, `http.request.resend_count` is the number of previous attempts. A status of 400 or above,
/// or an error, sets the span's status to error, and `error.type`. An error is also recorded.
///
/// The tracer's header fields, such as `traceparent`, are sent to the API's own origin only. Stored answers are
/// independent of them.
///
/// Written first, it creates a span for each request of the program; last, for each attempt. An unsent request has the
/// attribute `restfuldata.unsent`: `stored` if the store answered, otherwise `not_stored`.
///
/// If you use your own `HTTPClient` (``AsyncHTTPClientTransport``), set its `configuration.tracing.tracer` to nil: it
/// would create spans, too.
public struct RequestTracing: Middleware {
    private let tracer: (any Tracer)?

    /// Traces requests.
    ///
    /// - Parameter tracer: Creates the spans; nil for the current `InstrumentationSystem.tracer` at each request.
    public init(tracer: (any Tracer)? = nil) { self.tracer = tracer }

    /// Sends the request inside a span.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        guard !request.chainState.isProbe else { return try await next(request) }
        let tracer = tracer ?? InstrumentationSystem.tracer
        let facts = RequestFacts(request)
        let span = tracer.startAnySpan(facts.spanName, ofKind: .client)
        defer { span.end() }
        span.attributes.merge(SpanAttributes(facts.attributes(of: request)))
        var traced = request
        if request.apiOrigin != nil, Origin(request.url) == request.apiOrigin {
            tracer.inject(span.context, into: &traced, using: FieldInjector())
        }
        let outcome = await ServiceContext.$current.withValue(span.context) { [traced] in
            await Self.outcome(of: traced, next)
        }
        note(outcome.mapError { request.seen($0) }, in: span)
        return try outcome.get()
    }

    private static func outcome(
        of request: APIRequest, _ next: Next
    ) async -> Result<APIResponse, TransportError> {
        do throws(TransportError) { return .success(try await next(request)) } catch { return .failure(error) }
    }

    private func note(_ outcome: Result<APIResponse, TransportError>, in span: any Span) {
        switch outcome {
        case .success(let reply) where reply.unsent != nil:
            span.attributes["restfuldata.unsent"] = reply.unsent == .stored ? "stored" : "not_stored"
        case .success(let reply):
            span.attributes["http.response.status_code"] = reply.status.code
            if let version = reply.protocolVersion { span.attributes["network.protocol.version"] = version }
            guard reply.isError else { return }
            span.attributes["error.type"] = outcome.errorType
            span.setStatus(SpanStatus(code: .error))
        case .failure(let error):
            span.attributes["error.type"] = outcome.errorType
            span.recordError(error)
            span.setStatus(SpanStatus(code: .error, message: "\(error.reason)"))
        }
    }
}

/// Writes a span's ids into a request's header fields.
private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into request: inout APIRequest) {
        guard let name = HTTPField.Name(key) else { return }
        request.headerFields[name] = value
        // A redirect to another origin removes credential fields. Other fields stay unmarked: stored answers would
        // depend on them, and they differ in each request.
        if name.isOfRequest { request.credentialFields.insert(name) }
    }
}

extension RequestFacts {
    /// The span's name. The number of different names is small.
    fileprivate var spanName: String {
        let verb = method == "_OTHER" ? "HTTP" : method
        return model.map { "\(verb) \($0)" } ?? verb
    }

    /// The attributes that are known before the request is sent.
    fileprivate func attributes(of request: APIRequest) -> [String: SpanAttribute] {
        var attributes: [String: SpanAttribute] = [
            "http.request.method": method.toSpanAttribute(), "server.address": address.toSpanAttribute(),
            "url.full": RequestSummary(request).url.toSpanAttribute(),
        ]
        if method == "_OTHER" { attributes["http.request.method_original"] = .string(request.method.rawValue) }
        if let port { attributes["server.port"] = port.toSpanAttribute() }
        if let model { attributes["restfuldata.model"] = model.toSpanAttribute() }
        let resends = request.chainState.resends
        if resends > 0 { attributes["http.request.resend_count"] = resends.toSpanAttribute() }
        return attributes
    }
}
