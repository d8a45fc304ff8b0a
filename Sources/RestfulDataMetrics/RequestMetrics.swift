public import CoreMetrics
import HTTPTypes
public import RESTTransport
import Synchronization

// Metrics and traces are a product of their own, so that only programs that use them depend on swift-metrics and a
// tracer.

/// Measures requests by [swift-metrics](https://github.com/apple/swift-metrics), with the names of OpenTelemetry's
/// [conventions for HTTP clients](https://opentelemetry.io/docs/specs/semconv/http/http-metrics/#http-client).
///
/// ```swift
/// import RestfulDataMetrics
///
/// let api = API("https://api.example.com") { Retry(); RequestMetrics() }
/// ```
///
/// | name | kind | measures |
/// |---|---|---|
/// | `http.client.request.duration` | timer, shown in seconds | each request that ended, with a reply or an error |
/// | `http.client.active_requests` | meter | the requests under way, including those that the store will answer |
/// | `http.client.request.errors` | counter | replies with status 400 and above, and errors |
/// | `restfuldata.client.store_answers` | counter | answers of the store, for which no request was sent |
///
/// The dimensions are `http.request.method`, `server.address` and `server.port`. All except `active_requests` also have
/// `restfuldata.model`. Durations and errors also have `http.response.status_code`, `error.type` and
/// `network.protocol.version`. A missing value is an empty text, as Prometheus requires. Paths and queries are omitted,
/// so values are few.
///
/// Written first, it measures the program's requests; last, inside ``Retry``, each attempt. An answer of the store has
/// no duration and is a success. A cancelled request is an error of the type `cancelled`.
public struct RequestMetrics: Middleware {
    private let factory: (any MetricsFactory)?
    private let active = ActiveRequests()
    private let time: TimeSource

    /// Measures requests.
    ///
    /// - Parameter factory: Creates the metrics; nil for the current `MetricsSystem.factory` at each request.
    public init(factory: (any MetricsFactory)? = nil) {
        self.init(factory: factory, time: .system)
    }

    package init(factory: (any MetricsFactory)?, time: TimeSource) {
        (self.factory, self.time) = (factory, time)
    }

    /// Sends the request and measures it.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        guard !request.chainState.isProbe else { return try await next(request) }
        let factory = factory ?? MetricsSystem.factory
        let facts = RequestFacts(request)
        active.begin(facts, factory)
        defer { active.end(facts) }
        let start = time.elapsed()
        do throws(TransportError) {
            let reply = try await next(request)
            switch reply.unsent {
            case .stored:
                count("restfuldata.client.store_answers", by: facts.dimensions + facts.modelDimension, factory)
            case .notStored, .probe: break
            case nil: record(facts.dimensions(of: .success(reply)), since: start, factory, isError: reply.isError)
            }
            return reply
        } catch {
            let seen = request.seen(error)
            record(facts.dimensions(of: .failure(seen)), since: start, factory, isError: true)
            throw error
        }
    }

    private func record(
        _ dimensions: [(String, String)], since start: Duration, _ factory: any MetricsFactory, isError: Bool
    ) {
        let timer = Timer(
            label: "http.client.request.duration", dimensions: dimensions, preferredDisplayUnit: .seconds,
            factory: factory)
        timer.recordNanoseconds((time.elapsed() - start).nanoseconds)
        if isError { count("http.client.request.errors", by: dimensions, factory) }
    }

    private func count(_ label: String, by dimensions: [(String, String)], _ factory: any MetricsFactory) {
        Counter(label: label, dimensions: dimensions, factory: factory).increment()
    }
}

/// Keeps the meters of the requests under way. If a backend lacks meters, a new meter starts at zero, so the meter that
/// counted up must also count down.
private final class ActiveRequests: Sendable {
    struct Key: Hashable {
        let method: String
        let address: String
        let port: String
    }

    private let meters = Mutex<[Key: (meter: Meter, count: Int)]>([:])

    func begin(_ facts: RequestFacts, _ factory: any MetricsFactory) {
        meters.withLock { meters in
            let new = { Meter(label: "http.client.active_requests", dimensions: facts.dimensions, factory: factory) }
            let (meter, count) = meters[Key(facts)] ?? (new(), 0)
            meter.increment()
            meters[Key(facts)] = (meter, count + 1)
        }
    }

    func end(_ facts: RequestFacts) {
        meters.withLock { meters in
            guard let (meter, count) = meters[Key(facts)] else { return }
            meter.decrement()
            meters[Key(facts)] = count > 1 ? (meter, count - 1) : nil
        }
    }
}

extension ActiveRequests.Key {
    fileprivate init(_ facts: RequestFacts) {
        self.init(method: facts.method, address: facts.address, port: facts.portText)
    }
}

extension RequestFacts {
    fileprivate var dimensions: [(String, String)] {
        [("http.request.method", method), ("server.address", address), ("server.port", portText)]
    }

    fileprivate var portText: String { port.map { "\($0)" } ?? "" }

    fileprivate var modelDimension: [(String, String)] { [("restfuldata.model", model ?? "")] }

    fileprivate func dimensions(of outcome: Result<APIResponse, TransportError>) -> [(String, String)] {
        let reply = try? outcome.get()
        return dimensions + modelDimension + [
            ("http.response.status_code", reply.map { "\($0.status.code)" } ?? ""),
            ("error.type", outcome.errorType ?? ""),
            ("network.protocol.version", reply?.protocolVersion ?? ""),
        ]
    }
}

extension Duration {
    /// Whole nanoseconds, limited to 366 days.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(366 * 86_400)).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
