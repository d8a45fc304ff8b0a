import Synchronization

/// Runs an operation for at most a request's timeout; a transfer, for as long as its bytes move.
///
/// The operation runs in its own task, off the caller's actor. At the end of the time, or if the calling task is
/// cancelled, it is cancelled and awaited. Within the task of an equal or earlier deadline, it runs directly, because a
/// task costs more than the rest of this module's work for a request.
///
/// - Parameter beginning: The machine's uptime in nanoseconds at which the time began; nil for now.
/// - Returns: The operation's result, even a late one, because a reply may report a creation.
/// - Throws: The operation's error; ``TransportError/Reason/timedOut(after:)`` if the time was over;
///   ``TransportError/Reason/cancelled`` at once if the calling task was cancelled before.
package func withDeadline(
    of request: APIRequest, from beginning: UInt64? = nil,
    _ operation: @escaping @Sendable () async throws(TransportError) -> APIResponse
) async throws(TransportError) -> APIResponse {
    guard !Task.isCancelled else { throw .cancelled(before: request) }
    let end = Alarms.time(after: request.timeout, from: beginning ?? Alarms.time(after: .zero))
    if let running = RunningDeadline.current, running.covers(request, until: end) { return try await operation() }
    let race = Race()
    let task = start(from: #isolation) { () async -> Outcome in
        let outcome = await RunningDeadline.$current.withValue(RunningDeadline(of: request, at: end)) {
            () async -> Outcome in
            do throws(TransportError) { return .success(try await operation()) } catch { return .failure(error) }
        }
        let isInTime = race.end()
        guard case .failure(let error) = outcome, !isInTime else { return outcome }
        return .failure(error.timedOut(request))
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

private struct RunningDeadline: Sendable {
    @TaskLocal static var current: RunningDeadline?

    private let end: UInt64
    private let transfer: ObjectIdentifier?
    private let task: Int

    /// - Parameter end: As the uptime in nanoseconds. The progress of a transfer moves it.
    init(of request: APIRequest, at end: UInt64) {
        self.end = end
        transfer = request.measure
        task = Self.runningTask
    }

    /// Whether this deadline also ends a request in time: only in the task that it cancels, because another one may
    /// outlive it.
    func covers(_ request: APIRequest, until end: UInt64) -> Bool {
        self.end <= end && transfer == request.measure && task == Self.runningTask
    }

    /// Unique during the task's lifetime. Safe: the reference stays within the closure.
    private static var runningTask: Int { unsafe withUnsafeCurrentTask { unsafe $0.map { unsafe $0.hashValue } ?? 0 } }
}

extension APIRequest {
    /// The transfer that resets the timeout; nil if that counts from the start of the request.
    fileprivate var measure: ObjectIdentifier? { isTransfer ? transfer.map { ObjectIdentifier($0) } : nil }
}

/// Rings at the end of a request's time; for a transfer, when no byte has moved for that long.
private final class DeadlineAlarm: Sendable {
    private let timeout: Duration
    private let transfer: Transfer?
    private let ring: @Sendable () -> Void
    /// The alarm's number; nil after its removal.
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
    /// Starts a task on the caller's thread if the system can, because waking another one would take longer than most
    /// of the work for a request. Don't call it on an actor, which it would block.
    package static func begunHere(_ operation: @escaping @Sendable () async -> Success) -> Task {
        guard #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) else {
            return Task { await operation() }
        }
        return Task.immediate { await operation() }
    }
}

private final class Race: Sendable {
    private let isOver = Atomic(false)

    /// - Returns: Whether this call is the first.
    @discardableResult func end() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }
}
