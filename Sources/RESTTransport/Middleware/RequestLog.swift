import HTTPTypes
public import Logging

/// Writes one line to a log for each request: method, URL without secrets, status, milliseconds, bytes.
///
/// Never header fields, never bodies. Placed first, it logs what the program requested; placed last, each attempt. A
/// request that the store answered reads `→ from the store`. Equal requests that share one reply are one line.
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
    /// - Parameters:
    ///   - logger: The log.
    ///   - level: The level of requests that got a reply. Those that got none are warnings.
    public init(_ logger: Logger, level: Logger.Level = .debug) {
        self.init(logger, level: level, time: .system)
    }

    package init(_ logger: Logger, level: Logger.Level = .debug, time: TimeSource) {
        self.logger = logger
        self.level = level
        self.time = time
    }

    /// Sends the request and logs what came of it.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        let start = time.elapsed()
        do throws(TransportError) {
            let reply = try await next(request)
            if let outcome = outcome(of: reply, since: start) {
                logger.log(level: level, "\(RequestSummary(request)) → \(outcome)")
            }
            return reply
        } catch {
            let milliseconds = (time.elapsed() - start).milliseconds
            logger.warning("\(RequestSummary(request)) → no reply after \(milliseconds) ms: \(error.reason)")
            throw error
        }
    }

    private func outcome(of reply: APIResponse, since start: Duration) -> String? {
        switch reply.unsent {
        case .stored: return "from the store"
        case .notStored: return "not sent, and the store has no answer"
        case .probe: return nil
        case nil:
            let milliseconds = (time.elapsed() - start).milliseconds
            return "\(reply.status.code) in \(milliseconds) ms, \(reply.body.count) bytes"
        }
    }
}
