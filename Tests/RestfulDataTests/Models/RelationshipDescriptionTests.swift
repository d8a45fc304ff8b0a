import RestfulData
import RestfulDataTesting
import Testing

/// The output of `print` for relationships, pages and versions.
@MainActor @Suite struct RelationshipDescriptionTests {
    @Test func `A relationship's description has its owner and its loaded members`() async throws {
        let service = try Service()
        let author = try await service.imported(
            Author.self, #"{"id": 7, "name": "Ada", "posts": [{"id": 5, "title": "A"}, {"id": 6, "title": "B"}]}"#)
        _ = author.posts
        #expect("\(author.$posts)" == #"Author 7 "Ada" posts: 2 members"#)
        let post = try #require(author.posts.first)
        #expect("\(post.$author)" == #"Post 5 "A" author: Author 7 "Ada""#)
        #expect("\(post.$comments)" == #"Post 5 "A" comments: not loaded"#)
        #expect("\(post.$lastReader)" == #"Post 5 "A" lastReader: nil"#)
    }

    @Test func `A description lists unsent properties and never write-only values`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(204) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        (post.title, post.password, post.lastReader) = ("New", "topsecret", Author(in: service.main))
        #expect("\(post)" == #"Post 5 "New" (unsent: title, password; edited: lastReader)"#)
        var text = ""
        dump(post, to: &text)
        #expect(!text.contains("topsecret"))
        post.rollback(\.lastReader)
        try await post.save()
        #expect("\(post)" == #"Post 5 "New""#)
    }

    @Test func `Pages and versions of a conflict have one-line descriptions`() async throws {
        let service = try Service(
            stub: StubTransport { request in
                request.method == .get
                    ? .json(#"[{"id": 5, "title": "A"}]"#) : .json(#"{"id": 5, "title": "topsecret"}"#, status: 409)
            })
        let page = try #require(try await Post.pages(size: 30, in: service.main).first())
        #expect("\(page)" == "ListPage<Post> 1 (1 object, 1 fetched, the last)")
        let post = try #require(page.objects.first)
        post.title = "B"
        guard case .conflict(let conflict)? = await failure({ try await post.save() }) else {
            Testing.Issue.record("no conflict")
            return
        }
        #expect("\(conflict.local)" == "Post (title)" && !"\(conflict.server as Any)".contains("topsecret"))
    }
}
