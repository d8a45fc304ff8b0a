import Dispatch
import Synchronization

/// Calls functions at set times, by one timer of the system.
///
/// Setting and removing an alarm only changes a dictionary, unless it is the next. A timer or `Task.sleep` for each
/// would wake another thread, and stay in the system's queue until its time, even if cancelled.
final class Alarms: Sendable {
    static let shared = Alarms()

    private struct State {
        var lastNumber: UInt64 = 0
        var alarms: [UInt64: (time: UInt64, ring: @Sendable () -> Void)] = [:]
        /// The time of the timer. Its alarm may have been removed.
        var next = UInt64.max
        var timer: (any DispatchSourceTimer)?
    }

    /// Longer than any process lives, and short enough for nanoseconds in 64 bits.
    private static let longest = Duration.seconds(10 * 366 * 86_400)
    private static let queue = DispatchQueue(label: "RESTTransport.alarms")

    private let state = Mutex(State())

    /// The machine's uptime after a duration, in nanoseconds.
    ///
    /// - Parameter start: The uptime at which the duration begins.
    static func time(
        after duration: Duration, from start: UInt64 = DispatchTime.now().uptimeNanoseconds
    ) -> UInt64 {
        let (seconds, attoseconds) = min(max(duration, .zero), longest).components
        return start + UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }

    /// Zero if the end is earlier, as the clocks of two processors differ slightly.
    static func duration(from start: UInt64, to end: UInt64) -> Duration {
        .nanoseconds(end > start ? end - start : 0)
    }

    /// - Parameters:
    ///   - time: See ``time(after:)``.
    ///   - ring: Called once, on the queue of the alarms.
    /// - Returns: The alarm's number.
    func set(at time: UInt64, _ ring: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            state.alarms[state.lastNumber] = (time, ring)
            if time < state.next { schedule(&state, at: time) }
            return state.lastNumber
        }
    }

    /// Removes an alarm. A call that has begun continues.
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

    /// - Parameter now: The uptime in nanoseconds.
    func ringDue(at now: UInt64 = DispatchTime.now().uptimeNanoseconds) {
        let due = state.withLock { state in
            // Several can be due at once. They ring in the order of their times.
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
