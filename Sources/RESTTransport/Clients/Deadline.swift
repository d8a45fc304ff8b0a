import Dispatch
import Synchronization

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
            await Alarm().wait(for: request.timeout) ? .timeIsUp : .stopped
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

/// Waits for a time to pass, and leaves nothing behind when it is cancelled before.
///
/// `Task.sleep` leaves its job with the system's queue until the time has passed, even when it is cancelled: some
/// hundred bytes for each request of the last minute.
private final class Alarm: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Bool, Never>, any DispatchSourceTimer)
        case over
    }

    private static let queue = DispatchQueue(label: "RESTTransport.deadlines")
    /// Longer than any process lives, and short enough to be counted in nanoseconds.
    private static let longest = Duration.seconds(10 * 366 * 86_400)

    private let state = Mutex(State.idle)

    /// - Returns: whether the time has passed; `false` when the task was cancelled.
    func wait(for duration: Duration) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { start(after: duration, resuming: $0) }
        } onCancel: {
            end(timeIsUp: false)
        }
    }

    private func start(after duration: Duration, resuming continuation: CheckedContinuation<Bool, Never>) {
        let (seconds, attoseconds) = min(max(duration, .zero), Self.longest).components
        let isOver = state.withLock { state in
            // It may be cancelled before it begins.
            if case .over = state { return true }
            let timer = DispatchSource.makeTimerSource(queue: Self.queue)
            timer.schedule(
                deadline: .now() + .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)))
            timer.setEventHandler { [weak self] in self?.end(timeIsUp: true) }
            timer.activate()
            state = .waiting(continuation, timer)
            return false
        }
        if isOver { continuation.resume(returning: false) }
    }

    private func end(timeIsUp: Bool) {
        let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            defer { state = .over }
            guard case .waiting(let continuation, let timer) = state else { return nil }
            timer.cancel()
            return continuation
        }
        waiting?.resume(returning: timeIsUp)
    }
}
