import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// One object at a time: by key, by template, through a relationship.
@MainActor @Suite struct MemberTests {
    // MARK: By key

    @Test func `A member is fetched by its key and linked to its owner`() async throws {
        let service = try Service(
            GitHub.models, conventions: .github,
            replies: ["GET /repos/a/b/issues/1347": .json(#"{"id": 1, "number": 1347, "title": "A"}"#)])
        let repository = try await service.imported(Repository.self, #"{"id": 2, "full_name": "a/b"}"#)
        let issue: Issue = try await repository.$issues.fetch(1347)
        #expect(issue.title == "A" && issue.repository === repository && repository.issues.first === issue)
        #expect(!issue.hasChanges && !service.main.hasChanges)
        #expect(try await repository.$issues.fetch(1347) === issue)
    }

    @Test func `A member's missing identity part is the owner's`() async throws {
        let service = try Service(
            stub: StubTransport { request in .json(#"{"number": 1, "text": "\#(request.url.path())"}"#) })
        let posts = try await service.main.import(Post.self, from: Array(#"[{"id": 5}, {"id": 6}]"#.utf8)).objects
        let first = try await posts[0].$comments.fetch(1)
        let second = try await posts[1].$comments.fetch(1)
        #expect(first !== second && first.post === posts[0] && second.post === posts[1])
        #expect(first.text == "/posts/5/comments/1" && second.text == "/posts/6/comments/1")
    }

    @Test(arguments: [("area/networking", "area%2Fnetworking"), ("size: 100%?", "size:%20100%25%3F"), ("c++", "c++")])
    func `A key is escaped as one segment of a list's URL`(_ name: String, _ segment: String) async throws {
        let service = try Service(
            GitHub.models, conventions: .github,
            stub: StubTransport { $0.method == .get ? .json("{\"id\": 4, \"name\": \"\(name)\"}") : .status(204) })
        let repository = try await service.imported(Repository.self, #"{"id": 2, "full_name": "a/b"}"#)
        let label = try await repository.$labels.fetch(name)
        try await repository.$labels.delete(label)
        #expect(
            service.stub.log == ["GET /repos/a/b/labels/\(segment)", "DELETE /repos/a/b/labels/\(segment)"])
    }

    @Test(arguments: [("area/networking", "area%2Fnetworking"), ("size: 100%?", "size:%20100%25%3F")])
    func `A key is escaped as one segment of an object's URL`(_ name: String, _ segment: String) async throws {
        let service = try Service(
            GitHub.models, conventions: .github, stub: StubTransport { _ in .status(204) })
        let label = try await service.imported(
            Label.self, "{\"id\": 4, \"name\": \"\(name)\", \"repository\": {\"id\": 2, \"full_name\": \"a/b\"}}")
        label.color = "red"
        try await label.save()
        try await label.delete()
        #expect(
            service.stub.log == [
                #"PATCH /repos/a/b/labels/\#(segment) {"color":"red"}"#, "DELETE /repos/a/b/labels/\(segment)",
            ])
        #expect(
            service.store.explain(Repository.self).contains(
                "GET /repos/:full_name                        the base URL and the key \"full_name\", whose slashes stand as they are"
            ))
    }

    @Test func `An object is fetched by its key below the base URL`() async throws {
        let service = try Service(
            GitHub.models, conventions: .github,
            replies: [
                "GET /users/octocat": .json(#"{"id": 1, "login": "octocat"}"#),
                "GET /repos/octocat/Hello-World": .json(#"{"id": 2, "full_name": "octocat/Hello-World"}"#),
            ])
        let octocat = try await User.fetch(key: "octocat", in: service.main)
        #expect(try await User.fetch("/users/:login", ["login": "octocat"], in: service.main) === octocat)
        #expect(try await Repository.fetch(key: "octocat/Hello-World", in: service.main).identifier == 2)
        let blog = try Service(replies: ["GET /posts/5": .json(#"{"id": 5}"#)])
        #expect(try await Post.fetch(key: 5, in: blog.main).identifier == 5)
    }

    // MARK: By template

    @Test func `A fetch takes an absolute URL and a query, and the first object of a list`() async throws {
        let service = try Service(
            stub: StubTransport { request in
                #expect(request.url.absoluteString == "https://other.example.com:8080/p/5?a=b&c=d%20e")
                return .json(#"[{"id": 5}, {"id": 6}]"#)
            })
        let post = try await Post.fetch(
            "https://other.example.com:8080/p/:nr?a=:b", ["nr": 5, "b": "b"], query: ["c": "d e"], in: service.main)
        #expect(post.identifier == 5)
    }

    @Test(arguments: [
        ("[]", ""), ("null", "; the body: null where a Post was expected"),
        (#"{"name": 1}"#, #"; the body: a Post without an identity ("id")"#),
        ("[1]", "; [0]: a number where a Post was expected"), (#"["t0ken"]"#, "; [0]: text where a Post was expected"),
    ])
    func `A reply without the requested object throws an error with the found value`(_ body: String, _ reason: String)
        async throws
    {
        let service = try Service(stub: StubTransport { _ in .json(body) })
        let post = try await service.imported(Post.self, #"{"id": 5}"#)
        let one = await failure { _ = try await Post.fetch("/posts/:id", ["id": 5], in: service.main) }
        #expect(one?.description == "GET https://api.example.com/posts/5: the reply holds no Post" + reason)
        let byKey = await failure { _ = try await Post.fetch(key: 5, in: service.main) }
        #expect(byKey?.description == one?.description)
        let own = await failure { try await post.fetch() }
        // The reply to a request of an object's own URL need not repeat the identity, but must have one of its values.
        let nothing =
            "GET https://api.example.com/posts/5: the reply holds no Post; the body: an object with nothing of a Post"
        #expect(own?.description == (body.hasPrefix("{") ? nothing : one?.description))
    }

    // MARK: Anew

    @Test func `A refetched object keeps edits and updates every context`() async throws {
        let service = try Service(replies: ["GET /posts/5": .json(#"{"id": 5, "title": "Theirs", "text": "Words"}"#)])
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "Mine"
        try await service.store.background { context in
            let same = try #require(try context.find(Post.self, 5))
            try await same.fetch()
            #expect(same.title == "Theirs")
        }
        #expect(post.title == "Mine" && post.text == "Words" && post.changedProperties == ["title"])
        service.main.rollback()
        #expect(post.title == "Theirs")
    }

    @Test func `A new object is completed by a fetch with its key`() async throws {
        let service = try Service(
            GitHub.models, conventions: .github,
            replies: ["GET /users/ada": .json(#"{"id": 1, "login": "ada", "name": "Ada"}"#)])
        let ada = User(in: service.main)
        ada.login = "ada"
        ada.isSiteAdmin = true
        try await ada.fetch()
        #expect(ada.identifier == 1 && ada.name == "Ada" && ada.isSiteAdmin)
        #expect(ada.changedProperties == ["isSiteAdmin"])
        #expect(try service.main.find(User.self, 1) === ada)
        #expect(try await !service.store.contents().contains("login = \"ada\" (unsent)"))
    }

    @Test func `A reply about another object throws, and the other object is stored`() async throws {
        let service = try Service(replies: ["GET /posts/5": .json(#"{"id": 6, "title": "Other"}"#)])
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        #expect(await failure { try await post.fetch() }?.description.contains("holds no Post") == true)
        #expect(post.title == "Old" && post.identifier == 5)
        #expect(try service.main.find(Post.self, 6)?.title == "Other")
    }

    @Test func `A 304 leaves an object unchanged`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(304) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        try await API.withHeaders([.ifNoneMatch: "\"a\""]) { try await post.fetch() }
        #expect(post.title == "Old")
    }

    // MARK: To-one

    @Test func `A to-one relationship is fetched by its own route or its target's`() async throws {
        let service = try Service(replies: [
            "GET /authors/7/favourite": .json(#"{"id": 5, "title": "A"}"#),
            "GET /authors/7": .json(#"{"id": 7, "name": "Ada"}"#),
        ])
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        let favourite: Post? = try await author.$favourite.fetch()
        #expect(favourite?.title == "A" && author.favourite === favourite)
        favourite?.author = author
        #expect(try await favourite?.$author.fetch() === author && author.name == "Ada")
        #expect(try await favourite?.$lastReader.fetch() == nil)
        #expect(service.stub.log == ["GET /authors/7/favourite", "GET /authors/7"])
    }

    @Test(arguments: [StubTransport.Reply.status(204), .json("null"), .json(" null\n")])
    func `A fetched to-one relationship can be nil`(_ reply: StubTransport.Reply) async throws {
        let service = try Service(stub: StubTransport { _ in reply })
        let author = try await service.imported(Author.self, #"{"id": 7, "favourite": {"id": 5}}"#)
        #expect(try await author.$favourite.fetch() == nil)
        #expect(author.favourite == nil)
    }

    @Test func `A 304 leaves a to-one relationship unchanged`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(304) })
        let author = try await service.imported(Author.self, #"{"id": 7, "favourite": {"id": 5}}"#)
        let none = try await service.imported(Author.self, #"{"id": 8}"#)
        let stored = try await service.store.contents()
        let (one, other) = try await API.withHeaders([.ifModifiedSince: "Sun, 06 Nov 1994 08:49:37 GMT"]) {
            (try await author.$favourite.fetch(), try await none.$favourite.fetch())
        }
        #expect(one === author.favourite && other == nil)
        #expect(author.favourite?.identifier == 5)
        #expect(try await service.store.contents() == stored)
    }

    @Test func `A fetched to-one relationship keeps a pending edit`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"id": 5}"#) })
        let author = try await service.imported(Author.self, #"{"id": 7, "favourite": {"id": 6}}"#)
        author.favourite = nil
        #expect(try await author.$favourite.fetch()?.identifier == 5)
        #expect(author.favourite == nil)
        try await service.main.save()
        try await author.$favourite.fetch()
        #expect(author.favourite == nil)
    }

    // MARK: Adding and removing

    @Test func `An added member is last in its list and linked on both sides`() async throws {
        let service = try Service(
            stub: StubTransport { request in request.method == .post ? .json(#"{"id": 6, "title": "A"}"#) : .status(204)
            })
        let author = try await service.imported(Author.self, #"{"id": 7, "posts": [{"id": 5}, {"id": 4}]}"#)
        let post = Post(in: service.main)
        post.title = "a"
        try await author.$posts.add(post)
        #expect(author.posts.map(\.identifier) == [5, 4, 6] && author.posts.last === post && post.author === author)
        #expect(!service.main.hasChanges)
        try await author.$posts.delete(post)
        #expect(author.posts.map(\.identifier) == [5, 4] && post.author == nil && !post.isDeleted)
        #expect(service.stub.log == [#"POST /authors/7/posts {"title":"a"}"#, "DELETE /authors/7/posts/6"])
    }

    @Test func `A list with edits gains an added member and sends it with them`() async throws {
        let service = try Service(
            stub: StubTransport { request in request.method == .post ? .json(#"{"id": 9}"#) : .status(204) })
        let author = try await service.imported(
            Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}, {"id": 3}]}"#)
        author.friends = [author.friends[2], author.friends[1]]
        let friend = Author(in: service.main)
        try await author.$friends.add(friend)
        #expect(author.friends.map(\.identifier) == [3, 2, 9])
        try await author.$friends.delete(author.friends[1])
        #expect(author.friends.map(\.identifier) == [3, 9])
        try await author.save()
        #expect(service.stub.log.last == #"PATCH /authors/7 {"friend_ids":[3,9]}"#)
    }

    @Test(arguments: [false, true])
    func `A member deleted during its addition stays deleted`(isSaved: Bool) async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held)
        let author = try await store.imported(Author.self, #"{"id": 7, "name": "Ada", "posts": []}"#)
        let post = Post(in: store.main)
        if isSaved { try await store.main.save() }
        let adding = Task { try await author.$posts.add(post) }
        await held.wait(for: 1)
        store.main.delete(post)
        held.answer(0, .json(#"{"id": 8}"#, status: 201))
        try await adding.value
        try await store.main.save()
        #expect(post.isDeleted && author.posts.isEmpty && !store.main.hasChanges)
        #expect(try await !store.contents().contains("Post"))
        // An answer to a request shows that the object exists.
        let asking = Task { try await author.$posts.fetch().count }
        await held.wait(for: 2)
        held.answer(1, .json(#"[{"id": 8}]"#))
        #expect(try await asking.value == 1)
        #expect(author.posts.map(\.identifier) == [8])
    }

    @Test func `An object of another context can't be added`() async throws {
        let service = try Service()
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        let other = try Service()
        let stranger = Author(in: other.main)
        guard case .store(.foreignObject(model: "Author")) = await failure({ try await author.$friends.add(stranger) })
        else {
            Testing.Issue.record("a stranger was added")
            return
        }
    }
}
