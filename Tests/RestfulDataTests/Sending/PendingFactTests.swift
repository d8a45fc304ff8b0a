import Foundation
import ObjectStore
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Edits that the server has not acknowledged: when they are sent, and when they end.
@MainActor @Suite struct PendingFactTests {
    @Model("/widgets") final class Widget {
        var identifier: Int?
        var name = ""
        var badge: Badge?
        @Relationship(inverse: nil) var parts: [Badge]
    }

    @Model("/badges") final class Badge {
        var identifier: Int?
        var title: String?
    }

    @Model("/orders") final class Order {
        var identifier: Int?
        @Relationship("/orders/:id/badges", inverse: nil) var badges: [Badge]
    }

    @Model("/articles", identity: "slug", renames: .byServer) final class Article {
        var slug: String?
        var title = ""
    }

    @Model("/folders") final class Folder {
        var identifier: Int?
        @Relationship(inverse: "folder", onDelete: .cascade) var files: [File]
    }

    @Model("/files") final class File {
        var identifier: Int?
        var folder: Folder?
    }

    @Model("/accounts") final class Account {
        var identifier: Int?
        var keys: [Key]
    }

    @Model(embedded: true) final class Key {
        var name = ""
        @Attribute(access: .writeOnly) var secret: String?
    }

    private static let models: [any Model.Type] = [
        Account.self, Key.self, Widget.self, Badge.self, Order.self, Article.self, Folder.self, File.self,
    ]

    // MARK: A list of links that is not known whole

    private func blog(_ listed: Box<String>) throws -> Service {
        try Service(
            stub: StubTransport { request in
                request.method == .get ? .json(listed.value) : .status(204)
            })
    }

