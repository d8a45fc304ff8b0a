import Dispatch
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// When contexts see commits, and which calls wait for that.
@MainActor
@Suite struct DeliveryTests {
    @Test func `A save doesn't wait for a busy context`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(try await store.main.take(User.self, #"{"id": 1, "login": "old"}"#).objects.first)
        await endStep(store)
        #expect(whileMainIsBusy(store) { try $0.find(User.self, 1)?.login = "new" })
        #expect(whileMainIsBusy(store) { _ = try await $0.take(User.self, #"{"id": 2}"#) })
        #expect(try store.main.query(User.self).count() == 2)
        #expect(user.login == "new")
    }

    @Test func `A context merges commits without being awaited`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(try await store.main.take(User.self, #"{"id": 1, "login": "old"}"#).objects.first)
        await Task.detached { _ = try? await store.takeElsewhere(User.self, #"{"id": 1, "login": "new"}"#) }.value
        await until { user.login == "new" }
    }

    @Test func `A cancelled task still sees its own commit`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(try await store.main.take(User.self, #"{"id": 1, "login": "old"}"#).objects.first)
        let (started, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let task = Task {
            _ = try? await store.main.write { writer in
                let (_, changes) = try Importer.run(#"{"id": 1, "login": "new"}"#, of: User.self, with: writer)
                started.signal()
                gate.wait()
                return ((), changes)
            }
            return user.login
        }
        await wait(for: started)
        task.cancel()
        gate.signal()
        let seen = await task.value
        #expect(try Database(store.path).value("SELECT login FROM user") == seen)
    }

    @Test func `A cancelled import throws and writes nothing`() async throws {
        let store = try Store(of: World.models)
        let (started, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let blocking = Task.detached {
            try await store.file.write { writer in
                started.signal()
                gate.wait()
                return ((), ChangeSet(writer.schema))
            }
        }
        await wait(for: started)
        let users = (1...1000).map { "{\"id\": \($0)}" }.joined(separator: ",")
        let waiting = Task { _ = try await store.main.take(User.self, "[\(users)]") }
        await giveWay()
        waiting.cancel()
        gate.signal()
        try await blocking.value
        await #expect { try await waiting.value } throws: { error in
            guard case .cancelled? = error as? StoreError else { return false }
            return true
        }
        #expect(try store.main.query(User.self).count() == 0)
    }

    @Test func `An import cancelled while it runs is rolled back`() async throws {
        let store = try Store(of: World.models)
        await #expect {
            try await store.file.write { writer in
                writer.stop.cancel()
                let users = (1...200).map { "{\"id\": \($0)}" }.joined(separator: ",")
                return ((), try Importer.run("[\(users)]", of: User.self, with: writer).1)
            }
        } throws: { error in
            guard case .cancelled? = error as? StoreError else { return false }
            return true
        }
        #expect(try store.main.query(User.self).count() == 0)
    }

    @Test(arguments: [#"{"labels": [LIST], "id": 1}"#, #"{"label_ids": [IDS], "id": 1}"#])
    func `An import cancelled while it reads a list within an object is rolled back`(_ body: String) async throws {
        try await expectCancellation(of: body, Issue.self)
    }

    @Test func `An import cancelled while it reads embedded objects is rolled back`() async throws {
        try await expectCancellation(of: #"{"phones": [LIST], "id": 1}"#, Customer.self)
    }

    /// - Parameter body: JSON, in which `LIST` stands for 100 objects and `IDS` for 100 numbers.
    private func expectCancellation<M: Model>(of body: String, _ type: M.Type) async throws {
        let store = try Store(of: World.models + [Customer.self, Address.self, Phone.self, Line.self, Country.self])
        let objects = (1...100).map { "{\"id\": \($0), \"number\": \"\($0)\"}" }.joined(separator: ",")
        let json = body.replacing("LIST", with: objects)
            .replacing("IDS", with: (1...100).map { "\($0)" }.joined(separator: ","))
        await #expect {
            try await store.file.write { writer in
                writer.stop.cancel()
                return ((), try Importer.run(json, of: type, with: writer).1)
            }
        } throws: { error in
            guard case .cancelled? = error as? StoreError else { return false }
            return true
        }
        #expect(try store.main.query(M.self).count() == 0)
    }

    @Test func `An import whose store is closed meanwhile throws, and its rows are stored`() async throws {
        let store = try Store(of: World.models)
        let (started, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let blocking = Task.detached {
            try await store.file.write { writer in
                started.signal()
                gate.wait()
                return ((), ChangeSet(writer.schema))
            }
        }
        await wait(for: started)
        let main = store.main
        let waiting = Task { try await main.take(User.self, #"[{"id": 1}]"#).objects.count }
        await giveWay()
        store.close()
        gate.signal()
        try await blocking.value
        await #expect { try await waiting.value } throws: { error in
            guard case .closedStore? = error as? StoreError else { return false }
            return true
        }
        #expect(try Database(store.path).value("SELECT count(*) FROM user") == "1")
    }

    @Test func `An import throws at its deadline`() async throws {
        let store = try Store(of: World.models)
        var request = ImportRequest(try store.main.model(of: User.self))
        request.deadline = ContinuousClock.now
        await #expect { try await store.main.importBody(Array("[{}]".utf8), request) } throws: { error in
            guard case .timedOut? = error as? StoreError else { return false }
            return true
        }
    }

    /// All of it runs off the main actor, which other tests keep busy for longer than a save waits.
    @Test nonisolated func `A cancelled save doesn't wait for another program's lock`() async throws {
        let store = try Store(of: World.models)
        let other = try Database(store.path)
        try other.execute("BEGIN IMMEDIATE")
        let isEdited = AsyncStream.makeStream(of: Void.self)
        let saving = Task {
            try await store.background { context in
                User(in: context).identifier = 1
                isEdited.continuation.yield()
                try await context.save()
            }
        }
        for await _ in isEdited.stream { break }
        await until { store.file.operations.hasSaves }
        saving.cancel()
        await #expect { try await saving.value } throws: { error in
            guard case .cancelled? = error as? StoreError else { return false }
            return true
        }
        try other.execute("COMMIT")
        try await store.background { context in User(in: context).identifier = 1 }
        #expect(try other.value("SELECT count(*) FROM user") == "1")
    }

    @Test func `An idle context holds no read transaction`() async throws {
        let store = try Store(of: World.models)
        try await store.takeElsewhere(User.self, #"{"id": 1}"#)
        #expect(try store.main.query(User.self).fetch().count == 1)
        let other = try Database(store.path)
        try other.execute("PRAGMA busy_timeout = 0")
        // While the step lasts, its state is held.
        #expect(try other.rows("PRAGMA wal_checkpoint(TRUNCATE)").first?.first == "1")
        try await until { try other.rows("PRAGMA wal_checkpoint(TRUNCATE)").first?.first == "0" }
    }
}

extension Importer {
    /// Imports JSON text within a transaction.
    fileprivate static func run<M: Model>(
        _ json: String, of type: M.Type, with writer: Writer
    ) throws -> (ImportOutcome, ChangeSet) {
        let model = try #require(writer.schema.model(for: type))
        var importer = Importer(writer, ImportRequest(model))
        try unsafe Array(json.utf8).withUnsafeBytes { try unsafe importer.run($0) }
        return (importer.outcome, importer.changes)
    }
}
