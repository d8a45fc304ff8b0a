import Dispatch
import RestfulData
import Testing

@testable import ObjectStore

@MainActor
@Suite struct SavingRaceTests {
    /// The rows that a save leads to are deleted between the moment when it takes its values and its turn to write.
    @Test func `Rows deleted before the save gets its turn leave no dangling links`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(
            try await store.main.take(
                User.self,
                #"{"id": 1, "repositories": [{"id": 10, "topics": [{"name": "a"}, {"name": "b"}]}, {"id": 11}]}"#
            ).objects.first)
        let repositories = user.repositories
        let topics = repositories[0].topics
        repositories[0].topics = topics.reversed()
        repositories[1].topics = topics
        user.repositories = repositories.reversed()
        let late = Repository(in: store.main)
        late.identifier = 12
        late.owner = user
        let doomed = [user._object, topics[0]._object, repositories[0]._object].map(\.record)
        let gate = DispatchSemaphore(value: 0)
        let deleting = Task {
            try await store.file.write { writer in
                gate.wait()
                var progress = WriteProgress(after: ChangeSet(writer.schema))
                for record in doomed { try writer.delete(record, &progress) }
                return ((), progress.changes)
            }
        }
        var hasBegun = false
        let saving = Task {
            hasBegun = true
            try await store.main.save()
        }
        while !hasBegun { await Task.yield() }
        gate.signal()
        try await deleting.value
        // The other edits are saved, and the loss of these is reported.
        await #expect(throws: StoreError.self) { try await saving.value }
        #expect(!store.main.hasChanges)
        #expect(try store.check() == [])
        #expect(user.isDeleted && topics[0].isDeleted && repositories[0].isDeleted)
        #expect(late.owner == nil)
        #expect(repositories[1].topics.map(\.name) == ["b"])
        try expect(
            store,
            holds: """
                repository
                  11 name= stars=0 is_private=0 unsent: topics
                  12 name= stars=0 is_private=0 unsent: identifier, owner
                topic
                  b
                repository_topics
                  (11) - (b) 1 -
                """)
    }

    @Test func `Rolling back to the server's version discards what a save in progress writes`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(try await store.main.take(User.self, #"{"id": 1, "login": "a"}"#).objects.first)
        user.login = "b"
        let gate = DispatchSemaphore(value: 0)
        let blocking = Task {
            try await store.file.write { writer in
                gate.wait()
                return ((), ChangeSet(writer.schema))
            }
        }
        var isSaving = false
        let saving = Task {
            isSaving = true
            try await store.main.save()
        }
        while !isSaving { await Task.yield() }
        var isRollingBack = false
        let rollingBack = Task {
            isRollingBack = true
            try await user.rollback(to: .server)
        }
        while !isRollingBack { await Task.yield() }
        gate.signal()
        try await blocking.value
        try await saving.value
        try await rollingBack.value
        #expect(user.login == "a" && user.unsentProperties == [] && !store.main.hasChanges)
    }
}
