import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// The clock that a test moves.
@Suite struct TestClockTests {
    @Test func `A test clock stands still until advanced and never goes back`() {
        let clock = TestClock()
        let (start, date) = (clock.now, clock.date)
        clock.advance(by: .milliseconds(1500))
        #expect(start.duration(to: clock.now) == .milliseconds(1500))
        #expect(clock.date.timeIntervalSince(date) == 1.5)
        clock.advance(by: .seconds(-9))
        #expect(start.duration(to: clock.now) == .milliseconds(1500))
    }

    private func send(_ path: String, by stub: StubTransport) -> Task<Int, any Error> {
        Task { try await stub.send(try APIRequest(.get, "https://api.example.com" + path)).status.code }
    }

    @Test func `A test clock wakes sleepers whose time has come`() async throws {
        let clock = TestClock()
        let stub = StubTransport(
            clock: clock,
            [
                .on(.get, "/early", replies: .status(201).delayed(by: .seconds(1))),
                .on(.get, "/late", replies: .status(202).delayed(by: .seconds(5))),
                .on(.get, "/now", replies: .status(203).delayed(by: .zero)),
            ])
        let (early, late) = (send("/early", by: stub), send("/late", by: stub))
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        #expect(try await early.value == 201)
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(4))
        #expect(try await late.value == 202)
        #expect(try await send("/now", by: stub).value == 203)
    }

    @Test func `A cancelled task stops sleeping on the test clock`() async {
        let clock = TestClock()
        let stub = StubTransport(clock: clock, [.on(.get, "/", replies: .status(200).delayed(by: .seconds(1)))])
        let task = send("/", by: stub)
        await clock.waitForSleepers(1)
        task.cancel()
        let result = await task.result
        #expect(throws: TransportError.self) { try result.get() }
        #expect(clock.sleeperCount == 0)
    }

    @Test func `A cancelled task waits no longer for sleepers, replies and held replies`() async throws {
        let (clock, server) = (TestClock(), try Notebook.server())
        let tasks = [
            Task { await clock.waitForSleepers(1) }, Task { await server.waitForExchanges(1) },
            Task { await server.waitForHeldReplies(1) },
        ]
        for task in tasks {
            task.cancel()
            await task.value
        }
        // All of them ended before later events.
        try server.fail(.held)
        let request = try APIRequest(.get, "https://api.example.com/notes/1")
        let reply = Task { try await server.send(request).status.code }
        await server.waitForHeldReplies(1)
        await server.waitForExchanges(1)
        server.release()
        #expect(try await reply.value == 200)
    }
}
