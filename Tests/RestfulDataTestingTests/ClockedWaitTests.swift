import RestfulData
import RestfulDataTesting
import Testing

/// Waits of the library by the clock of a test.
@MainActor @Suite struct ClockedWaitTests {
    @Test func `A retry waits as long as the server says`() async throws {
        let clock = TestClock()
        let server = try Notebook.server(clock: clock)
        try server.fail(.status(503, headerFields: ["Retry-After": "5"]))
        let api = API(server) { Retry(clock: clock) }
        let store = try Store(.temporary, models: Notebook.models, api: api)
        let notes = Task { @MainActor in try await Notebook.Note.fetchAll(in: store.main).count }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(4))
        #expect(server.exchanges.count == 1 && clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        #expect(try await notes.value == 3)
        #expect(server.exchanges.map(\.reply.status) == [503, 200])
    }

    @Test func `The outbox goes on after a lost reply and a crash`() async throws {
        let server = try Notebook.server()
        let store = try Store(.temporary, models: Notebook.models, api: API(server))
        for title in ["A", "B"] {
            let note = try await Notebook.Note.fetch(key: title == "A" ? 1 : 2, in: store.main)
            note.title = title
            try await note.save(.queued)
        }
        server.crash(afterWrites: 1)
        _ = await store.outbox.drain()
        #expect(server.isDown)
        server.restart()
        _ = await store.outbox.drain()
        #expect(server.objects(Notebook.Note.self).compactMap { $0["title"]?.string } == ["A", "B", "n3"])
        #expect(try await store.outbox.entries().isEmpty)
    }
}
