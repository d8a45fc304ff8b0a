import HTTPTypes
public import Logging

/// Logs one line for each request: method, URL with secrets replaced, status, milliseconds, bytes.
///
/// Written first, it logs each request of the program; last, each attempt. An answer of the store is
/// `→ from the store`. Requests that share a reply are one line. A reply in pieces is logged after its head.
///
/// ```text
/// GET https://api.github.com/user/repos?page=2 → 200 in 113 ms, 4821 bytes
/// ```
public struct RequestLog: Middleware {
    private let logger: Logger
    private let level: Logger.Level
    private let time: TimeSource

    /// Logs requests.
    ///
    /// - Parameter level: The level of requests with a reply. Failed requests are logged as warnings.
    public init(_ logger: Logger, level: Logger.Level = .debug) {
        self.init(logger, level: level, time: .system)
    }

    package init(_ logger: Logger, level: Logger.Level = .debug, time: TimeSource) {
        self.logger = logger
        self.level = level
        self.time = time
    }

    /// Sends the request, and logs its outcome.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        let start = time.elapsed()
        do throws(TransportError) {
            let reply = try await next(request)
            write(request, .success(reply), after: time.elapsed() - start)
            return reply
        } catch {
            write(request, .failure(request.seen(error)), after: time.elapsed() - start)
            throw error
        }
    }

    /// Omits probes, which stay unsent.
    package func write(
        _ request: APIRequest, _ outcome: Result<APIResponse, TransportError>, after duration: Duration
    ) {
        let line = "\(RequestSummary(request)) → "
        switch outcome {
        case .failure(let error):
            logger.warning("\(line)no reply after \(duration.milliseconds) ms: \(error.reason)")
        case .success(let reply):
            switch reply.unsent {
            case .probe: break
            case .stored: logger.log(level: level, "\(line)from the store")
            case .notStored: logger.log(level: level, "\(line)not sent, and the store has no answer")
            case nil:
                logger.log(
                    level: level,
                    "\(line)\(reply.status.code) in \(duration.milliseconds) ms, \(reply.bodyDescription)")
            }
        }
    }
}
