import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// The target of a 303 redirect shows the result of a change if it is the object's own URL, and otherwise nothing.
@MainActor @Suite struct SeeOtherTests {
    private nonisolated static let base = "https://api.example.com/v1"

    /// - Parameters:
    ///   - locations: by the path and query of a request, or its method and these, the redirect's target.
    ///   - pages: the reply to a GET of any other URL, by its whole URL.
    private func service(
        _ models: [any Model.Type] = Blog.models, conventions: APIConventions = .default,
        redirecting locations: [String: (status: Int, location: String)],
        to pages: [String: StubTransport.Reply] = [:], retries: Bool = false
    ) throws -> (stub: StubTransport, store: Store) {
        let stub = StubTransport { request in
            let path = request.url.path
            if let (status, location) = locations["\(request.method) \(path)"] {
                return .status(status, headerFields: [.location: location])
            }
            return pages[request.url.absoluteString] ?? .json(#"{"message": "Not Found"}"#, status: 404)
        }
        let api = API(Self.base, conventions: conventions, transport: stub) {
            if retries { Retry() }
            FollowRedirects()
        }
        return (stub, try Store(.temporary, models: models, api: api))
    }

    private func isRedirected(_ error: APIError?) -> Bool {
        if case .redirected? = error { true } else { false }
    }

    // MARK: Creating

    @Test(arguments: [
        ("/v1/posts/5", "/v1/posts/5", #"{"id": 5, "title": "B"}"#, true),
        (base + "/posts/5", "/v1/posts/5", #"{"id": 5, "title": "B"}"#, true),
        ("posts/5", "/v1/posts/5", #"{"id": "5", "title": "B"}"#, true),
        ("/v1/posts/5/", "/v1/posts/5/", #"{"id": 5, "title": "B"}"#, true),
        ("/v1/posts/5?created=1", "/v1/posts/5?created=1", #"{"id": 5, "title": "B"}"#, true),
        ("/v1/posts/5", "/v1/posts/5", #"[{"id": 5, "title": "B"}]"#, true),
        ("/v1/posts/5", "/v1/posts/5", #"{"title": "B"}"#, false),
        ("/v1/posts/5", "/v1/posts/5", #"{"id": 6, "title": "B"}"#, false),
        ("/v1/posts/5", "/v1/posts/5", "null", false),
        ("/v1/posts/5", "/v1/posts/5", #"{"error": "Not signed in"}"#, false),
        ("/v1/posts/6", "/v1/posts/6", #"{"id": 5, "title": "B"}"#, false),
        ("/v1/posts", "/v1/posts", #"[{"id": 5, "title": "B"}]"#, false),
        ("/posts/5", "/posts/5", #"{"id": 5, "title": "B"}"#, false),
        ("/v1/login", "/v1/login", #"{"id": 5, "title": "B"}"#, false),
        ("/v1/posts/5/edit", "/v1/posts/5/edit", #"{"id": 5, "title": "B"}"#, false),
    ])
    func `A creation's redirect by 303 counts only at the object's own URL`(
        location: String, path: String, body: String, isCreated: Bool
    ) async throws {
        let (stub, store) = try service(
            redirecting: ["POST /v1/posts": (303, location)], to: ["https://api.example.com" + path: .json(body)])
        let post = Post(in: store.main)
        post.title = "A"
        let error = await failure { try await post.create() }
        #expect((error == nil) == isCreated && isRedirected(error) == !isCreated)
        #expect(post.identifier == (isCreated ? 5 : nil) && post.title == (isCreated ? "B" : "A"))
        #expect(post.unsentProperties.isEmpty == isCreated)
        #expect(stub.log == [#"POST /v1/posts {"title":"A"}"#, "GET \(path)"])
        guard isCreated else { return }
        #expect(try store.main.find(Post.self, 5) === post)
        #expect(await failure { try await post.create() }.map(\.description)?.contains("already") == true)
    }

    @Test func `A redirect by 303 to a known object unifies the new object with it`() async throws {
        let (_, store) = try service(
            redirecting: ["POST /v1/posts": (303, "/v1/posts/5")],
            to: [Self.base + "/posts/5": .json(#"{"id": 5, "title": "B"}"#)])
        let known = try await store.imported(Post.self, #"{"id": 5, "title": "A", "text": "T"}"#)
        let post = Post(in: store.main)
        try await post.create()
        #expect(post.identifier == 5 && post.text == "T" && known.title == "B")
        #expect(try store.main.query(Post.self).count() == 1)
    }

    @Test func `A redirect by 303 by way of another origin creates nothing`()
        async throws
    {
        let own = Self.base + "/posts/5"
        for (locations, pages) in [
            (
                ["POST /v1/posts": (303, "https://other.example.com/v1/posts/5")],
                ["https://other.example.com/v1/posts/5"]
            ),
            (
                [
                    "POST /v1/posts": (303, "https://other.example.com/elsewhere"),
                    "GET /elsewhere": (302, own),
                ], [own]
            ),
        ] as [([String: (Int, String)], [String])] {
            let (_, store) = try service(
                redirecting: locations, to: Dictionary(uniqueKeysWithValues: pages.map { ($0, .json(#"{"id": 5}"#)) }))
            let post = Post(in: store.main)
            #expect(isRedirected(await failure { try await post.create() }))
            #expect(post.identifier == nil)
        }
    }

    @Test func `A redirect by 303 may follow and precede other redirects`() async throws {
        let (stub, store) = try service(
            redirecting: [
                "POST /v1/posts": (307, "/v1/entries"), "POST /v1/entries": (303, "/v1/posts/by-title/a"),
                "GET /v1/posts/by-title/a": (302, "/v1/posts/5"),
            ], to: [Self.base + "/posts/5": .json(#"{"id": 5}"#)])
        let post = Post(in: store.main)
        try await post.create()
        #expect(post.identifier == 5 && stub.log.count == 4)
    }

    @Test(arguments: [401, 403, 404, 429, 500])
    func `A failing GET after a 303 leaves the write at risk, and it isn't sent again`(status: Int) async throws {
        let (stub, store) = try service(
            redirecting: ["POST /v1/posts": (303, "/v1/posts/5"), "PATCH /v1/posts/6": (303, "/v1/posts/6")],
            to: [Self.base + "/posts/5": .status(status), Self.base + "/posts/6": .status(status)])
        let post = Post(in: store.main)
        #expect(isRedirected(await failure { try await post.create() }))
        #expect(stub.log.count == 2 && post.identifier == nil)
        let known = try await store.imported(Post.self, #"{"id": 6, "title": "A"}"#)
        known.title = "B"
        #expect(isRedirected(await failure { try await known.save() }))
        // The server may have it.
        known.title = "A"
        #expect(known.unsentProperties == ["title"])
    }

    @Test func `A lost connection after a 303 leaves the write at risk`() async throws {
        let stub = StubTransport { request throws(TransportError) in
            if request.method == .get { throw TransportError(.connectionRefused, request) }
            return .status(303, headerFields: [.location: "/v1/posts/5"])
        }
        let api = API(Self.base, transport: stub) { FollowRedirects() }
        let store = try Store(.temporary, models: Blog.models, api: api)
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "A"}"#)
        post.title = "B"
        guard case .transport(let error)? = await failure({ try await post.save() }) else {
            Testing.Issue.record("it was saved")
            return
        }
        #expect(error.reason == .connectionLost && error.request.method == "PATCH")
        post.title = "A"
        #expect(post.unsentProperties == ["title"])
    }

    @Test func `A redirect by 303 adds a member only if its URL has the owner`() async throws {
        for (owner, isCreated) in [(7, true), (8, false)] {
            let location = "/v1/posts/\(owner)/comments/3"
            let (_, store) = try service(
                redirecting: ["POST /v1/posts/7/comments": (303, location)],
                to: ["https://api.example.com" + location: .json(#"{"number": 3, "text": "B"}"#)])
            let post = try await store.imported(Post.self, #"{"id": 7, "comments": []}"#)
            let remark = Remark(in: store.main)
            remark.text = "A"
            let error = await failure { try await post.$comments.add(remark) }
            #expect((error == nil) == isCreated && isRedirected(error) == !isCreated)
            #expect(remark.number == (isCreated ? 3 : nil) && post.comments.count == (isCreated ? 1 : 0))
        }
    }

    @Model("/Products", object: "/Products(:id)") final class Product {
        var identifier: Int?
        var name = ""
    }

    @Model("/writers", identity: "url") final class Writer {
        var url: URL?
        var name = ""
    }

    @Model("/drafts", creates: .put) final class Draft {
        var identifier: String?
        var name = ""
    }

    @Test func `A redirect by 303 is matched with the model's own URLs`() async throws {
        let (_, store) = try service(
            [Product.self, Writer.self, Draft.self],
            redirecting: [
                "POST /v1/Products": (303, "/v1/Products(5)"), "POST /v1/writers": (303, "/v1/people/3/"),
                "PUT /v1/drafts/a b": (303, "/v1/drafts/a%20b"),
            ],
            to: [
                Self.base + "/Products(5)": .json(#"{"id": 5}"#),
                Self.base + "/people/3/": .json(#"{"url": "https://api.example.com/v1/people/3/", "name": "B"}"#),
                Self.base + "/drafts/a%20b": .json(#"{"id": "a b", "name": "B"}"#),
            ])
        let product = Product(in: store.main)
        try await product.create()
        #expect(product.identifier == 5)
        let writer = Writer(in: store.main)
        try await writer.create()
        #expect(writer.url?.absoluteString == Self.base + "/people/3/" && writer.name == "B")
        let draft = Draft(in: store.main)
        draft.identifier = "a b"
        try await draft.create()
        #expect(draft.name == "B" && draft.unsentProperties.isEmpty)
    }

    @Model("/notes") final class Note {
        var identifier: Int?
        var title = ""
    }

    @Test func `The object after a 303 is read in the API's format`() async throws {
        var enveloped = APIConventions.default
        enveloped.envelopes = .byName
        for (conventions, body) in [
            (.jsonAPI, #"{"data": {"type": "notes", "id": "5", "attributes": {"title": "B"}}}"#),
            (enveloped, #"{"note": {"id": 5, "title": "B"}}"#),
        ] as [(APIConventions, String)] {
            let (_, store) = try service(
                [Note.self], conventions: conventions, redirecting: ["POST /v1/notes": (303, "/v1/notes/5")],
                to: [Self.base + "/notes/5": .json(body)])
            let note = Note(in: store.main)
            try await note.create()
            #expect(note.identifier == 5 && note.title == "B")
        }
    }

    // MARK: Saving

    @Test(arguments: [API.SaveMethod.patch, .put, .post])
    func `A save's redirect by 303 to the object's URL acknowledges it with newer values`(method: API.SaveMethod)
        async throws
    {
        let own = (303, "/v1/posts/5")
        let (stub, store) = try service(
            redirecting: ["PATCH /v1/posts/5": own, "PUT /v1/posts/5": own, "POST /v1/posts/5": own],
            to: [Self.base + "/posts/5": .json(#"{"id": 5, "title": "b", "text": "by another"}"#)])
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "A", "text": "T"}"#)
        post.title = "B"
        try await post.save(using: method)
        #expect(post.title == "b" && post.text == "by another" && post.unsentProperties.isEmpty && !post.hasChanges)
        #expect(stub.log.last == "GET /v1/posts/5" && stub.log.count == 2)
    }

    @Test(arguments: [
        ("/v1/posts/6", #"{"id": 6, "title": "C"}"#), ("/v1/posts/5", #"{"id": 6, "title": "C"}"#),
        ("/v1/posts/5", #"{"title": "C"}"#), ("/v1/login", #"{"id": 5, "title": "C"}"#),
        ("/v1/posts", #"[{"id": 5, "title": "C"}]"#),
    ])
    func `A save's redirect by 303 elsewhere throws and keeps the edits`(location: String, body: String) async throws {
        let (_, store) = try service(
            redirecting: ["PATCH /v1/posts/5": (303, location)],
            to: ["https://api.example.com" + location: .json(body)])
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "A"}"#)
        post.title = "B"
        let error = await failure { try await post.save() }
        #expect(isRedirected(error) && error?.description.contains("PATCH") == true)
        #expect(post.title == "B" && post.unsentProperties == ["title"])
        #expect(try store.main.find(Post.self, 6) == nil)
    }

    @Model("/members", key: "login", identity: "login") final class Member {
        var login: String?
        var name: String?
    }

    @Test func `A save of an edited key is redirected by 303 to the new URL`() async throws {
        let (_, store) = try service(
            [Member.self, User.self, Repository.self, Issue.self, Label.self, Milestone.self, Comment.self],
            redirecting: [
                "PATCH /v1/members/ada": (303, "/v1/members/bob"), "PATCH /v1/users/ada": (303, "/v1/users/bob"),
            ],
            to: [
                Self.base + "/members/bob": .json(#"{"login": "bob", "name": "B"}"#),
                Self.base + "/users/bob": .json(#"{"id": 1, "login": "bob", "name": "B"}"#),
            ])
        let member = try await store.imported(Member.self, #"{"login": "ada"}"#)
        member.login = "Bob"
        try await member.save()
        #expect(member.login == "bob" && member.name == "B" && member.unsentProperties.isEmpty)
        let user = try await store.imported(User.self, #"{"id": 1, "login": "ada"}"#)
        user.login = "bob"
        try await user.save()
        #expect(user.name == "B" && user.unsentProperties.isEmpty)
    }

    @Test func `An edit made during the GET after a 303 stays`() async throws {
        let held = HeldTransport()
        let api = API(Self.base, transport: held) { FollowRedirects() }
        let store = try Store(.temporary, models: Blog.models, api: api)
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "A", "text": "T"}"#)
        (post.title, post.text) = ("B", "U")
        let saving = Task { try await post.save() }
        await held.wait(for: 1)
        held.answer(0, .status(303, headerFields: [.location: "/v1/posts/5"]))
        await held.wait(for: 2)
        post.title = "C"
        held.answer(1, .json(#"{"id": 5, "title": "B", "text": "u"}"#))
        try await saving.value
        #expect(post.title == "C" && post.text == "u" && post.unsentProperties == ["title"])
    }

    // MARK: Deleting

    @Test(arguments: [
        (true, true, true), (false, true, false), (true, false, false),
    ])
    func `A deletion's redirect by 303 is checked like a 404`(isGone: Bool, hasCollection: Bool, isDeleted: Bool)
        async throws
    {
        var pages: [String: StubTransport.Reply] = [:]
        if !isGone { pages[Self.base + "/posts/5"] = .json(#"{"id": 5}"#) }
        if hasCollection { pages[Self.base + "/posts"] = .json("[]") }
        let (stub, store) = try service(redirecting: ["DELETE /v1/posts/5": (303, "/v1/posts")], to: pages)
        let post = try await store.imported(Post.self, #"{"id": 5}"#)
        let error = await failure { try await post.delete() }
        #expect((error == nil) == isDeleted && post.isDeleted == isDeleted && isRedirected(error) == !isDeleted)
        #expect(stub.log.prefix(3) == ["DELETE /v1/posts/5", "GET /v1/posts", "GET /v1/posts/5"])
    }

    @Test func `A deletion's redirect by 303 throws if checks are off`() async throws {
        var conventions = APIConventions.default
        conventions.notFoundDeletions = .error
        let (_, store) = try service(
            conventions: conventions, redirecting: ["DELETE /v1/posts/5": (303, "/v1/posts")],
            to: [Self.base + "/posts": .json("[]")])
        let post = try await store.imported(Post.self, #"{"id": 5}"#)
        #expect(isRedirected(await failure { try await post.delete() }) && !post.isDeleted)
    }

    @Test func `A queued deletion's redirect by 303 waits if the server can't answer whether the object is gone`()
        async throws
    {
        let (stub, store) = try service(
            redirecting: ["DELETE /v1/posts/5": (303, "/v1/posts")],
            to: [Self.base + "/posts": .json("[]"), Self.base + "/posts/5": .status(503)])
        let post = try await store.imported(Post.self, #"{"id": 5}"#)
        try await post.delete(.queued)
        let report = await store.outbox.drain()
        #expect(stub.log == ["DELETE /v1/posts/5", "GET /v1/posts", "GET /v1/posts/5"])
        #expect((report.sent, report.waiting, report.rejected) == (0, 1, 0))
    }

    @Test func `A removal's redirect by 303 is a success if the whole list lacks the member`() async throws {
        let (_, store) = try service(
            redirecting: ["DELETE /v1/authors/7/friends/8": (303, "/v1/authors/7")],
            to: [
                Self.base + "/authors/7": .json(#"{"id": 7}"#), Self.base + "/authors/7/friends": .json("[]"),
            ])
        let author = try await store.imported(Author.self, #"{"id": 7, "friends": [{"id": 8}]}"#)
        try await author.$friends.delete(author.friends[0])
        #expect(author.friends.isEmpty)
    }
}
