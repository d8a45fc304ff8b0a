public import RestfulData

// What of the library waits by a clock that a test moves. The rest has the machine's own.

extension TestClock {
    /// The clock, for what waits by one. Random waits are half as long as they may be.
    var timeSource: TimeSource {
        TimeSource(
            elapsed: { self.now.offset }, localTime: { Int(self.seconds) }, exactLocalTime: { self.seconds },
            sleep: { try await self.sleep(for: $0) }, fraction: { 0.5 })
    }
}

extension Retry {
    /// Retries whose waits go by a clock that a test moves. Waits of random length are half as long as they may be.
    ///
    /// ```swift
    /// let clock = TestClock()
    /// let api = API(server) { Retry(clock: clock) }
    /// try server.fail(.status(503, headerFields: ["Retry-After": "5"]))
    /// async let issues = Issue.fetchAll(in: store.main)
    /// await clock.waitForSleepers(1)
    /// clock.advance(by: .seconds(5))
    /// ```
    ///
    /// - Parameters:
    ///   - attempts: How often a request is sent at most, the first time included; at least 1.
    ///   - firstDelay: The upper bound of the first wait if the server specifies none.
    ///   - longestDelay: The upper bound of all waits if the server specifies none.
    ///   - clock: The clock.
    public init(
        attempts: Int = 4, firstDelay: Duration = .milliseconds(200), longestDelay: Duration = .seconds(20),
        clock: TestClock
    ) {
        self.init(attempts: attempts, firstDelay: firstDelay, longestDelay: longestDelay, time: clock.timeSource)
    }
}
