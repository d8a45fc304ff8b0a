import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// After a store is closed, each loss is reported: each call that needs the file throws, and a save names the objects
/// with edits outside of any file.
@MainActor
@Suite struct ClosedStoreTests {
    private func makeStore() async throws -> (store: Store, issue: Issue) {
        let store = try Store(of: World.models)
        let body = #"{"id": 1, "title": "Bug", "labels": [{"id": 1, "name": "bug"}], "assignee": {"id": 7}}"#
        return (store, try #require(try await store.main.take(Issue.self, body).objects.first))
    }

    /// The objects named by a save of a closed store; "another error" if it throws something else, `nil` if nothing.
    private func reported(_ body: () async throws -> Void) async -> [String]? {
        do {
            try await body()
            return nil
        } catch StoreError.closedStore(let unsaved) {
            return unsaved
        } catch {
            return ["another error: \(error)"]
        }
    }

    @Test func `An edit after the store was closed is reported by each save and can be read`() async throws {
        let (store, issue) = try await makeStore()
        let main = store.main
        store.close()
        #expect(await reported { try await main.save() } == [])
        #expect(!main.hasChanges)
        issue.title = "Edited"
        #expect(issue.title == "Edited" && issue.hasChanges && main.hasChanges)
        for _ in 0..<2 { #expect(await reported { try await main.save() } == [#"Issue 1 "Edited""#]) }
        #expect(await reported { try await store.main.save() } == [#"Issue 1 "Edited""#])
        #expect(store.main === main)
        issue.title = "Bug"
        #expect(await reported { try await main.save() } == [] && !main.hasChanges)
    }

    @Test func `Unsaved edits are reported when the store is closed, even of unreferenced objects`() async throws {
        let (store, issue) = try await makeStore()
        issue.number = 5
        do {
            let label = Label(in: store.main)
            label.name = "idea"
        }
        store.close()
        #expect(await reported { try await store.main.save() } == [#"Issue 1 "Bug""#, #"new Label "idea""#])
        #expect(issue.number == 5)
        #expect(try Database(store.path).value("SELECT count(*) FROM label") == "1")
    }

    @Test func `New objects, deletions and edited relationships after the store was closed are reported`() async throws
    {
        let (store, issue) = try await makeStore()
        let label = try #require(issue.labels.first)
        let user = try #require(issue.assignee)
        store.close()
        let new = User(in: store.main)
        new.login = "hubot"
        issue.labels = []
        label.context?.delete(label)
        store.main.delete(label)
        issue.assignee = new
        _ = user
        let names = await reported { try await store.main.save() }
        #expect(names == [#"new User "hubot""#, #"Issue 1 "Bug""#, #"Label 1 "bug""#])
        #expect(label.isDeleted && issue.assignee === new)
    }

    @Test func `A store closed before its first use has a context that reports unsaved objects`() async throws {
        let store = try Store(of: World.models)
        store.close()
        let user = User(in: store.main)
        user.login = "ada"
        #expect(store.main === store.main)
        #expect(await reported { try await store.main.save() } == [#"new User "ada""#])
    }

    /// Calls that need the file, in a context of a closed store.
    @Test(arguments: [
        "save", "import", "query", "count", "find", "live", "updates", "draft", "background", "update",
        "context(on:)",
    ])
    func `A call that needs the file of a closed store throws`(_ call: String) async throws {
        let (store, _) = try await makeStore()
        let main = store.main
        store.close()
        let names = await reported {
            switch call {
            case "save": try await main.save()
            case "import": _ = try await main.take(User.self, #"{"id": 8}"#)
            case "query": _ = try main.query(User.self).fetch()
            case "count": _ = try main.query(User.self).count()
            case "find": _ = try main.find(User.self, 7)
            case "live": _ = try main.query(User.self).live()
            case "updates": for try await _ in main.query(User.self).updates {}
            case "draft": _ = try main.draft()
            case "background": try await store.background { _ in }
            case "update": try await main.query(Issue.self).update { [$0.title.set(to: "x")] }
            default: try await store.context(on: MainActor.shared).context.save()
            }
        }
        #expect(names == [])
    }

    @Test func `A context on an actor reports its edits after the store was closed`() async throws {
        let (store, _) = try await makeStore()
        let own = store.context(on: MainActor.shared)
        let issue = try #require(try own.context.find(Issue.self, 1))
        issue.title = "Before"
        store.close()
        issue.number = 2
        #expect(issue.labels.map(\.name) == ["bug"], "what is read of objects goes on")
        #expect(await reported { try await own.context.save() } == [#"Issue 1 "Before""#])
        #expect(await reported { _ = try own.context.query(Issue.self).fetch() } == [])
        #expect(issue.hasChanges && own.context.hasChanges)
    }

    @Test func `A draft of a closed store reports its own edits only`() async throws {
        let (store, issue) = try await makeStore()
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: issue))
        issue.number = 3
        store.close()
        #expect(await reported { try draft.save() } == [])
        form.title = "In the draft"
        #expect(await reported { try draft.save() } == [#"Issue 1 "In the draft""#])
        #expect(issue.title == "Bug" && draft.hasChanges)
        #expect(await reported { try await store.main.save() } == [#"Issue 1 "Bug""#])
    }

    @Test func `A background context reports its edits when the store is closed meanwhile`() async throws {
        let (store, _) = try await makeStore()
        let isEdited = AsyncStream.makeStream(of: Void.self)
        let isClosed = AsyncStream.makeStream(of: Void.self)
        let work = Task {
            try await store.background { context in
                try context.find(Issue.self, 1)?.title = "Elsewhere"
                isEdited.continuation.yield()
                for await _ in isClosed.stream { break }
            }
        }
        for await _ in isEdited.stream { break }
        store.close()
        isClosed.continuation.yield()
        #expect(await reported { try await work.value } == [#"Issue 1 "Elsewhere""#])
    }

    @Test func `A save in flight when the store is closed is written, and later edits are reported`() async throws {
        let (store, issue) = try await makeStore()
        let main = store.main
        let new = User(in: main)
        let gone = try #require(issue.labels.first)
        (issue.title, new.login) = ("Saved", "ada")
        main.delete(gone)
        try await whileSaving(store) {
            store.close()
            issue.number = 9
        }
        #expect(issue.title == "Saved" && new.login == "ada" && issue.number == 9)
        #expect(await reported { try await main.save() } == [#"Issue 1 "Saved""#], "it was edited since")
        let file = try Database(store.path)
        #expect(try file.rows("SELECT title, number FROM issue") == [["Saved", nil]])
        #expect(try file.value("SELECT login FROM user WHERE login = 'ada'") == "ada")
        #expect(try file.value("SELECT count(*) FROM label") == "0")
    }

    @Test func `Closing a store twice has no further effect`() async throws {
        let (store, issue) = try await makeStore()
        issue.title = "Edited"
        store.close()
        store.close()
        #expect(await reported { try await store.main.save() } == [#"Issue 1 "Edited""#])
    }

    @Test func `Live results of a closed store end and keep their objects`() async throws {
        let (store, issue) = try await makeStore()
        let live = try store.main.query(Issue.self).live()
        let changes = live.changes.makeAsyncIterator()
        #expect(try await changes.next()?.objects.count == 1)
        store.close()
        issue.title = "Edited"
        #expect(try await changes.next() == nil)
        #expect(live.map(\.title) == ["Edited"])
    }

    @Test func `An undo history records nothing after its store was closed`() async throws {
        let (store, issue) = try await makeStore()
        let history = store.main.recordUndo()
        store.close()
        issue.title = "Edited"
        #expect(!history.canUndo && !store.main.recordUndo().undo())
        #expect(await reported { try await store.main.save() } == [#"Issue 1 "Edited""#])
    }

    @Test func `A second store on the file of a closed one reads its saved rows`() async throws {
        let file = try TemporaryFile()
        let first = try Store(.file(file.path), models: World.models)
        try await first.main.take(User.self, #"{"id": 1, "login": "ada"}"#)
        first.close()
        let second = try Store(.file(file.path), models: World.models)
        let user = try #require(try second.main.find(User.self, 1))
        user.login = "bob"
        try await second.main.save()
        #expect(try Database(file.path).value("SELECT login FROM user") == "bob")
        #expect(await reported { try await first.main.save() } == [])
    }

    @Test func `The error of a closed store names up to ten objects with unsaved edits`() {
        #expect(
            StoreError.closedStore(unsaved: []).description
                == "The store was closed, so nothing was read, written or sent. Open a store on the same file to go on."
        )
        let names = (1...12).map { "Issue \($0)" }
        let words = StoreError.closedStore(unsaved: names).description
        #expect(
            words.hasSuffix(" These objects have unsaved edits: \(names[..<10].joined(separator: ", ")), and 2 more."))
    }

    /// A store that is released while open works as before.
    @Test func `Objects of a released store can still be saved`() async throws {
        var (store, issue): (Store?, Issue) = try await makeStore()
        store = nil
        issue.title = "Edited"
        try await issue.context?.save()
        #expect(store == nil && !issue.hasChanges)
    }
}
