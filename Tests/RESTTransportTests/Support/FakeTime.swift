import RESTTransport
import Synchronization

/// A clock that advances only with each sleep, and a chance that is always the same.
final class FakeTime: Sendable {
    private let state = Mutex<(now: Duration, sleeps: [Duration])>((.zero, []))
    private let chance: Double
    private let localTime: Int

    init(chance: Double = 0.5, localTime: Int = 1_000_000) {
        self.chance = chance
        self.localTime = localTime
    }

    /// The sleeps so far.
    var sleeps: [Duration] { state.withLock(\.sleeps) }

    /// Lets time pass.
    func advance(by duration: Duration) { state.withLock { $0.now += duration } }

    var source: TimeSource {
        TimeSource(
            elapsed: { self.state.withLock(\.now) },
            localTime: { self.localTime + Int(self.state.withLock(\.now).components.seconds) },
            exactLocalTime: { Double(self.localTime) + self.state.withLock(\.now) / .seconds(1) },
            sleep: { duration in
                try Task.checkCancellation()
                self.state.withLock {
                    $0.now += duration
                    $0.sleeps.append(duration)
                }
            },
            fraction: { self.chance })
    }
}
