import HTTPTypes

/// Resumes a download after its connection broke, if the server allows it.
///
/// The request then has `Range` and `If-Range` ([RFC 9110 §14.2](https://www.rfc-editor.org/rfc/rfc9110#section-14.2)).
/// A server that has another version by now, or no ranges, sends all of it, and the file begins anew. Only downloads to
/// a file are resumed (``Transfer``), and only where the first reply named its version by a strong `ETag` or an exact
/// `Last-Modified`.
///
/// Every `API` has it. After ten attempts in a row that brought less than 1 MB of new bytes each, the last error is the
/// result. A server that refuses the rest (416) is asked for all of it once more.
public struct ResumeDownloads: Middleware, OccasionalMiddleware {
    private let attempts: Int

    /// Less than this counts as an attempt that brought nothing.
    private static let progress = 1 << 20

    /// Resumes downloads.
    ///
    /// - Parameter attempts: How many attempts in a row may bring less than 1 MB.
    public init(attempts: Int = 10) { self.attempts = max(attempts, 0) }

    /// Whether the reply goes to a file.
    package func acts(on request: APIRequest) -> Bool {
        request.method == .get && request.transfer.map { $0.file != nil } ?? false
    }

    /// Sends the request, and again for the missing bytes.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        guard acts(on: request), let transfer = request.transfer else { return try await next(request) }
        var barren = 0
        var hasStartedOver = false
        while true {
            var attempt = request
            let isResumed = transfer.askForRest(in: &attempt)
            let before = transfer.stored
            do throws(TransportError) {
                var reply = try await next(attempt)
                reply.request = request
                guard isResumed, reply.status == .rangeNotSatisfiable, !hasStartedOver else { return reply }
                // The part is longer than the body is now.
                transfer.startOver()
                hasStartedOver = true
            } catch {
                guard error.reason == .connectionLost, transfer.part != nil else { throw error }
                barren = transfer.stored - before < Self.progress ? barren + 1 : 0
                guard barren <= attempts, !Task.isCancelled else { throw error }
            }
        }
    }
}
