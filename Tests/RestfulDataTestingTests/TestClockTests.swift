import Foundation
import RestfulDataTesting
import Testing

/// The clock that a test moves.
@Suite struct TestClockTests {
    @Test func `It stands still until it is moved, and never goes back`() {
        let clock = TestClock()
        let (start, date) = (clock.now, clock.date)
        clock.advance(by: .milliseconds(1500))
        #expect(start.duration(to: clock.now) == .milliseconds(1500))
        #expect(clock.date.timeIntervalSince(date) == 1.5)
        clock.advance(by: .seconds(-9))
        #expect(start.duration(to: clock.now) == .milliseconds(1500))
    }

    @Test func `It wakes those whose time has come`() async throws {
        let clock = TestClock()
        let early = Task { try await clock.sleep(for: .seconds(1)) }
        let late = Task { try await clock.sleep(for: .seconds(5)) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        try await early.value
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(4))
        try await late.value
        // Whose time is over doesn't wait.
        try await clock.sleep(until: clock.now)
    }

    @Test func `A cancelled task waits no longer`() async {
        let clock = TestClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers(1)
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(clock.sleeperCount == 0)
    }
}
