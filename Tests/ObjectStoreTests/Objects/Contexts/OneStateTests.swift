import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// All reads of a context in one step show one state of the file, and its live objects show that state.
@MainActor
@Suite struct OneStateTests {
    @Test func `A query merges waiting commits, so that its objects match it`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(try await store.main.take(User.self, #"{"id": 1, "login": "old"}"#).objects.first)
        await endStep(store)
        whileMainIsBusy(store) { try $0.find(User.self, 1)?.login = "new" }
        #expect(user.login == "old")
        let found = try store.main.query(User.self).where { $0.login == "new" }.fetch()
        #expect(found.map(\.login) == ["new"] && found.first === user)
    }

    @Test func `A lookup merges waiting commits into live objects`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(try await store.main.take(User.self, #"{"id": 1, "login": "old"}"#).objects.first)
        await endStep(store)
        whileMainIsBusy(store) { _ = try await $0.take(User.self, #"[{"id": 1, "login": "new"}, {"id": 2}]"#) }
        #expect(try store.main.find(User.self, 2) != nil)
        #expect(user.login == "new")
    }

    @Test func `Reading a list merges waiting commits into its owner`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(
            try await store.main.take(User.self, #"{"id": 1, "login": "old", "repositories": [{"id": 1}]}"#).objects
                .first)
        #expect(user.repositories.count == 1)
        await endStep(store)
        whileMainIsBusy(store) { context in
            _ = try await context.take(User.self, #"{"id": 1, "login": "new", "repositories": [{"id": 1}, {"id": 2}]}"#)
        }
        #expect(user.repositories.map(\.identifier) == [1, 2])
        #expect(user.login == "new")
        #expect(user.repositories.allSatisfy { $0.owner === user })
    }

    @Test func `A link not yet read follows waiting commits`() async throws {
        let store = try Store(of: World.models)
        try await store.takeElsewhere(Issue.self, #"{"id": 1, "assignee": {"id": 1, "login": "a"}}"#)
        let issue = try #require(try store.main.find(Issue.self, 1))
        await endStep(store)
        whileMainIsBusy(store) { context in
            _ = try await context.take(Issue.self, #"{"id": 1, "assignee": {"id": 2, "login": "b"}}"#)
        }
        // The assignee was never read before.
        #expect(issue.assignee?.identifier == 2)
    }

    @Test func `A commit that changes no row still ends the state of a step`() async throws {
        let store = try Store(of: World.models)
        let issue = try #require(try await store.main.take(Issue.self, #"{"id": 1, "assignee_id": 7}"#).objects.first)
        await endStep(store)
        #expect(issue.$assignee.identity == 7)
        // Where the link leads is no part of the row, as it waits.
        whileMainIsBusy(store) { _ = try await $0.take(Issue.self, #"{"id": 1, "assignee_id": 8}"#) }
        #expect(issue.$assignee.identity == 7)
        store.main.mergeWaitingChanges()
        #expect(issue.$assignee.identity == 8)
    }

    @Test func `All reads of one step show one state of the file`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(
            try await store.main.take(User.self, #"{"id": 1, "login": "old", "repositories": [{"id": 1}]}"#).objects
                .first)
        await endStep(store)
        #expect(try store.main.query(User.self).count() == 1)
        whileMainIsBusy(store) { context in
            _ = try await context.take(
                User.self, #"[{"id": 1, "login": "new", "repositories": [{"id": 1}, {"id": 2}]}, {"id": 2}]"#)
        }
        #expect(try store.main.query(User.self).count() == 1)
        #expect(try store.main.find(User.self, 2) == nil)
        #expect(user.repositories.count == 1 && user.login == "old")
        await until { user.login == "new" }
        #expect(user.repositories.count == 2)
        #expect(try store.main.find(User.self, 2) != nil)
    }

    @Test func `A query's updates don't repeat a result that the step has already seen`() async throws {
        let store = try Store(of: World.models)
        let logins = store.main.query(User.self).updates.makeAsyncIterator()
        #expect(try await logins.next()?.count == 0)
        await endStep(store)
        whileMainIsBusy(store) { _ = try await $0.take(User.self, #"{"id": 1}"#) }
        #expect(try store.main.query(User.self).count() == 1)
        #expect(try await logins.next()?.count == 1)
        try await store.takeElsewhere(User.self, #"{"id": 2}"#)
        #expect(try await logins.next()?.count == 2)
    }

    @Test func `A context never sees half a commit while three others write`() async throws {
        let store = try Store(of: World.models)
        let rounds = 60
        let writers = Task.detached {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 1...3 {
                    group.addTask {
                        for round in 1...rounds {
                            let repositories = (0...round % 5).map {
                                #"{"id": \#(writer * 100 + $0), "name": "\#(round)"}"#
                            }
                            _ = try await store.takeElsewhere(
                                User.self,
                                #"{"id": \#(writer), "login": "\#(round)", "repositories": [\#(repositories.joined(separator: ","))]}"#
                            )
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        var last: [Int: Int] = [:]
        while last.count < 3 || last.values.contains(where: { $0 < rounds }) {
            for user in try store.main.query(User.self).fetch() {
                let round = try #require(Int(user.login))
                #expect(user.repositories.count == round % 5 + 1)
                #expect(user.repositories.allSatisfy { $0.owner === user && $0.name == user.login })
                let same = try store.main.query(User.self).where { $0.login == user.login }.fetch()
                #expect(same.contains { $0 === user } && same.allSatisfy { $0.login == user.login })
                last[user.identifier ?? 0] = round
            }
            await Task.yield()
        }
        try await writers.value
    }
}
