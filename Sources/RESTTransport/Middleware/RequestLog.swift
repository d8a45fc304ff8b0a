import HTTPTypes
public import Logging

/// Writes one line to a log for each request: method, URL without secrets, status, milliseconds, bytes.
///
/// Never header fields, never bodies. Placed first, it logs what the program requested; placed last, each attempt.
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
            guard !reply.isUnsent else {
                logger.log(level: level, "\(RequestSummary(request)) → not sent, as an answer that is here will do")
                return reply
            }
            let milliseconds = (time.elapsed() - start).milliseconds
            logger.log(
                level: level,
                "\(RequestSummary(request)) → \(reply.status.code) in \(milliseconds) ms, \(reply.body.count) bytes")
            return reply
        } catch {
            let milliseconds = (time.elapsed() - start).milliseconds
            logger.warning("\(RequestSummary(request)) → no reply after \(milliseconds) ms: \(error.reason)")
            throw error
        }
    }
}
