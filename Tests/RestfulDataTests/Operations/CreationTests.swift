import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// The replies that count as a creation, a change or a deletion.
@MainActor @Suite struct CreationTests {
    nonisolated private static func words(_ text: String, _ type: String, status: Int = 200, location: String? = nil)
        -> StubTransport.Reply
    {
        var fields: HTTPFields = [.contentType: type]
        fields[.location] = location
        return StubTransport.Reply(status: status, headerFields: fields, body: Array(text.utf8))
    }

    @Test(
        arguments: [
            .json(#"{"status": "ok"}"#), .json("{}"), .json("[]"), .json(#"[{"id": 5}]"#), .json("null"),
            .json(#"{"id": "abc"}"#), .json(#"{"id": 9223372036854775808}"#), .json(#"{"id": null, "title": "A"}"#),
            .json(#"{"title": "A"}"#, status: 201), .status(200), .status(201), .status(204), .json("\"created\""),
            .status(201, headerFields: [.location: "/posts/new-one"]),
            .status(201, headerFields: [.location: "/jobs/5"]),
        ] as [StubTransport.Reply])
    func `A creation's reply without an object throws`(_ reply: StubTransport.Reply) async throws {
        let answer = Box(reply)
        let service = try Service(emptyReplies: [], stub: StubTransport { _ in answer.value })
        let post = Post(in: service.main)
        post.title = "A"
        guard case .notCreated(model: "Post", _, _)? = await failure({ try await post.create() }) else {
            Testing.Issue.record("it was believed")
            return
        }
        #expect(post.identifier == nil && post.unsentProperties == ["title"] && post.isInserted)
        #expect(try await service.store.contents() == "")
        answer.value = .json(#"{"id": 5, "title": "A"}"#, status: 201)
        try await post.create()
        #expect(service.stub.log == Array(repeating: #"POST /posts {"title":"A"}"#, count: 2))
        #expect(post.identifier == 5 && !post.hasChanges && post.unsentProperties.isEmpty)
    }

    @Test func `A 201 with a list of one object creates it`() async throws {
        // As PostgREST answers with `Prefer: return=representation`.
        let service = try Service(
            emptyReplies: [],
            stub: StubTransport { _ in .json(#"[{"id": 5, "title": "A", "slug": "a"}]"#, status: 201) })
        let post = Post(in: service.main)
        post.title = "A"
        try await post.create()
        #expect(post.identifier == 5 && post.slug == "a" && post.unsentProperties.isEmpty)
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        let same = Post(in: service.main)
        try await author.$posts.add(same)
        #expect(author.posts.map(\.identifier) == [5] && !same.isInserted)
    }

    @Test(arguments: [
        (#"{"result": [{"id": 5, "title": "A", "slug": "a"}]}"#, "result"),
        (#"{"ok": true, "data": {"count": 1, "rows": [{"id": 5, "title": "A", "slug": "a"}]}}"#, "data.rows"),
    ])
    func `A 201 with an enveloped list of one object creates it`(body: String, envelope: String) async throws {
        var conventions = APIConventions.default
        conventions.envelopes = APIConventions.Envelopes(object: [.key(envelope)], list: [.key(envelope)])
        let answer = Box(StubTransport.Reply.json(body, status: 201))
        let service = try Service(
            conventions: conventions, emptyReplies: [], stub: StubTransport { _ in answer.value })
        let post = Post(in: service.main)
        post.title = "A"
        try await post.create()
        #expect(post.identifier == 5 && post.slug == "a" && post.unsentProperties.isEmpty)
        // A list of two objects doesn't identify the created one.
        answer.value = .json(body.replacing("}]", with: "}, {\"id\": 6}]"), status: 201)
        let other = Post(in: service.main)
        other.title = "A"
        #expect(await failure { try await other.create() } != nil)
        #expect(other.isInserted)
        // So it is with the reply to a save that names its object.
        answer.value = .json(body.replacing("\"A\"", with: "\"B\""))
        post.title = "B"
        try await post.save()
        #expect(post.title == "B" && !post.hasChanges)
    }

    @Model("/enrolments", key: "person", identity: "group", "person") final class Enrolment {
        @Relationship(inverse: nil) var group: Group?
        @Relationship(inverse: nil) var person: Person?
        var role = "member"
    }

    @Model("/groups") final class Group { var identifier: Int? }

    @Model("/persons") final class Person { var identifier: Int? }

    @Test(arguments: [
        (#"{"group_id": 1, "person_id": 2, "role": "owner"}"#, true),
        (#"{"group": {"id": 1}, "person": {"name": "Ada", "id": 2}}"#, true), ("{}", false),
        (#"{"status": "ok"}"#, false),
        (#"{"group_id": 1}"#, false), (#"{"group_id": 1, "person_id": null}"#, false),
    ]) func `A reply to a creation must have all links of the identity`(body: String, isCreated: Bool) async throws {
        let service = try Service(
            [Enrolment.self, Group.self, Person.self], emptyReplies: [],
            stub: StubTransport { _ in .json(body, status: 201) })
        let enrolment = Enrolment(in: service.main)
        enrolment.group = try await service.imported(Group.self, #"{"id": 1}"#)
        enrolment.person = try await service.imported(Person.self, #"{"id": 2}"#)
        let error = await failure { try await enrolment.create() }
        if isCreated {
            #expect(error == nil && enrolment.unsentProperties == [])
        } else if case .notCreated(model: "Enrolment", _, _)? = error {
            #expect(enrolment.unsentProperties == ["group", "person"] && enrolment.isInserted)
        } else {
            Testing.Issue.record("\(String(describing: error))")
        }
    }

    @Test(arguments: [#"[{"id": 5, "title": "#, #"{"id": 5, "title": "#])
    func `A truncated reply to a creation creates nothing`(_ body: String) async throws {
        let service = try Service(emptyReplies: [], stub: StubTransport { _ in .json(body, status: 201) })
        let post = Post(in: service.main)
        post.title = "A"
        #expect(await failure { try await post.create() } != nil)
        #expect(post.identifier == nil && post.unsentProperties == ["title"])
        #expect(try await service.store.contents() == "")
    }

    @Test func `A 202 to a creation throws with its Location`() async throws {
        let service = try Service(
            emptyReplies: [],
            stub: StubTransport { _ in
                .json(#"{"id": 77, "status": "queued"}"#, status: 202, headerFields: [.location: "/jobs/77?token=x"])
            })
        let post = Post(in: service.main)
        post.title = "A"
        guard case .accepted(model: "Post", let monitor?, _)? = await failure({ try await post.create() }) else {
            Testing.Issue.record("it was believed")
            return
        }
        #expect(monitor.hasPrefix("/jobs/77") && !monitor.contains("=x"))
        #expect(post.identifier == nil && post.unsentProperties == ["title"])
    }

    @Test func `A 202 to a save acknowledges it, and its body isn't imported`() async throws {
        let service = try Service(
            emptyReplies: [], stub: StubTransport { _ in .json(#"{"id": 77, "title": "queued"}"#, status: 202) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "New"
        try await post.save()
        #expect(post.title == "New" && post.identifier == 5 && post.unsentProperties.isEmpty)
    }

    @Test func `An empty reply creates an object if that is declared`() async throws {
        var conventions = APIConventions.default
        conventions.emptyReplies = .created
        let service = try Service(conventions: conventions, emptyReplies: [], stub: StubTransport { _ in .status(204) })
        let post = Post(in: service.main)
        post.title = "A"
        try await post.create()
        #expect(!post.isInserted && post.unsentProperties.isEmpty)
    }

    @Test(arguments: [StubTransport.Reply.status(204), .status(201), words("Created", "text/plain", status: 201)])
    func `An empty reply confirms the client's own identity`(_ reply: StubTransport.Reply) async throws {
        let service = try Service(emptyReplies: [], stub: StubTransport { _ in reply })
        let post = Post(in: service.main)
        post.identifier = 5
        try await post.create()
        #expect(post.identifier == 5 && post.unsentProperties.isEmpty)
    }

    @Test(arguments: [.json("{}", status: 201), .json(#"{"status": "ok"}"#), .json("[]")] as [StubTransport.Reply])
    func `A Location gives the identity that the body lacks`(_ reply: StubTransport.Reply) async throws {
        var reply = reply
        reply.headerFields[.location] = "/posts/5"
        let service = try Service(emptyReplies: [], stub: StubTransport { [reply] _ in reply })
        let post = Post(in: service.main)
        post.title = "A"
        try await post.create()
        #expect(post.identifier == 5 && post.title == "A" && !post.hasChanges)
    }

    @Model("/v1/clients") final class Client {
        var identifier: String?
    }

    @Test(
        arguments: [
            ("/v1/clients/c1", "c1"), ("/v1/clients/c1/activation", nil), ("/v1/clients/", nil),
            ("/v1/clients/a%2Fb", "a/b"),
        ] as [(String, String?)])
    func `A Location below the object's URL gives no identity`(_ location: String, _ identity: String?) async throws {
        let service = try Service(
            [Client.self], emptyReplies: [],
            stub: StubTransport { _ in .status(201, headerFields: [.location: location]) })
        let client = Client(in: service.main)
        let error = await failure { try await client.create() }
        #expect((error == nil) == (identity != nil) && client.identifier == identity)
    }

    @Test func `An empty identity in a creation's reply creates nothing`() async throws {
        let service = try Service(
            [Client.self], emptyReplies: [], stub: StubTransport { _ in .json(#"{"id": ""}"#, status: 201) })
        let client = Client(in: service.main)
        guard case .notCreated(model: "Client", _, _)? = await failure({ try await client.create() }) else {
            Testing.Issue.record("it was believed")
            return
        }
        #expect(client.identifier == nil && client.isInserted)
    }

    @Test func `A Location is read relative to the redirected URL`() async throws {
        let stub = StubTransport { request in
            request.url.path == "/posts"
                ? .status(307, headerFields: [.location: "/articles"])
                : .status(201, headerFields: [.location: "/articles/9"])
        }
        let store = try Store(
            .temporary, models: Blog.models,
            api: API("https://api.example.com", transport: stub) { FollowRedirects() })
        let post = Post(in: store.main)
        post.title = "A"
        try await post.create()
        #expect(post.identifier == 9 && post.unsentProperties.isEmpty)
        #expect(stub.log == [#"POST /posts {"title":"A"}"#, #"POST /articles {"title":"A"}"#])
    }

    // MARK: Lists and documents

    @Test(
        arguments: [
            .json(#"{"status": "ok"}"#), .json("[]"), .json(#"[{"id": 5}]"#), .json("null"), .json(#"{"id": "abc"}"#),
            .json(#"{"id": 5, "id": 6}"#), .json(#"{"error": {"message": "no"}}"#), .json(#"{"post": {"id": 5}}"#),
            .json(#"{"id": 77}"#, status: 202), .status(204), .status(201), .status(304),
            .status(201, headerFields: [.location: "/posts/5/comments"]),
        ] as [StubTransport.Reply])
    func `A reply without an object adds no member`(_ reply: StubTransport.Reply) async throws {
        let service = try Service(emptyReplies: [], stub: StubTransport { _ in reply })
        let author = try await service.imported(Author.self, #"{"id": 7, "posts": [{"id": 4}]}"#)
        let before = try await service.store.contents()
        let post = Post(in: service.main)
        post.title = "A"
        #expect(await failure { try await author.$posts.add(post) } != nil)
        #expect(post.isInserted && post.unsentProperties == ["title"] && author.posts.map(\.identifier) == [4])
        #expect(try await service.store.contents() == before)
    }

    @Test(arguments: [
        #"{"data": {"type": "jobs", "id": "77"}}"#, #"{"data": {"type": "people", "id": "77"}}"#, #"{"data": null}"#,
        #"{"data": []}"#, #"{"data": [{"type": "articles", "id": "5"}]}"#, #"{"meta": {}}"#, #"{"id": 5}"#,
        #"{"errors": [{"detail": "no"}]}"#, #"{"data": {"type": "articles"}}"#,
    ]) func `A document about another resource creates nothing`(_ body: String) async throws {
        let service = try Service(
            Library.models, conventions: .jsonAPI, emptyReplies: [],
            stub: StubTransport { _ in .json(body, status: 201) })
        let article = Library.Article(in: service.main)
        article.title = "A"
        guard case .notCreated(model: "Article", _, _)? = await failure({ try await article.create() }) else {
            Testing.Issue.record("it was believed")
            return
        }
        #expect(article.isInserted && article.unsentProperties == ["title"])
    }

    @Test func `A creation by PUT takes the identity of the reply and needs one`() async throws {
        for (body, identity) in [(#"{"id": 8}"#, 8), (#"{"id": 5}"#, 5), (#"{"status": "ok"}"#, nil)]
            as [(String, Int?)]
        {
            var conventions = APIConventions.default
            conventions.creates = .put
            let service = try Service(
                conventions: conventions, emptyReplies: [], stub: StubTransport { _ in .json(body) })
            let post = Post(in: service.main)
            post.identifier = 5
            #expect((await failure { try await post.create() } == nil) == (identity != nil))
            #expect(post.identifier == identity ?? 5 && post.isInserted == (identity == nil))
        }
    }

    // MARK: Replies that aren't JSON

    @Test(arguments: ["text/plain", "text/html; charset=utf-8"])
    func `A plain text reply isn't parsed as JSON`(_ type: String) async throws {
        let service = try Service(
            emptyReplies: [],
            stub: StubTransport { request in
                request.method == .post
                    ? Self.words("Created", type, status: 201, location: "/posts/5") : Self.words("OK", type)
            })
        let post = Post(in: service.main)
        post.title = "A"
        try await post.create()
        #expect(post.identifier == 5)
        post.title = "B"
        try await post.save()
        #expect(post.title == "B" && post.unsentProperties.isEmpty)
        try await post.delete()
        #expect(post.isDeleted)
    }

    @Test func `An HTML page of a captive portal is an error`() async throws {
        let page = Self.words("<!DOCTYPE html><html><title>Welcome to the café</title></html>", "text/html")
        let service = try Service(emptyReplies: [], stub: StubTransport { _ in page })
        let author = try await service.imported(
            Author.self, #"{"id": 7, "posts": [{"id": 5, "title": "Old"}], "friends": [{"id": 8}]}"#)
        let post = author.posts[0]
        post.title = "New"
        let before = try await service.store.contents()
        let friend = author.friends[0]
        let new = Post(in: service.main)
        for error in [
            await failure { try await post.delete() }, await failure { try await post.save() },
            await failure { try await new.create() }, await failure { try await post.fetch() },
            await failure { _ = try await author.$posts.fetch() },
            await failure { try await author.$friends.delete(friend) },
            await failure { try await service.main.send(.post, "/posts/5/lock") },
        ] {
            guard case .body? = error else {
                Testing.Issue.record("\(error as Any)")
                continue
            }
        }
        #expect(!post.isDeleted && post.changedProperties == ["title"])
        #expect(try await service.store.contents() == before)
    }

    @Test func `An empty reply to a list throws unless it is declared as empty`() async throws {
        for isDeclared in [false, true] {
            var conventions = APIConventions.default
            if isDeclared { conventions.emptyReplies = .emptyList }
            let service = try Service(
                conventions: conventions, emptyReplies: [], stub: StubTransport { _ in .status(204) })
            let author = try await service.imported(Author.self, #"{"id": 7, "posts": [{"id": 5}]}"#)
            let error = await failure { _ = try await author.$posts.fetch() }
            #expect((error == nil) == isDeclared && author.posts.isEmpty == isDeclared)
        }
    }

    // MARK: Other answers

    @Test func `A 304 to a write throws`() async throws {
        let service = try Service(emptyReplies: [], stub: StubTransport { _ in .status(304) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        let new = Post(in: service.main)
        post.title = "New"
        for error in [
            await failure { try await post.save() }, await failure { try await post.save(using: .put) },
            await failure { try await new.create() }, await failure { try await post.delete() },
        ] { #expect(error?.reply?.status == 304) }
        #expect(!post.isDeleted && post.changedProperties == ["title"] && new.identifier == nil)
    }

    @Test func `The object at a redirect's other URL isn't taken as the created one`() async throws {
        let stub = StubTransport { request in
            switch request.method {
            case .get: .json(#"{"id": 1, "title": "Another"}"#)
            default: .status(303, headerFields: [.location: "/posts/latest"])
            }
        }
        let store = try Store(
            .temporary, models: Blog.models,
            api: API("https://api.example.com", transport: stub) { FollowRedirects() })
        let known = try await store.main.import(Post.self, from: Array(#"{"id": 1, "title": "Known"}"#.utf8)).objects[0]
        let post = Post(in: store.main)
        post.title = "A"
        guard case .redirected(to: let url, _)? = await failure({ try await post.create() }) else {
            Testing.Issue.record("it was believed")
            return
        }
        #expect(url == "https://api.example.com/posts/latest")
        #expect(post.identifier == nil && known.title == "Known" && post.unsentProperties == ["title"])
    }

    // MARK: Identities set by the client

    @Test(arguments: [false, true])
    func `A creation takes the identity that the server gives`(isKnown: Bool) async throws {
        let service = try Service(replies: ["POST /posts": .json(#"{"id": 8, "title": "A"}"#, status: 201)])
        let known = isKnown ? try await service.imported(Post.self, #"{"id": 8, "text": "Words"}"#) : nil
        let post = Post(in: service.main)
        post.identifier = 5
        post.title = "A"
        let remark = Remark(in: service.main)
        remark.post = post
        remark.number = 1
        try await service.main.save()
        try await post.create()
        #expect(post.identifier == 8)
        #expect(try service.main.query(Post.self).count() == 1)
        #expect(try service.main.find(Post.self, 5) == nil)
        #expect(post.unsentProperties.isEmpty && post.comments.first === remark)
        if let known { #expect(known.identifier == 8 && post.text == "Words" && known.title == "A") }
    }

    @Test(arguments: [false, true])
    func `A nested object created by the server is the sent one with its key`(isKnown: Bool) async throws {
        let body = #"{"id": 1, "number": 1, "labels": [{"id": 99, "name": "new"}, {"id": 4, "name": "bug"}]}"#
        let service = try Service(
            GitHub.models + [Labelled.self], conventions: .github, replies: ["PATCH /labelled/1": .json(body)])
        let issue = try await service.imported(Labelled.self, #"{"id": 1, "number": 1, "labels": []}"#)
        let bug = try await service.imported(Label.self, #"{"id": 4, "name": "bug"}"#)
        let known = isKnown ? try await service.imported(Label.self, #"{"id": 99, "name": "old"}"#) : nil
        let new = Label(in: service.main)
        new.name = "new"
        issue.labels = [new, bug]
        try await issue.save()
        #expect(service.stub.log == [#"PATCH /labelled/1 {"labels":["new","bug"]}"#])
        #expect(issue.labels.map(\.identifier) == [99, 4] && new.identifier == 99)
        #expect(try service.main.query(Label.self).count() == 2)
        if let known { #expect(known.name == "new") }
    }
}