    @Test func `An acknowledged member of a partial list does not come back after the server has removed it`()
        async throws
    {
        let listed = Box(#"[{"id": 106, "author_id": 102}]"#)
        let service = try blog(listed)
        let author = try await service.imported(Author.self, #"{"id": 102, "name": "A"}"#)
        let first = try await service.imported(Post.self, #"{"id": 106, "title": "a", "author_id": 102}"#)
        let second = try await service.imported(Post.self, #"{"id": 107, "title": "b", "author_id": null}"#)
        author.posts = [first, second]
        try await service.main.save()
        try await second.save()
        #expect(service.stub.log.last == #"PATCH /posts/107 {"author_id":102}"#)
        #expect(try service.main.unsent().isEmpty)
        try await author.$posts.fetch()
        #expect(author.posts.map(\.identifier) == [106])
        #expect(try service.main.unsent().isEmpty && author.unsentProperties.isEmpty)
        let count = service.stub.log.count
        try await author.save()
        #expect(service.stub.log.count == count)
    }

    @Test func `An acknowledged removal from a partial list does not come back after another user has added it`()
        async throws
    {
        let listed = Box(#"[{"id": 106, "author_id": 102}, {"id": 107, "author_id": 102}]"#)
        let service = try blog(listed)
        let author = try await service.imported(Author.self, #"{"id": 102, "name": "A"}"#)
        let first = try await service.imported(Post.self, #"{"id": 106, "title": "a", "author_id": 102}"#)
        let second = try await service.imported(Post.self, #"{"id": 107, "title": "b", "author_id": 102}"#)
        author.posts = [first]
        try await service.main.save()
        try await second.save()
        #expect(service.stub.log.last == #"PATCH /posts/107 {"author_id":null}"#)
        #expect(try service.main.unsent().isEmpty)
        try await author.$posts.fetch()
        #expect(author.posts.map(\.identifier) == [106, 107])
        #expect(try service.main.unsent().isEmpty && author.unsentProperties.isEmpty)
    }

    @Test func `The order of a partial list ends when its members' links are acknowledged and the list is fetched`()
        async throws
    {
        let listed = Box(#"[{"id": 106, "author_id": 102}, {"id": 107, "author_id": 102}]"#)
        let service = try blog(listed)
        let author = try await service.imported(Author.self, #"{"id": 102, "name": "A"}"#)
        let first = try await service.imported(Post.self, #"{"id": 106, "title": "a", "author_id": 102}"#)
        let second = try await service.imported(Post.self, #"{"id": 107, "title": "b", "author_id": null}"#)
        author.posts = [second, first]
        try await service.main.save()
        try await second.save()
        try await author.$posts.fetch()
        #expect(author.posts.map(\.identifier) == [106, 107] || author.unsentProperties == ["posts"])
    }

    // MARK: Links to objects that the server doesn't have

    private func service(creating id: Int) throws -> Service {
        try Service(
            Self.models,
            stub: StubTransport { request in
                request.method == .post ? .json("{\"id\": \(id), \"title\": \"b\"}") : .status(204)
            })
    }

    /// Answers each change with an echo of its body, or with nothing.
    private func service(creating id: Int, echoing isEcho: Bool) throws -> Service {
        try Service(
            Self.models,
            stub: StubTransport { request in
                if request.method == .post { return .json("{\"id\": \(id), \"title\": \"b\"}") }
                guard isEcho, let body = request.body?.bytes else { return .status(204) }
                return .json(#"{"id": 1, "# + String(decoding: body.dropFirst(), as: UTF8.self))
            })
    }

    @Test(arguments: [false, true], [false, true])
    func `A link stays pending until the server has its target`(isEcho: Bool, isSaved: Bool) async throws {
        let service = try service(creating: 105, echoing: isEcho)
        let widget = try await service.imported(Widget.self, #"{"id": 1, "name": "w", "badge_id": null}"#)
        let badge = Badge(in: service.main)
        badge.identifier = 5
        badge.title = "b"
        widget.name = "v"
        widget.badge = badge
        if isSaved { try await service.main.save() }
        try await widget.save()
        #expect(service.stub.log == [#"PATCH /widgets/1 {"name":"v","badge_id":5}"#])
        #expect(widget.unsentProperties == ["badge"] && widget.badge === badge)
        try await badge.create()
        #expect(badge.identifier == 105 && widget.badge === badge)
        try await widget.save()
        #expect(service.stub.log.last == #"PATCH /widgets/1 {"badge_id":105}"#)
        #expect(try service.main.unsent().isEmpty && widget.badge === badge)
        try await widget.save()
        #expect(service.stub.log.count == 3)
    }

    @Test(arguments: [false, true])
    func `A member stays pending until the server has it`(isEcho: Bool) async throws {
        let service = try service(creating: 105, echoing: isEcho)
        let widget = try await service.imported(Widget.self, #"{"id": 1, "name": "w", "part_ids": []}"#)
        let badge = Badge(in: service.main)
        badge.identifier = 5
        badge.title = "b"
        widget.parts = [badge]
        try await widget.save()
        #expect(service.stub.log == [#"PATCH /widgets/1 {"part_ids":[5]}"#])
        #expect(widget.unsentProperties == ["parts"])
        try await badge.create()
        try await widget.save()
        #expect(service.stub.log.last == #"PATCH /widgets/1 {"part_ids":[105]}"#)
        #expect(try service.main.unsent().isEmpty && widget.parts.map(\.identifier) == [105])
    }

    @Test func `A link to an object with the identity of one at the server ends when a fetch has shown both`()
        async throws
    {
        let service = try service(creating: 105, echoing: true)
        let widget = try await service.imported(Widget.self, #"{"id": 1, "name": "w", "badge_id": null}"#)
        let badge = Badge(in: service.main)
        badge.identifier = 5
        widget.badge = badge
        try await widget.save()
        _ = try await service.imported(Badge.self, #"{"id": 5, "title": "b"}"#)
        #expect(badge.title == "b" && badge.isKnownToServer)
        _ = try await service.imported(Widget.self, #"{"id": 1, "badge_id": 5}"#)
        #expect(widget.badge === badge && widget.unsentProperties.isEmpty)
    }

    @Test func `A link that is set back to an object which the server doesn't have is still pending`() async throws {
        let transport = HeldTransport()
        let store = try Store.held(by: transport, Self.models)
        let widget = try await store.imported(Widget.self, #"{"id": 1, "name": "w", "badge_id": null}"#)
        let known = try await store.imported(Badge.self, #"{"id": 9}"#)
        let badge = Badge(in: store.main)
        badge.identifier = 5
        widget.badge = badge
        let request = Task { try await widget.save() }
        await transport.wait(for: 1)
        widget.badge = known
        try await store.main.save()
        transport.answer(0, .status(204))
        try await request.value
        #expect(widget.badge === known && widget.unsentProperties == ["badge"])
        widget.badge = badge
        try await store.main.save()
        #expect(widget.unsentProperties == ["badge"])
    }

    // MARK: Embedded lists

    @Test func `The secrets of embedded objects in flight are in the file only as their own values`() async throws {
        let transport = HeldTransport()
        let store = try Store.held(by: transport, Self.models)
        let account = try await store.imported(Account.self, #"{"id": 1, "keys": [{"name": "a"}]}"#)
        account.keys[0].name = "b"
        try await store.main.save()
        let key = Key(in: store.main)
        (key.name, key.secret) = ("c", "hunter2")
        account.keys.append(key)
        let request = Task { try await account.save() }
        await transport.wait(for: 1)
        #expect(transport.bodies[0].contains("hunter2"))
        let written = try ["", "-wal"].map { suffix in
            String(decoding: try Data(contentsOf: URL(filePath: store.path + suffix)), as: UTF8.self)
        }.joined()
        // The row is marked, with the list that was sent.
        #expect(written.contains("attributes") && !written.contains("hunter2"))
        // The reply shows no secret, and the object is still the one that was sent.
        transport.answer(0, .json(#"{"id": 1, "keys": [{"name": "b"}, {"name": "c"}]}"#))
        try await request.value
        #expect(account.keys.map(\.name) == ["b", "c"] && account.keys[1] === key && account.unsentProperties == [])
    }

    // MARK: New objects

    @Test func `A new object without values that is deleted while it is saved is not in the file`() async throws {
        let service = try service(creating: 7)
        for _ in 0..<50 {
            let badge = Badge(in: service.main)
            let save = Task { try await service.main.save() }
            await Task.yield()
            service.main.delete(badge)
            try await save.value
            try await service.main.save()
            #expect(badge.isDeleted)
            #expect(try service.main.query(Badge.self).count() == 0)
        }
        let other = service.store.context(on: MainActor.shared)
        #expect(try other.context.query(Badge.self).count() == 0)
    }

    // MARK: Objects that become one

    /// The orders in which three articles become one: a request about the first is answered with the second's slug,
    /// then one about the second with the third's.
    private nonisolated static let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]

    @Test(arguments: orders, 0..<3)
    func `A deletion through any of three objects that became one deletes the object`(order: [Int], deleted: Int)
        async throws
    {
        let answer = Box("")
        let service = try Service(
            Self.models, stub: StubTransport { _ in .json(#"{"slug": "\#(answer.value)", "title": "T"}"#) })
        var articles: [Article] = []
        for slug in ["a", "b", "c"] {
            articles.append(try await service.imported(Article.self, #"{"slug": "\#(slug)", "title": "old"}"#))
        }
        for (first, second) in zip(order, order.dropFirst()) {
            answer.value = ["a", "b", "c"][second]
            articles[first].title = "as \(second)"
            try await articles[first].save()
        }
        #expect(Set(articles.map(\.slug)).count == 1)
        service.main.delete(articles[deleted])
        #expect(articles.map(\.isDeleted) == [true, true, true])
        try await service.main.save()
        #expect(try service.main.query(Article.self).count() == 0)
    }

    @Test func `A repeated member is still known as repeated after objects became one`() async throws {
        let service = try service(creating: 7)
        for _ in 0..<2 {
            let badge = Badge(in: service.main)
            badge.title = "b"
            try await badge.create()
        }
        _ = try await service.imported(Badge.self, #"{"id": 1}"#)
        let order = try await service.imported(Order.self, #"{"id": 1, "badge_ids": [1]}"#)
        let member = try #require(try service.main.find(Badge.self, 1))
        try await order.$badges.add(member)
        #expect(order.$badges.repeatsMember)
    }

    // MARK: Reused identities

    @Test func `A new object with the identity of a deleted one does not show the deleted one's pending edit`()
        async throws
    {
        for isSaved in [true, false] {
            let service = try service(creating: 7)
            let badge = try await service.imported(Badge.self, #"{"id": 5, "title": "a"}"#)
            badge.title = "edited"
            if isSaved { try await service.main.save() }
            try await badge.delete()
            let other = try await service.imported(Badge.self, #"{"id": 5, "title": "new"}"#)
            #expect(other.title == "new" && other.unsentProperties.isEmpty)
            #expect(try service.main.unsent().isEmpty)
        }
    }

    // MARK: Delete rules

    @Test(arguments: [false, true], [false, true])
    func `A file that another context has moved stays when its former folder is deleted`(
        isAtServer: Bool, isRolledBack: Bool
    ) async throws {
        let service = try service(creating: 7)
        let folder = try await service.imported(Folder.self, #"{"id": 1, "files": [{"id": 1}, {"id": 2}]}"#)
        _ = try await service.imported(Folder.self, #"{"id": 2, "files": []}"#)
        let side = service.store.context(on: MainActor.shared)
        let moved = try #require(try side.context.find(File.self, 1))
        moved.folder = try side.context.find(Folder.self, 2)
        if isAtServer {
            try await folder.delete()
        } else {
            service.main.delete(folder)
            try await service.main.save()
        }
        #expect(try service.main.query(File.self).fetch().map(\.identifier) == [1])
        #expect(!moved.isDeleted && moved.folder?.identifier == 2)
        if isRolledBack { side.context.rollback() }
        try await side.context.save()
        // The context merges the deletion with its next turn.
        await until { moved.folder?.identifier == (isRolledBack ? nil : 2) }
        #expect(moved.unsentProperties == (isRolledBack ? [] : ["folder"]))
        // The move has ended, so the file goes with its new folder.
        service.main.delete(try #require(try service.main.find(Folder.self, 2)))
        try await service.main.save()
        #expect(try service.main.query(File.self).count() == (isRolledBack ? 1 : 0))
    }

    @Test func `An object that a form has moved goes with its former owner once the form is gone`() async throws {
        let service = try service(creating: 7)
        let folder = try await service.imported(Folder.self, #"{"id": 1, "files": [{"id": 1}]}"#)
        let other = try await service.imported(Folder.self, #"{"id": 2, "files": []}"#)
        var draft: Draft? = try service.main.draft()
        let moved = try #require(folder.files.first.flatMap { draft?.object(for: $0) })
        moved.folder = draft?.object(for: other)
        draft = nil
        try await folder.delete()
        #expect(try service.main.query(File.self).count() == 0)
        withExtendedLifetime(moved) {}
    }

    // MARK: Forms

    private func expectForeign(_ save: () async throws -> Void) async {
        do {
            try await save()
            Testing.Issue.record("the link was not refused")
        } catch StoreError.foreignObject {
        } catch {
            Testing.Issue.record("\(error)")
        }
    }

    @Test func `A link between a form's object and another context's is refused when either is saved`() async throws {
        let service = try service(creating: 7)
        let badge = try await service.imported(Badge.self, #"{"id": 5, "title": "a"}"#)
        let draft = try service.main.draft()
        // From a new object of the form to an object beneath, and to a new one beneath.
        let new = Badge(in: service.main)
        for target in [badge, new] {
            let widget = Widget(in: draft.context)
            widget.badge = target
            #expect(widget.badge == nil)
            await expectForeign { try draft.save() }
            widget.parts = [target]
            #expect(widget.parts.isEmpty)
            await expectForeign { try draft.save() }
        }
        // From an object beneath to a new one of the form.
        let widget = Widget(in: service.main)
        widget.badge = Badge(in: draft.context)
        #expect(widget.badge == nil)
        await expectForeign { try await service.main.save() }
        widget.parts = [Badge(in: draft.context)]
        #expect(widget.parts.isEmpty)
        await expectForeign { try await service.main.save() }
        // Of two forms.
        let other = try service.main.draft()
        let formWidget = Widget(in: other.context)
        formWidget.badge = Badge(in: draft.context)
        await expectForeign { try other.save() }
    }
}
