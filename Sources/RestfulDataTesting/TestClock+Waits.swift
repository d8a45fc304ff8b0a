public import RestfulData

extension TestClock {
    /// The clock for timed waits. Random waits are half of their maximum, and a server's times are kept exactly.
    var timeSource: TimeSource {
        TimeSource(
            elapsed: { self.now.offset }, localTime: { Int(self.seconds) }, exactLocalTime: { self.seconds },
            sleep: { try await self.sleep(for: $0) }, fraction: { 0.5 }, spread: { 0 })
    }
}

extension Retry {
    /// Creates a retry middleware whose waits use the clock of a test. Random waits are half of their maximum.
    ///
    /// - Parameters:
    ///   - attempts: The most attempts, including the first; at least 1.
    ///   - firstDelay: The upper bound of the first wait, if the server leaves it open.
    ///   - longestDelay: The upper bound of all waits, if the server leaves them open.
    public init(
        attempts: Int = 4, firstDelay: Duration = .milliseconds(200), longestDelay: Duration = .seconds(20),
        clock: TestClock
    ) {
        self.init(attempts: attempts, firstDelay: firstDelay, longestDelay: longestDelay, time: clock.timeSource)
    }
}
