public import Foundation
import Synchronization

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = TestClock()
/// let server = try TestServer(models: [Issue.self], clock: clock)
/// server.fail(.latency(.seconds(3)))
/// async let issues = Issue.fetchAll(in: store.main)
/// await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(3))
/// ```
public final class TestClock: Clock, Sendable {
    /// An instant of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock's creation.
        public let offset: Duration

        /// Creates the instant at an offset from the clock's creation.
        public init(offset: Duration) { self.offset = offset }

        /// The instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// The duration until another instant.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether an instant is before another.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let number: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
        var waiters = CountWaiters()
        var lastNumber = 0
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    /// The date of a new clock, in seconds since 1970: 2027-01-15 08:00 UTC.
    static let epoch = 1_800_000_000.0

    /// Creates a clock at 2027-01-15 08:00 UTC.
    public init() {}

    /// The current instant.
    public var now: Instant { state.withLock(\.now) }

    /// The current date of the clock, at most the end of the year 9999.
    public var date: Date { Date(timeIntervalSince1970: seconds) }

    /// Seconds since 1970. The last year in HTTP is 9999.
    var seconds: Double { min(Self.epoch + now.offset.seconds, 253_402_300_799) }

    /// Zero: the clock is as precise as `Duration`.
    public var minimumResolution: Duration { .zero }

    /// Advances the clock and wakes the tasks that are due, the earliest first. A negative duration has no effect.
    ///
    /// Woken tasks go on after this returns. If one sleeps again, its time counts from the new instant, so advance in
    /// steps:
    ///
    /// ```swift
    /// clock.advance(by: .seconds(1))
    /// await clock.waitForSleepers(1)                          // it sleeps again
    /// clock.advance(by: .seconds(1))
    /// ```
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: max(duration, .zero))
            let woken = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return woken
        }
        for sleeper in woken.sorted(by: { ($0.deadline, $0.number) < ($1.deadline, $1.number) }) {
            sleeper.continuation.resume()
        }
    }

    /// Waits until the clock reaches an instant.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        defer { _ = state.withLock { $0.cancelled.remove(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let sleeper = Sleeper(number: number, deadline: deadline, continuation: continuation)
                begin(sleeper)
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                state.cancelled.insert(number)
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else { return nil }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func begin(_ sleeper: Sleeper) {
        enum Outcome { case waits, ends, isCancelled }
        let (outcome, waiters) = state.withLock { state -> (Outcome, [CheckedContinuation<Void, Never>]) in
            if state.cancelled.remove(sleeper.number) != nil { return (.isCancelled, []) }
            guard sleeper.deadline > state.now else { return (.ends, []) }
            state.sleepers.append(sleeper)
            return (.waits, state.waiters.take(at: state.sleepers.count))
        }
        switch outcome {
        case .waits: break
        case .ends: sleeper.continuation.resume()
        case .isCancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The number of tasks that wait for the clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Waits until `count` tasks wait for the clock. Returns early if the calling task is cancelled.
    public func waitForSleepers(_ count: Int) async {
        await CountWaiters.wait(for: count) { change in
            self.state.withLock { state in
                let current = state.sleepers.count
                return change(&state.waiters, current)
            }
        }
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

extension TestClock {
    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    ///
    /// - Parameter seconds: Seconds since 1970.
    static func httpDate(_ seconds: Double) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.weekday, .day, .month, .year, .hour, .minute, .second], from: Date(timeIntervalSince1970: seconds))
        func digits(_ number: Int?, _ count: Int = 2) -> String {
            let text = "\(number ?? 0)"
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let date = [
            digits(parts.day), months[((parts.month ?? 1) - 1) % 12], digits(parts.year, 4),
            [parts.hour, parts.minute, parts.second].map { digits($0) }.joined(separator: ":"),
        ]
        return "\(days[((parts.weekday ?? 1) - 1) % 7]), \(date.joined(separator: " ")) GMT"
    }
}
