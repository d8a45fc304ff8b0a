import HTTPTypes

/// Resumes a download after its connection broke, if the server allows it.
///
/// The request for the rest has `Range` and `If-Range`
/// ([RFC 9110 §14.2](https://www.rfc-editor.org/rfc/rfc9110#section-14.2)). If the server has a new version, or lacks
/// ranges, the file is written anew. A part of another version ends the download with
/// ``TransportError/Reason/malformedResponse(_:)``, and the next one begins anew. Only downloads to a file
/// (``Transfer``), without a `Range` of their own, are resumed. The first reply needs a strong `ETag` or an exact
/// `Last-Modified`.
///
/// Every `API` includes this middleware. After more than ten attempts in a row with less than 1 MB (2²⁰ bytes) each,
/// the last error is thrown. After a 416, the whole file is requested once more.
public struct ResumeDownloads: Middleware, OccasionalMiddleware {
    private let attempts: Int

    /// In bytes. An attempt that brings fewer counts as failed.
    private static let progress = 1 << 20

    /// Resumes downloads.
    ///
    /// - Parameter attempts: The most attempts in a row that may bring less than 1 MB.
    public init(attempts: Int = 10) { self.attempts = max(attempts, 0) }

    /// A range of the caller's own can't be continued.
    package func acts(on request: APIRequest) -> Bool {
        request.method == .get && request.headerFields[.range] == nil
            && request.transfer.map { $0.file != nil } ?? false
    }

    /// Sends the request, and requests the missing bytes after a broken connection.
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
                // The server's present file is shorter than the part.
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
