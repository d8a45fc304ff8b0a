import Dispatch
import RestfulData
import RestfulDataTesting
import Testing

/// A cancelled task: committed changes, and the server's, are in all contexts.
@MainActor @Suite(.timeLimit(.minutes(10))) struct CancellationTests {
    private let task = Box<Task<Void, any Error>?>(nil)

    /// Answers once the task that asks is cancelled: the reply comes all the same.
    private func service(_ reply: StubTransport.Reply) throws -> Service {
        let task = task
        return try Service(
            [Buoy.self],
            stub: StubTransport { _ in
                task.value?.cancel()
                return reply
            })
    }

    /// Runs a request, and cancels its task while the server answers.
    private func run(_ request: @escaping @MainActor () async throws -> Void) async {
        let running = Task { try await request() }
        task.value = running
        _ = await running.result
        #expect(running.isCancelled)
    }

    // MARK: Changes made by the server

    @Test(arguments: [
        StubTransport.Reply.json(#"{"id": 7, "name": "north", "note": "Mine", "depth": 3}"#, status: 201),
        .status(201, headerFields: [.location: "/buoys/north"]), .status(204),
    ])
    func `A cancelled creation is stored if its reply came`(_ reply: StubTransport.Reply) async throws {
        let service = try service(reply)
        let buoy = Buoy(in: service.main)
        buoy.name = "north"
        buoy.note = "Mine"
        await run { try await buoy.create() }
        #expect(!buoy.isInserted && !buoy.hasChanges && buoy.unsentProperties.isEmpty)
        #expect(buoy.identifier == (reply.body.isEmpty ? nil : 7))
        #expect(try await !service.store.contents().contains("unsent"))
        #expect(try service.main.query(Buoy.self).count() == 1)
    }

    @Test(arguments: [StubTransport.Reply.json(#"{"id": 7, "name": "north", "depth": 3}"#), .status(204)])
    func `A cancelled save is stored if its reply came`(_ reply: StubTransport.Reply) async throws {
        let service = try service(reply)
        let buoy = try await service.imported(Buoy.self, #"{"id": 7, "name": "north", "note": "Old"}"#)
        buoy.note = "New"
        await run { try await buoy.save() }
        #expect(buoy.note == "New" && !buoy.hasChanges && buoy.unsentProperties.isEmpty)
        #expect(buoy.depth == (reply.body.isEmpty ? nil : 3))
        #expect(try await service.store.contents().contains("note = \"New\"\n"))
    }

    @Test func `A reader that fails by a cancellation leaves the outcome of a save unknown`() async throws {
        let service = try Service([Buoy.self], stub: StubTransport { _ in .json("{}") })
        let buoy = try await service.imported(Buoy.self, #"{"id": 7, "name": "north", "note": "Old"}"#)
        buoy.note = "New"
        let reader = ReplyReader(response: { _ in throw APIError.store(.cancelled) })
        let error = await failure { try await buoy.save(with: { $0.reading = reader }) }
        guard case .unread? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        buoy.note = "Old"
        #expect(buoy.unsentProperties == ["note"])
    }

    @Test func `A cancelled deletion is stored if its reply came`() async throws {
        let service = try service(.status(204))
        let buoy = try await service.imported(Buoy.self, #"{"id": 7, "name": "north"}"#)
        await run { try await buoy.delete() }
        #expect(buoy.isDeleted)
        #expect(try service.main.query(Buoy.self).count() == 0)
    }

    @Test func `A cancelled deletion of a whole collection is stored if its reply came`() async throws {
        let service = try service(.status(204))
        let buoy = try await service.imported(Buoy.self, #"{"id": 7, "name": "north"}"#)
        await run { _ = try await Buoy.deleteAll(in: service.main) }
        #expect(buoy.isDeleted)
        #expect(try service.main.query(Buoy.self).count() == 0)
    }

    @Test func `A cancelled action discards the object's validator if its reply came`() async throws {
        var conventions = APIConventions.default
        conventions.conditionalWrites = .entityTags
        let task = task
        let stub = StubTransport { request in
            guard request.method == .post else {
                return .json(#"{"id": 7, "name": "north"}"#, headerFields: [.eTag: "\"1\""])
            }
            task.value?.cancel()
            return .status(204)
        }
        let service = try Service([Buoy.self], conventions: conventions, stub: stub)
        let buoy = try await Buoy.fetch(key: "north", in: service.main)
        await run { _ = try await buoy.send(.post, "/buoys/:name/paint") }
        buoy.note = "A"
        try await buoy.save()
        #expect(stub.requests.map { $0.headerFields[.ifMatch] } == [nil, nil, nil])
    }

    // MARK: Committed changes

    /// The task is cancelled when its transaction has ended and the main context hasn't been notified.
    @Test func `A commit of a cancelled task is merged into every context`() async throws {
        let gate = Gate()
        let next = DispatchSemaphore(value: 0)
        let service = try Service(
            [Buoy.self],
            values: .marking { text in
                if text == "first" { gate.pass() } else { next.signal() }
            }, stub: StubTransport([:]))
        let buoy = try await service.imported(Buoy.self, #"{"id": 7, "name": "north", "note": "Old"}"#)
        let (main, store) = (service.main, service.store)
        let importing = Task {
            _ = try await main.import(Buoy.self, from: Array(#"{"id": 7, "note": "New", "mark": "first"}"#.utf8))
        }
        await gate.waitForArrival()
        // This actor is blocked from now on, so nothing is merged until the task is cancelled.
        let following = Task.detached {
            try await store.background { context in
                _ = try await context.import(Buoy.self, from: Array(#"{"id": 8, "mark": "second"}"#.utf8))
            }
        }
        gate.open()
        #expect(next.hold(), "the second transaction, and so the first one's commit")
        #expect(buoy.note == "Old")
        importing.cancel()
        _ = await importing.result
        #expect(buoy.note == "New")
        try await following.value
        #expect(try main.query(Buoy.self).count() == 2)
    }

    @Test func `A transaction cancelled while it runs is in every context or in none`() async throws {
        let task = task
        let service = try Service(
            [Buoy.self], values: .marking { _ in task.value?.cancel() }, stub: StubTransport([:]))
        let buoy = try await service.imported(Buoy.self, #"{"id": 7, "name": "north", "note": "Old"}"#)
        let main = service.main
        let importing = Task { () async throws in
            _ = try await main.import(
                Buoy.self, from: Array(#"[{"id": 7, "note": "New", "mark": "x"}, {"id": 8, "name": "south"}]"#.utf8))
        }
        task.value = importing
        let result = await importing.result
        let isStored = try await service.store.contents().contains("New")
        #expect(buoy.note == (isStored ? "New" : "Old"))
        #expect(try main.query(Buoy.self).count() == (isStored ? 2 : 1))
        switch result {
        case .success: #expect(isStored)
        case .failure(StoreError.cancelled): break
        case .failure(let error): Testing.Issue.record("\(error)")
        }
    }
}
