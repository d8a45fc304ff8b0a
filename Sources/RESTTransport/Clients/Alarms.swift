import Dispatch
import Synchronization

/// Calls functions when their time has come, by one timer of the system's for all of them.
///
/// To set and to remove one is to write into a dictionary, as long as it isn't the next: a timer of its own, or
/// `Task.sleep`, wakes another thread for each, and leaves its job with the system's queue until the time has passed,
/// even when it is cancelled.
final class Alarms: Sendable {
    static let shared = Alarms()

    private struct State {
        var lastNumber: UInt64 = 0
        var alarms: [UInt64: (time: UInt64, ring: @Sendable () -> Void)] = [:]
        /// When the timer goes off; that alarm may be gone by then.
        var next = UInt64.max
        var timer: (any DispatchSourceTimer)?
    }

    /// Longer than any process lives, and short enough to be counted in nanoseconds.
    private static let longest = Duration.seconds(10 * 366 * 86_400)
    private static let queue = DispatchQueue(label: "RESTTransport.alarms")

    private let state = Mutex(State())

    /// The nanoseconds that the machine will have run once some time has passed.
    ///
    /// - Parameter start: The nanoseconds that it has run when the time begins.
    static func time(
        after duration: Duration, from start: UInt64 = DispatchTime.now().uptimeNanoseconds
    ) -> UInt64 {
        let (seconds, attoseconds) = min(max(duration, .zero), longest).components
        return start + UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }

    /// The time between two times, or zero if the second is earlier, as clocks of two processors may differ a little.
    static func duration(from start: UInt64, to end: UInt64) -> Duration {
        .nanoseconds(end > start ? end - start : 0)
    }

    /// - Parameters:
    ///   - time: when it is called; see ``time(after:)``.
    ///   - ring: is called once, on a queue of this.
    /// - Returns: its number.
    func set(at time: UInt64, _ ring: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            state.alarms[state.lastNumber] = (time, ring)
            if time < state.next { schedule(&state, at: time) }
            return state.lastNumber
        }
    }

    /// It is not called any more, unless that has begun.
    func remove(_ number: UInt64) { state.withLock { _ = $0.alarms.removeValue(forKey: number) } }

    private func schedule(_ state: inout State, at time: UInt64) {
        state.next = time
        if state.timer == nil {
            let timer = DispatchSource.makeTimerSource(queue: Self.queue)
            timer.setEventHandler { [weak self] in self?.ringDue() }
            timer.activate()
            state.timer = timer
        }
        state.timer?.schedule(deadline: DispatchTime(uptimeNanoseconds: time))
    }

    /// Rings those whose time has come.
    ///
    /// - Parameter now: the nanoseconds that the machine has run.
    func ringDue(at now: UInt64 = DispatchTime.now().uptimeNanoseconds) {
        let due = state.withLock { state in
            // A busy machine finds several due at once: they ring in the order of their times all the same.
            let due = state.alarms.filter { $0.value.time <= now }
                .sorted { ($0.value.time, $0.key) < ($1.value.time, $1.key) }
            for (number, _) in due { state.alarms[number] = nil }
            state.next = .max
            if let next = state.alarms.values.map(\.time).min() { schedule(&state, at: next) }
            return due.map(\.value.ring)
        }
        for ring in due { ring() }
    }
}
