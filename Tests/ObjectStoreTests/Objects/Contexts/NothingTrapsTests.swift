import ObjectStore
import RestfulData
import Testing

/// Deleted objects, objects of a released context or store, and objects in the wrong place.
@MainActor
@Suite struct NothingTrapsTests {
    private static let issueBody = #"""
        {"id": 1, "title": "Bug", "state": "closed", "assignee": {"id": 7}, "labels": [{"id": 1}],
         "repository": {"id": 10}, "comments": [{"id": 1}]}
        """#

    private func makeIssue(_ store: Store) async throws -> Issue {
        try #require(try await store.main.take(Issue.self, Self.issueBody).objects.first)
    }

    /// Reads and writes all properties.
    private func useAll(_ issue: Issue) {
        _ = (issue.identifier, issue.number, issue.title, issue.state, issue.context)
        _ = (issue.repository, issue.assignee, issue.labels, issue.comments)
        _ = (issue.isDeleted, issue.isInserted, issue.hasChanges, issue.changedProperties)
        issue.identifier = 5
        issue.title = "edited"
        issue.state = .open
        issue.repository = nil
        issue.assignee = nil
        issue.labels = []
        issue.comments = issue.comments
    }

    @Test func `A deleted object keeps its last values and can't be edited`() async throws {
        let store = try Store(of: World.models)
        let issue = try await makeIssue(store)
        let labels = issue.labels
        store.main.delete(issue)
        try await store.main.save()
        useAll(issue)
        #expect(issue.isDeleted && !issue.hasChanges)
        #expect(issue.title == "Bug" && issue.state == .closed && issue.identifier == 1)
        #expect(issue.assignee?.identifier == 7 && issue.repository?.identifier == 10)
        #expect(issue.labels.map { ObjectIdentifier($0) } == labels.map { ObjectIdentifier($0) })
        #expect(!store.main.hasChanges)
        // The lost edit is reported once.
        let error = await #expect(throws: StoreError.self) { try await store.main.save() }
        guard case .deletedObject(model: "Issue")? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        try await store.main.save()
    }

    /// As a module in the Swift 5 mode may do, in which the compiler's checks are off.
    private struct Loan: @unchecked Sendable {
        let context: ObjectContext
    }

    @Test func `A context used on another actor throws`() async throws {
        let store = try Store(of: World.models)
        let issue = try await makeIssue(store)
        issue.title = "edited"
        let loan = Loan(context: store.main)
        let uses: [@Sendable (ObjectContext) async throws -> Void] = [
            { try await $0.save() },
            { _ = try await $0.import(Issue.self, from: Array(Self.issueBody.utf8)) },
            { _ = try await $0.importReporting(Issue.self, from: Array(Self.issueBody.utf8)) },
        ]
        for use in uses {
            let error = await #expect(throws: StoreError.self) {
                try await Task { @concurrent in try await use(loan.context) }.value
            }
            guard case .otherActor? = error else {
                Testing.Issue.record("\(error as Any)")
                continue
            }
        }
        #expect(issue.title == "edited" && issue.hasChanges)
        try await store.main.save()
        #expect(!issue.hasChanges)
    }

    @Test func `A link to a deleted object is refused`() async throws {
        let store = try Store(of: World.models)
        let issue = try await makeIssue(store)
        let user = try #require(issue.assignee)
        let label = try #require(issue.labels.first)
        let other = Issue(in: store.main)
        store.main.delete(user)
        store.main.delete(label)
        other.assignee = user
        other.labels = [label]
        user.repositories = []
        #expect(other.assignee == nil && other.labels.isEmpty)
        let deleted = ["User", "Label"].map { StoreError.deletedObject(model: $0) }
        #expect(await failure { try await store.main.save() } == "\(StoreError.several(deleted))")
        try await store.main.save()
        #expect(try store.check() == [])
    }

    @Test func `An object of another context or store is refused`() async throws {
        let store = try Store(of: World.models)
        let stranger = try Store(of: World.models)
        let issue = try await makeIssue(store)
        let user = try #require(issue.assignee)
        let foreign = try await stranger.main.take(User.self, #"[{"id": 7}]"#).objects[0]
        let label = try await stranger.main.take(Label.self, #"[{"id": 1}]"#).objects[0]
        issue.assignee = foreign
        issue.labels = issue.labels + [label]
        #expect(issue.assignee === user)
        #expect(issue.labels.count == 1)
        let strangers = ["User", "Label"].map { StoreError.foreignObject(model: $0) }
        #expect(await failure { try await store.main.save() } == "\(StoreError.several(strangers))")
        store.main.delete(foreign)
        #expect(!foreign.isDeleted)
        #expect(await failure { try await store.main.save() } == "\(StoreError.foreignObject(model: "User"))")
        try await store.main.save()
    }

    @Test func `A closed store's objects keep their last values`() async throws {
        let store = try Store(of: World.models)
        let issue = try await makeIssue(store)
        let labels = issue.labels
        let main = store.main
        issue.number = 3
        let new = Issue(in: main)
        new.title = "new"
        store.close()
        store.close()
        #expect(issue.title == "Bug" && issue.number == 3 && new.title == "new")
        #expect(issue.context == nil && new.context == nil)
        #expect(labels.first?.context == nil)
        useAll(issue)
        useAll(new)
        _ = Issue(in: main).labels
        main.delete(issue)
        main.rollback()
        let ended = "\(StoreError.closedStore(unsaved: []))"
        #expect(await failure { try await main.save() }.hasPrefix(ended))
        #expect(await failure { _ = try await main.take(User.self, "[]") } == ended)
        #expect(await failure { _ = try main.query(User.self).fetch() } == ended)
        #expect(await failure { _ = try main.find(User.self, 7) } == ended)
        #expect(await failure { for try await _ in main.query(User.self).updates {} } == ended)
    }

    @Test func `A released store's objects can still be used`() async throws {
        var store: Store? = try Store(of: World.models)
        let issue = try await makeIssue(try #require(store))
        store = nil
        #expect(issue.title == "Bug")
        #expect(issue.labels.first?.identifier == 1)
        useAll(issue)
        try await issue.context?.save()
    }

    @Test func `An ended background context has no objects and can't save`() async throws {
        let store = try Store(of: World.models)
        _ = try await makeIssue(store)
        // The compiler keeps contexts and objects where they are; a box gets them past it.
        final class Box: @unchecked Sendable {
            var issue: Issue?
            var context: ObjectContext?
        }
        let box = Box()
        try await store.background { context in
            box.context = context
            box.issue = try context.find(Issue.self, 1)
        }
        let issue = try #require(box.issue)
        #expect(issue.title == "Bug" && issue.context == nil)
        useAll(issue)
        #expect(await failure { try await box.context?.save() } == "\(StoreError.endedContext)")
    }

    @Test func `A missing row behind a link reads as nil`() async throws {
        let store = try Store(of: World.models)
        let issue = try await makeIssue(store)
        let database = try Database(store.path)
        // As a tool that ignores foreign keys may leave the file.
        try database.execute("DELETE FROM user; DELETE FROM label; DELETE FROM repository")
        #expect(try await store.main.take(Issue.self, #"{"id": 1, "number": 1}"#).objects.first === issue)
        #expect(issue.number == 1)
        _ = (issue.assignee, issue.labels, issue.repository)
        useAll(issue)
    }

    /// A class outside the store's models.
    @Test func `An object of an unknown model is reported by the save`() async throws {
        let store = try Store(of: [Label.self])
        let user = User(in: store.main)
        user.login = "octocat"
        user.repositories = []
        user.profile = nil
        #expect(user.login == "octocat" && user.repositories.isEmpty && user.profile == nil)
        let label = Label(in: store.main)
        label.identifier = 1
        let error = await #expect(throws: StoreError.self) { try await store.main.save() }
        guard case .models(let problems)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(problems == ["User is not among the models that the store was opened with"])
        user.login = "hubot"
        try await store.main.save()
        store.main.delete(user)
        store.main.rollback()
        let unknown = "\(StoreError.models(problems))"
        #expect(await failure { _ = try store.main.query(User.self).fetch() } == unknown)
        #expect(await failure { _ = try store.main.find(User.self, 1) } == unknown)
        #expect(await failure { _ = try await store.main.take(User.self, "{}") } == unknown)
        #expect(try store.main.query(Label.self).count() == 1)
    }

    /// The same as by `dump` and a failed expectation of a test.
    @Test func `Reflecting objects, contexts and stores never traps`() async throws {
        await #expect(processExitsWith: .success) { try await NothingTrapsTests.lookIntoAll() }
    }

    private static func lookIntoAll() async throws {
        let store = try Store(of: World.models)
        let test = NothingTrapsTests()
        for _ in 0..<100 { _ = try await test.makeIssue(store) }
        let issue = try await test.makeIssue(store)
        let draft = try store.main.draft()
        issue.title = "edited"
        draft.object(for: issue)?.title = "in the draft"
        for value in [issue, store.main, store, draft, issue.labels, store.main.query(Issue.self)] as [Any] {
            var text = ""
            dump(value, to: &text)
            precondition(!text.isEmpty)
        }
        var text = ""
        dump(issue, to: &text)
        precondition(text.contains(#"title: "edited""#) && text.contains(#"state: "closed""#), text)
    }
}
