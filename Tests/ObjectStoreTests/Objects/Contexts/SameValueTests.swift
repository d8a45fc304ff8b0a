import ObjectStore
import RestfulData
import Testing

/// Setting the file's value leaves a property unedited, in any order of reads and at any time.
@MainActor
@Suite struct SameValueTests {
    struct Question: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let hasChanges: @MainActor @Sendable (User) async throws -> Bool
    }

    nonisolated static let questions: [Question] = [
        Question(testDescription: "of the object") { $0.hasChanges },
        Question(testDescription: "of its properties") { !$0.changedProperties.isEmpty },
        Question(testDescription: "of the context") { $0.context?.hasChanges ?? true },
        Question(testDescription: "after it was read") { user in
            _ = (user.login, user.name)
            return user.context?.hasChanges ?? true
        },
        Question(testDescription: "of the object, then of the context") { user in
            user.hasChanges || user.context?.hasChanges ?? true
        },
        Question(testDescription: "after a query") { user in
            let found = try user.context?.query(User.self).where { $0.login == "octocat" }.fetch()
            #expect(found?.first === user)
            return user.context?.hasChanges ?? true
        },
        Question(testDescription: "after it was deleted and brought back") { user in
            user.context?.delete(user)
            #expect(user.context?.hasChanges == true)
            user.context?.rollback()
            return user.hasChanges || user.context?.hasChanges ?? true
        },
    ]

    @Test(arguments: questions)
    func `Setting the file's value is no edit`(_ question: Question) async throws {
        let (store, user) = try await Self.octocat()
        user.login = "octocat"
        #expect(try await !question.hasChanges(user))
        user.name = "Mona"
        #expect(try await !question.hasChanges(user))
        user.login = "hubot"
        #expect(user.changedProperties == ["login"] && user.hasChanges && store.main.hasChanges)
        user.login = "octocat"
        #expect(try await !question.hasChanges(user))
    }

    @Test func `A property set to the file's value follows later merges`() async throws {
        let (store, user) = try await Self.octocat()
        user.login = "octocat"
        _ = try await store.main.take(User.self, #"{"id": 1, "login": "hubot"}"#)
        #expect(user.login == "hubot" && !user.hasChanges && !store.main.hasChanges)
    }

    @Test func `A property set to another value keeps it through merges and is saved`() async throws {
        let (store, user) = try await Self.octocat()
        user.login = "hubot"
        _ = try await store.main.take(User.self, #"{"id": 1, "login": "monalisa", "name": "Lisa"}"#)
        #expect(user.login == "hubot" && user.name == "Lisa" && user.changedProperties == ["login"])
        try await store.main.save()
        #expect(!user.hasChanges && !store.main.hasChanges)
        #expect(try Database(store.path).value("SELECT login FROM user") == "hubot")
    }

    @Test func `A second property can be edited after one was set to the file's value`() async throws {
        let (store, user) = try await Self.octocat()
        user.login = "octocat"
        user.name = "Lisa"
        #expect(user.changedProperties == ["name"] && store.main.hasChanges)
        user.name = "Mona"
        #expect(user.changedProperties.isEmpty && !store.main.hasChanges)
    }

    @Test func `Of many objects set in a loop, only those with other values are edited`() async throws {
        let store = try Store(of: World.models)
        let body = (0..<300).map { #"{"id": \#($0), "login": "user \#($0)"}"# }.joined(separator: ",")
        let users = try await store.main.take(User.self, "[\(body)]").objects
        for (index, user) in users.enumerated() {
            user.login = index % 3 == 0 ? "edited \(index)" : "user \(index)"
        }
        #expect(users.filter(\.hasChanges).count == 100)
        #expect(try store.main.query(User.self).where { $0.login == "user 4" }.count() == 1)
        try await store.main.save()
        #expect(!store.main.hasChanges)
        #expect(try Database(store.path).value("SELECT count(*) FROM user WHERE login LIKE 'edited %'") == "100")
    }

    @Test func `Restoring the old value during a save is an edit`() async throws {
        let (store, user) = try await Self.octocat()
        user.login = "hubot"
        let saving = Task { try await store.main.save() }
        await Task.yield()
        user.login = "octocat"
        try await saving.value
        try await store.main.save()
        #expect(user.login == "octocat" && !user.hasChanges)
        #expect(try Database(store.path).value("SELECT login FROM user") == "octocat")
    }

    @Test func `An unsaved edit is still readable after the store was closed`() async throws {
        let (store, user) = try await Self.octocat()
        user.login = "hubot"
        store.close()
        #expect(user.login == "hubot")
    }

    private static func octocat() async throws -> (store: Store, user: User) {
        let store = try Store(of: World.models)
        let users = try await store.main.take(User.self, #"{"id": 1, "login": "octocat", "name": "Mona"}"#).objects
        return (store, try #require(users.first))
    }
}
