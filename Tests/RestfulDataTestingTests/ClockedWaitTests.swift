import RestfulData
import RestfulDataTesting
import Testing

/// Waits of the library by the clock of a test.
@MainActor @Suite struct ClockedWaitTests {
    @Test func `A retry waits for Retry-After on the test's clock`() async throws {
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

    @Test func `The outbox continues after a lost reply and a crash of the server`() async throws {
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

    @Test func `A limit of the API waits by the clock`() async throws {
        let clock = TestClock()
        let server = try Notebook.server(clock: clock)
        let limits = RequestLimits(writeSpacing: .seconds(10))
        let store = try Store(.temporary, models: Notebook.models, api: API(server, limits: limits))
        let notes = try await Notebook.Note.fetchAll(in: store.main)
        for note in notes { note.title = "new" }
        try await notes[0].save()
        let second = Task { @MainActor in try await notes[1].save() }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(9))
        #expect(server.exchanges.count == 2 && clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await second.value
        #expect(server.exchanges.count == 3)
    }

    @Test func `A request has all of its time for a limit after the clock has advanced`() async throws {
        let clock = TestClock()
        let server = try Notebook.server(clock: clock)
        let limits = RequestLimits(writeSpacing: .seconds(10))
        let store = try Store(.temporary, models: Notebook.models, api: API(server, limits: limits))
        let notes = try await Notebook.Note.fetchAll(in: store.main)
        for note in notes { note.title = "new" }
        clock.advance(by: .seconds(86_400))
        try await notes[0].save()
        let waiting = Task { await clock.waitForSleepers(1) }
        let second = Task { @MainActor in
            // A save that is refused never sleeps.
            defer { waiting.cancel() }
            try await notes[1].save()
        }
        await waiting.value
        clock.advance(by: .seconds(10))
        try await second.value
        #expect(server.exchanges.count == 3)
    }

    @Test func `The outbox waits by the clock of the store's first API`() async throws {
        let clock = TestClock()
        let server = try Notebook.server(clock: clock)
        let store = try Store(.temporary, models: Notebook.models, api: API(server))
        let note = try await Notebook.Note.fetch(key: 1, in: store.main)
        note.title = "new"
        try await note.save(.queued)
        try server.fail(.status(503, headerFields: ["Retry-After": "60"]))
        store.outbox.start()
        await clock.waitForSleepers(1)
        #expect(server.objects(Notebook.Note.self)[0]["title"]?.string != "new")
        clock.advance(by: .seconds(60))
        for await entries in store.outbox.updates where entries.isEmpty { break }
        #expect(server.objects(Notebook.Note.self)[0]["title"]?.string == "new")
        store.outbox.stop()
    }

    @Test func `Times of an API without a test server follow the clock`() async throws {
        let clock = TestClock()
        let stub = StubTransport(clock: clock, [.on(.get, "/notes", replies: .json("[]"), .json(#"[{"id": 1}]"#))])
        let api = API(
            "https://api.example.com", policy: .ifOlder(than: .seconds(60)), clock: clock, transport: stub)
        let store = try Store(.temporary, models: Notebook.models, api: api)
        #expect(try await Notebook.Note.fetchAll(in: store.main).isEmpty)
        clock.advance(by: .seconds(59))
        #expect(try await Notebook.Note.fetchAll(in: store.main).isEmpty)
        clock.advance(by: .seconds(2))
        #expect(try await Notebook.Note.fetchAll(in: store.main).count == 1)
    }
}
