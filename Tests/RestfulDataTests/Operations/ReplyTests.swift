import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// The effect of the reply to a write on the object, its relationships, and other contexts.
@MainActor @Suite struct ReplyTests {
    // MARK: Promotion

    @Test func `A created object gets its identity in place and keeps its links`() async throws {
        let service = try Service(replies: ["POST /posts": .json(#"{"id": 5, "title": "A", "slug": "a"}"#, status: 201)]
        )
        let post = Post(in: service.main)
        let picture = try await service.imported(Picture.self, #"{"id": 30}"#)
        let remark = Remark(in: service.main)
        remark.post = post
        remark.number = 1
        post.title = "A"
        post.pictures = [picture]
        try await service.main.save()
        try await post.create()
        #expect(post.identifier == 5 && post.slug == "a" && !post.isInserted && !post.hasChanges)
        #expect(try service.main.find(Post.self, 5) === post)
        #expect(remark.post === post && post.comments.first === remark && post.pictures.first === picture)
    }

    @Test func `Other contexts see the identity of a created object`() async throws {
        let service = try Service(replies: ["POST /posts": .json(#"{"id": 5, "title": "B"}"#, status: 201)])
        let post = Post(in: service.main)
        post.title = "A"
        try await service.main.save()
        try await service.store.background { context in
            let same = try #require(try context.query(Post.self).first())
            try await same.create()
            #expect(same.identifier == 5 && same.title == "B")
        }
        #expect(post.identifier == 5 && post.title == "B")
    }

    @Test func `A creation's reply that names a known row unifies both`() async throws {
        let service = try Service(replies: ["POST /posts": .json(#"{"id": 5, "title": "Theirs"}"#)])
        let known = try await service.imported(Post.self, #"{"id": 5, "title": "Old", "text": "Words"}"#)
        let post = Post(in: service.main)
        post.title = "Mine"
        let remark = Remark(in: service.main)
        remark.post = post
        remark.number = 1
        try await service.main.save()
        try await post.create()
        #expect(try service.main.query(Post.self).count() == 1)
        #expect(post.identifier == 5 && post.title == "Theirs" && post.text == "Words" && !post.hasChanges)
        #expect(known.title == "Theirs" && known.comments.first === remark)
        // Both follow others' changes from now on.
        _ = try await service.store.background { context in
            try await context.importReporting(Post.self, from: Array(#"{"id": 5, "title": "New"}"#.utf8))
        }
        #expect(post.title == "New" && known.title == "New")
    }

    // MARK: Replies without a body

    @Test(arguments: [200, 201, 204, 202])
    func `A reply without a body keeps the sent values`(_ status: Int) async throws {
        let service = try Service(stub: StubTransport { _ in .status(status) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "New"
        post.tags = ["a"]
        try await post.save()
        #expect(post.title == "New" && post.tags == ["a"] && !post.hasChanges)
        let title = try await service.store.background { context in try context.find(Post.self, 5)?.title }
        #expect(title == "New")
        #expect(try await !service.store.contents().contains("unsent"))
    }

    @Test(arguments: [" ", "\n", "null", "true", "[]", "\"created\"", "[{\"id\": 99}]", "{}", "{\"status\": \"ok\"}"])
    func `A reply without properties of the object keeps the sent values`(_ body: String) async throws {
        let service = try Service(stub: StubTransport { _ in .json(body) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "New"
        try await post.save()
        #expect(post.title == "New" && !post.hasChanges)
        #expect(try service.main.query(Post.self).count() == 1)
    }

    @Test(arguments: ["save", "fetch", "add"])
    func `A null identity in a reply is reported and ignored`(_ operation: String) async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"id": null, "title": "Theirs"}"#) })
        let authors = try await service.main.import(
            Author.self, from: Array(#"[{"id": 7, "posts": [{"id": 5, "title": "Old"}]}, {"id": 8}]"#.utf8)
        ).objects
        let post = authors[0].posts[0]
        let report = try await API.reporting {
            switch operation {
            case "save":
                post.title = "Mine"
                try await post.save()
            case "fetch": try await post.fetch()
            default: try await authors[1].$posts.add(post)
            }
        }.report
        #expect(post.identifier == 5 && post.title == "Theirs" && !post.hasChanges)
        #expect(try service.main.find(Post.self, 5) === post)
        #expect(report.mismatched.map(\.description) == ["id: null where the identity of a Post was expected"])
    }

    @Test(arguments: [
        "/posts/5", "https://api.example.com/posts/5", "https://api.example.com/posts/5/",
        "http://internal/posts/5?x=1",
    ])
    func `A Location header gives a created object its identity`(_ location: String) async throws {
        let service = try Service(
            stub: StubTransport { _ in .status(201, headerFields: [.location: location]) })
        let post = Post(in: service.main)
        post.title = "A"
        try await post.create()
        #expect(post.identifier == 5 && post.title == "A" && !post.hasChanges)
        #expect(try service.main.find(Post.self, 5) === post)
        post.title = "B"
        try await post.save()
        #expect(service.stub.log.last == #"PATCH /posts/5 {"title":"B"}"#)
    }

    @Test func `A Location header gives a created object its key for a fetch`() async throws {
        let service = try Service(
            GitHub.models, conventions: .github,
            stub: StubTransport { request in
                request.method == .post
                    ? .status(201, headerFields: [.location: "/repos/a/b/issues/1347"])
                    : .json(#"{"id": 1, "number": 1347, "title": "A"}"#)
            })
        let repository = try await service.imported(Repository.self, #"{"id": 2, "full_name": "a/b"}"#)
        let issue = Issue(in: service.main)
        issue.title = "A"
        try await repository.$issues.add(issue)
        #expect(issue.number == 1347 && issue.identifier == nil)
        try await issue.fetch()
        #expect(issue.identifier == 1 && issue.repository === repository && repository.issues.count == 1)
    }

    @Test func `A Location below another base URL gives the key`() async throws {
        let service = try Service(
            GitHub.models, conventions: .github,
            stub: StubTransport { _ in .status(201, headerFields: [.location: "https://api.example.com/repos/ada/new"])
            })
        let ada = try await service.imported(User.self, #"{"id": 1, "login": "ada"}"#)
        let repository = Repository(in: service.main)
        try await ada.$repositories.add(repository)
        #expect(repository.fullName == "ada/new" && repository.owner === ada)
    }

    @Test func `A Location at an unrelated URL is ignored`() async throws {
        let service = try Service(
            stub: StubTransport { _ in .status(201, headerFields: [.location: "/jobs/77"]) })
        let post = Post(in: service.main)
        try await post.create()
        #expect(post.identifier == nil)
    }

    // MARK: Changes in the reply

    @Test func `A reply's attributes and relationships are imported`() async throws {
        let service = try Service(replies: [
            "PATCH /posts/5": .json(
                #"{"id": 5, "title": "NEW", "slug": "new", "author": {"id": 7, "name": "Ada"}, "readers": [{"id": 7}]}"#
            )
        ])
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old", "reader_ids": []}"#)
        post.title = "new"
        try await post.save()
        #expect(post.title == "NEW" && post.slug == "new" && post.author?.name == "Ada")
        #expect(post.readers.first === post.author)
        #expect(!post.hasChanges)
    }

    @Test func `A save leaves other objects' unsaved edits unsaved`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(204) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        let author = try await service.imported(Author.self, #"{"id": 7, "name": "Ada"}"#)
        author.name = "Bob"
        post.lastReader = author
        post.title = "New"
        try await post.save()
        #expect(author.hasChanges && post.changedProperties == ["lastReader"])
    }

    @Test(arguments: [StubTransport.Reply.status(204), .json(#"{"id": 5, "title": "New"}"#)])
    func `A property that is never sent is stored without being pending`(_ reply: StubTransport.Reply) async throws {
        let service = try Service(stub: StubTransport { _ in reply })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old", "last_reader": {"id": 7}}"#)
        post.lastReader = try await service.imported(Author.self, #"{"id": 8}"#)
        try await service.main.save()
        post.title = "New"
        #expect(post.unsentProperties == ["title"])
        try await post.save()
        #expect(service.stub.log == [#"PATCH /posts/5 {"title":"New"}"#])
        #expect(post.lastReader?.identifier == 8)
        #expect(try await !service.store.contents().contains("unsent"))
        _ = try await service.imported(Post.self, #"{"id": 5, "last_reader": {"id": 7}}"#)
        #expect(post.lastReader?.identifier == 7)
    }

    // MARK: Deletion

    @Test(arguments: [200, 202, 204, 410])
    func `A deleted object is removed from every context`(_ status: Int) async throws {
        let service = try Service(stub: StubTransport { _ in .status(status) })
        let author = try await service.imported(
            Author.self, #"{"id": 7, "posts": [{"id": 5, "comments": [{"number": 1}]}, {"id": 6}]}"#)
        let post = try #require(try service.main.find(Post.self, 5))
        try await service.store.background { context in
            let same = try #require(try context.find(Post.self, 5))
            try await same.delete()
            #expect(same.isDeleted)
        }
        #expect(post.isDeleted && author.posts.map(\.identifier) == [6])
        #expect(try service.main.find(Post.self, 5) == nil)
        #expect(service.stub.log == ["DELETE /posts/5"])
    }

    @Test func `A deleted object keeps its values and can't be sent`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(204) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old", "author_id": 7}"#)
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        try await post.delete()
        for error in [
            await failure { try await post.create() }, await failure { try await post.save() },
            await failure { try await post.fetch() }, await failure { try await post.delete() },
            await failure { try await post.$comments.fetch() }, await failure { try await author.$posts.add(post) },
            await failure { try await author.$posts.delete(post) },
        ] {
            guard case .store(.deletedObject(model: "Post")) = error else {
                Testing.Issue.record("\(error as Any)")
                continue
            }
        }
        #expect(post.title == "Old")
        #expect(service.stub.log == ["DELETE /posts/5"])
    }
}
