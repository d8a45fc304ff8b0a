/// Runs an operation for at most a request's timeout.
///
/// The operation runs in a child task, off the caller's actor. When time is up, or the calling task is cancelled, it is
/// cancelled and awaited, so that nothing of it is left running.
///
/// - Returns: What the operation returned, if it did so in time.
/// - Throws: What the operation threw; ``TransportError/Reason/timedOut(after:)`` when time was up;
///   ``TransportError/Reason/cancelled`` at once when the calling task was cancelled before.
package func withDeadline(
    of request: APIRequest,
    _ operation: @escaping @Sendable () async throws(TransportError) -> APIResponse
) async throws(TransportError) -> APIResponse {
    guard !Task.isCancelled else { throw TransportError(.cancelled, request) }
    let result = await withTaskGroup(of: Outcome.self) { group in
        group.addTask {
            do throws(TransportError) {
                return .finished(.success(try await operation()))
            } catch {
                return .finished(.failure(error))
            }
        }
        group.addTask {
            do {
                try await Task.sleep(for: request.timeout)
                return .timeIsUp
            } catch {
                return .stopped
            }
        }
        defer { group.cancelAll() }
        for await outcome in group {
            switch outcome {
            case .finished(let result): return result
            case .timeIsUp: return .failure(TransportError(.timedOut(after: request.timeout), request))
            case .stopped: continue  // The caller was cancelled; the operation is about to end with that.
            }
        }
        return .failure(TransportError(.cancelled, request))
    }
    return try result.get()
}

private enum Outcome: Sendable {
    case finished(Result<APIResponse, TransportError>)
    case timeIsUp
    case stopped
}
