import Synchronization

/// Runs an operation for at most a request's timeout; a transfer, for as long as its bytes move.
///
/// The operation runs in a task of its own, off the caller's actor. When time is up, or the calling task is cancelled,
/// it is cancelled and awaited, so that nothing of it is left running: with a transport that does not end when it is
/// cancelled, that takes longer. Within the task of another deadline that ends no later, the operation runs as it is: a
/// task costs more than all else that this module does for a request.
///
/// - Parameter beginning: The nanoseconds that the machine had run when the time began; nil for now.
/// - Returns: What the operation returned; also after the time was up, as who has waited for a reply, which may say
///   that something was created, has more of it than of an error.
/// - Throws: What the operation threw; ``TransportError/Reason/timedOut(after:)`` when time was up;
///   ``TransportError/Reason/cancelled`` at once when the calling task was cancelled before.
package func withDeadline(
    of request: APIRequest, from beginning: UInt64? = nil,
    _ operation: @escaping @Sendable () async throws(TransportError) -> APIResponse
) async throws(TransportError) -> APIResponse {
    guard !Task.isCancelled else { throw TransportError(.cancelled, request) }
    let end = Alarms.time(after: request.timeout, from: beginning ?? Alarms.time(after: .zero))
    if let running = RunningDeadline.current, running.covers(request, until: end) { return try await operation() }
    let race = Race()
    let task = start(from: #isolation) { () async -> Outcome in
        let outcome = await RunningDeadline.$current.withValue(RunningDeadline(of: request, at: end)) {
            () async -> Outcome in
            do throws(TransportError) { return .success(try await operation()) } catch { return .failure(error) }
        }
        let isInTime = race.end()
        guard case .failure = outcome, !isInTime else { return outcome }
        return .failure(TransportError(.timedOut(after: request.timeout), request))
    }
    let alarm = DeadlineAlarm(of: request) { if race.end() { task.cancel() } }
    alarm.set(at: end)
    let result = await withTaskCancellationHandler {
        await task.value
    } onCancel: {
        task.cancel()
    }
    alarm.remove()
    return try result.get()
}

/// The deadline of the running task.
private struct RunningDeadline: Sendable {
    @TaskLocal static var current: RunningDeadline?

    private let end: UInt64
    private let transfer: ObjectIdentifier?
    private let task: Int

    /// - Parameter end: When a request that is no transfer has to end, in nanoseconds since the machine started.
    init(of request: APIRequest, at end: UInt64) {
        self.end = end
        transfer = request.measure
        task = Self.runningTask
    }

    /// Whether a request ends in time by this deadline alone.
    ///
    /// Only in the task that the deadline cancels: another one may outlive it.
    func covers(_ request: APIRequest, until end: UInt64) -> Bool {
        self.end <= end && transfer == request.measure && task == Self.runningTask
    }

    /// A number of the running task, which no other task has meanwhile.
    private static var runningTask: Int { unsafe withUnsafeCurrentTask { unsafe $0.map { unsafe $0.hashValue } ?? 0 } }
}

extension APIRequest {
    /// What a timeout counts from: the bytes of this transfer, or, where it is nil, the request's start.
    fileprivate var measure: ObjectIdentifier? { isTransfer ? transfer.map { ObjectIdentifier($0) } : nil }
}

/// Rings when a request's time is up: for a transfer, when nothing has moved for that long.
private final class DeadlineAlarm: Sendable {
    private let timeout: Duration
    private let transfer: Transfer?
    private let ring: @Sendable () -> Void
    /// The number of the alarm that is set; nil once it was removed.
    private let number = Mutex<UInt64?>(0)

    init(of request: APIRequest, _ ring: @escaping @Sendable () -> Void) {
        timeout = request.timeout
        transfer = request.isTransfer ? request.transfer : nil
        self.ring = ring
    }

    func set(at time: UInt64) {
        number.withLock { number in
            guard number != nil else { return }
            number = Alarms.shared.set(at: time) { self.come() }
        }
    }

    func remove() {
        number.withLock { number in
            if let set = number { Alarms.shared.remove(set) }
            number = nil
        }
    }

    private func come() {
        guard let rest = transfer?.rest(of: timeout, at: Alarms.time(after: .zero)), rest > .zero else { return ring() }
        set(at: Alarms.time(after: rest))
    }
}

private func start(
    from actor: (any Actor)?, _ operation: @escaping @Sendable () async -> Outcome
) -> Task<Outcome, Never> {
    actor == nil ? Task.begunHere(operation) : Task { await operation() }
}

private typealias Outcome = Result<APIResponse, TransportError>

extension Task where Failure == Never {
    /// Starts a task on the caller's thread, where the system can do so, as to wake another takes longer than most of
    /// what is done for a request. Not for a caller on an actor, whom it would keep.
    package static func begunHere(_ operation: @escaping @Sendable () async -> Success) -> Task {
        guard #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) else {
            return Task { await operation() }
        }
        return Task.immediate { await operation() }
    }
}

/// Whoever comes to its end first has won.
private final class Race: Sendable {
    private let isOver = Atomic(false)

    /// - Returns: whether it is the first.
    @discardableResult func end() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }
}
