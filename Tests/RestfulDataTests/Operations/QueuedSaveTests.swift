import Dispatch
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@testable import ObjectStore

/// Operations that wait for the writer behind another: a save behind a reply, a reply behind a save.
@MainActor @Suite struct QueuedSaveTests {
    private let held = HeldTransport()
    private let store: Store

    init() throws {
        store = try Store(.temporary, models: Blog.models, api: API("https://api.example.com", transport: held))
    }

    /// Runs `body` while the writer is blocked: its writes wait in order.
    ///
    /// - Parameter written: is signalled after the waiting writes; without it this only waits for the first write.
    private func whileNothingIsWritten(
        _ written: DispatchSemaphore? = nil, _ body: () async throws -> Void
    ) async throws {
        let gate = DispatchSemaphore(value: 0)
        let hasBegun = AsyncStream.makeStream(of: Void.self)
        let store = store
        let blocking = Task {
            try await store.file.write { writer in
                hasBegun.continuation.finish()
                gate.wait()
                return ((), ChangeSet(writer.schema))
            }
        }
        for await _ in hasBegun.stream {}
        do {
            defer { gate.signal() }
            try await body()
            if let written {
                let last = await begin {
                    try await store.file.write { writer in
                        written.signal()
                        return ((), ChangeSet(writer.schema))
                    }
                }
                _ = last
            }
        }
        if written == nil { try await blocking.value }
    }

    /// Begins something that writes, and gives it the turns to come as far as the writer's queue.
    private func begin(_ operation: @escaping @MainActor () async throws -> Void) async -> Task<Void, any Error> {
        let task = Task { try await operation() }
        // On a busy machine it may begin later: the expectations hold in any order.
        await giveWay()
        return task
    }

    @Test func `Edits saved after the reply to a creation came stay pending`() async throws {
        let post = Post(in: store.main)
        post.title = "A"
        let creating = Task { try await post.create() }
        await held.wait(for: 1)
        var saving: Task<Void, any Error>?
        try await whileNothingIsWritten {
            held.answer(0, .json(#"{"id": 5, "title": "A"}"#, status: 201))
            await giveWay()
            post.title = "B"
            post.text = "Words"
            let main = store.main
            saving = await begin { try await main.save() }
        }
        try await creating.value
        try await saving?.value
        #expect(post.title == "B" && post.text == "Words" && !post.hasChanges)
        #expect(Set(post.unsentProperties) == ["title", "text"])
        #expect(try store.main.query(Post.self).count() == 1)
    }

    /// Every order in which they can come to the writer.
    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]], [0, 1, 2, 3, 4])
    func `An edit survives any order of reply, save and import that unify two rows`(
        _ order: [Int], editedAfter: Int
    ) async throws {
        let post = Post(in: store.main)
        post.title = "A"
        let creating = Task { try await post.create() }
        await held.wait(for: 1)
        var tasks: [Task<Void, any Error>] = []
        let main = store.main
        let (written, isWritten) = (DispatchSemaphore(value: 0), editedAfter == 4)
        try await whileNothingIsWritten(isWritten ? written : nil) {
            for (index, step) in (order + [3]).enumerated() {
                if index == editedAfter { post.text = "Words" }
                switch step {
                case 0:
                    held.answer(0, .json(#"{"id": 5, "title": "A", "text": null}"#, status: 201))
                    await giveWay()
                case 1: tasks.append(await begin { try await main.save() })
                case 2:
                    let body = Array(#"[{"id": 5, "title": "A", "text": null}]"#.utf8)
                    tasks.append(await begin { try await main.import(Post.self, from: body) })
                default: break
                }
            }
        }
        if isWritten {
            // Main is busy until all is written, and edits before it is notified.
            _ = written.hold()
            post.text = "Words"
        }
        try await creating.value
        for task in tasks { try await task.value }
        #expect(post.text == "Words" && post.identifier == 5)
        #expect(post.unsentProperties == ["text"])
        try await main.save()
        #expect(post.unsentProperties == ["text"])
        #expect(try main.query(Post.self).count() == 1)
    }

    @Test func `A save behind an acknowledgement of the same edit doesn't make it pending again`() async throws {
        let body = Array(#"{"id": 5, "title": "Old"}"#.utf8)
        let post = try await store.main.import(Post.self, from: body).objects[0]
        post.title = "A"
        let sending = Task { try await post.save() }
        await held.wait(for: 1)
        var saving: Task<Void, any Error>?
        try await whileNothingIsWritten {
            held.answer(0, .status(204))
            await giveWay()
            let main = store.main
            saving = await begin { try await main.save() }
        }
        try await sending.value
        try await saving?.value
        #expect(post.title == "A" && !post.hasChanges && post.unsentProperties.isEmpty)
    }

    @Test func `An import begun before an acknowledgement doesn't revert it`() async throws {
        let body = Array(#"{"id": 5, "title": "Old"}"#.utf8)
        let main = store.main
        let post = try await main.import(Post.self, from: body).objects[0]
        post.title = "A"
        let sending = Task { try await post.save() }
        await held.wait(for: 1)
        var tasks: [Task<Void, any Error>] = []
        try await whileNothingIsWritten {
            // The question is asked at once, whichever of the two is written first.
            tasks.append(await begin { try await main.import(Post.self, from: body) })
            held.answer(0, .status(204))
            await giveWay()
        }
        try await sending.value
        for task in tasks { try await task.value }
        #expect(post.title == "A" && post.unsentProperties.isEmpty)
    }

    @Test func `A send waits for earlier saves to be written`() async throws {
        let body = Array(#"{"id": 5, "title": "Old"}"#.utf8)
        let post = try await store.main.import(Post.self, from: body).objects[0]
        var tasks: [Task<Void, any Error>] = []
        try await whileNothingIsWritten {
            post.title = "A"
            let main = store.main
            tasks.append(await begin { try await main.save() })
            post.title = "B"
            tasks.append(await begin { try await post.save() })
        }
        await held.wait(for: 1)
        #expect(held.bodies == [#"{"title":"B"}"#])
        held.answer(0, .status(204))
        for task in tasks { try await task.value }
        #expect(post.title == "B" && !post.hasChanges && post.unsentProperties.isEmpty)
    }

    @Test func `A new object deleted while its save waits isn't in the file`() async throws {
        let post = Post(in: store.main)
        post.title = "A"
        var saving: Task<Void, any Error>?
        try await whileNothingIsWritten {
            let main = store.main
            saving = await begin { try await main.save() }
            main.delete(post)
        }
        try await saving?.value
        #expect(post.isDeleted && !store.main.hasChanges)
        #expect(try await store.contents() == "")
    }
}
