import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

@testable import ObjectStore

/// The server has executed a request, and the file refuses the result: all of it takes effect once.
@MainActor @Suite struct UnstoredReplyTests {
    private let service: Service
    private let answer = Box(StubTransport.Reply.json(#"{"id": 5, "title": "A", "slug": "a"}"#, status: 201))

    init() throws {
        let stub = StubTransport { [answer] request in
            request.method == .get && request.url.path == "/posts" ? .json("[]") : answer.value
        }
        service = try Service(emptyReplies: [], stub: stub)
    }

    /// Makes the file refuse all writes of posts, and accept them again.
    private func refuseWrites(_ isRefused: Bool) async throws {
        try await service.store.file.write { writer in
            for verb in ["INSERT", "UPDATE", "DELETE"] {
                try writer.connection.execute(
                    isRefused
                        ? "CREATE TRIGGER refuse\(verb) BEFORE \(verb) ON post BEGIN SELECT RAISE(ABORT, 'no room'); END"
                        : "DROP TRIGGER refuse\(verb)")
            }
            return ((), ChangeSet(writer.schema))
        }
    }

    /// The error where the file refuses the result of a request.
    private func refused(_ body: () async throws -> Void) async throws -> String {
        try await refuseWrites(true)
        let error = await failure(body)
        try await refuseWrites(false)
        return error.map { "\($0)" } ?? ""
    }

    private func newPost() -> Post {
        let post = Post(in: service.main)
        post.title = "A"
        return post
    }

    private let created = #"POST /posts {"title":"A"}"#

    // MARK: Creating

    @Test func `An object whose creation's reply couldn't be stored isn't created again`() async throws {
        let post = newPost()
        let said = try await refused { try await post.create() }
        #expect(said.contains("POST https://api.example.com/posts") && said.contains("no room"))
        #expect(said.contains("not created again"), "\(said)")
        #expect(post.isInserted && post.identifier == nil && post.unsentProperties == ["title"])
        answer.value = .json(#"{"id": 6}"#, status: 201)
        try await post.create()
        #expect(service.stub.log == [created])
        #expect(post.identifier == 5 && post.slug == "a" && !post.isInserted && !post.hasChanges)
        #expect(post.unsentProperties.isEmpty)
        guard case .alreadyCreated? = await failure({ try await post.create() }) else {
            Testing.Issue.record("it was created again")
            return
        }
    }

    @Test func `Storing a creation's reply may fail repeatedly without another request`() async throws {
        let post = newPost()
        for _ in 0..<3 { #expect(try await refused { try await post.create() }.contains("no room")) }
        try await post.create()
        #expect(service.stub.log == [created] && post.identifier == 5)
    }

    @Test func `A full disk is named in the error of a creation`() async throws {
        let post = newPost()
        func limit(pages: Int) async throws {
            try await service.store.file.write { writer in
                try writer.connection.execute("PRAGMA max_page_count = \(pages)")
                return ((), ChangeSet(writer.schema))
            }
        }
        try await limit(pages: 1)
        let text = String(repeating: "x", count: 500_000)
        answer.value = .json("{\"id\": 5, \"title\": \"A\", \"text\": \"\(text)\"}", status: 201)
        let error = await failure { try await post.create() }
        #expect(error.map { "\($0)".contains("the disk is full") } == true, "\(String(describing: error))")
        try await limit(pages: 1_000_000)
        try await post.create()
        #expect(service.stub.log == [created] && post.identifier == 5 && post.text == text)
    }

    @Test func `An edit made before a creation's reply is stored stays pending`() async throws {
        let post = newPost()
        _ = try await refused { try await post.create() }
        post.title = "B"
        try await post.create()
        #expect(post.identifier == 5 && post.title == "B" && post.unsentProperties == ["title"])
        answer.value = .status(204)
        try await post.save()
        #expect(service.stub.log == [created, #"PATCH /posts/5 {"title":"B"}"#])
    }

    @Test func `A save before a creation's reply is stored doesn't lose it`() async throws {
        let post = newPost()
        _ = try await refused { try await post.create() }
        try await service.main.save()
        #expect(post.unsentProperties == ["title"])
        try await post.create()
        #expect(service.stub.log == [created] && post.identifier == 5 && post.unsentProperties.isEmpty)
        #expect(try service.main.query(Post.self).count() == 1)
    }

    @Test func `A save or deletion first stores the creation's reply`() async throws {
        for isDeletion in [false, true] {
            let service = try Self()
            let post = service.newPost()
            _ = try await service.refused { try await post.create() }
            if !isDeletion { post.title = "B" }
            service.answer.value = .status(204)
            if isDeletion { try await post.delete() } else { try await post.save() }
            #expect(
                service.service.stub.log
                    == [created, isDeletion ? "DELETE /posts/5" : #"PATCH /posts/5 {"title":"B"}"#])
            #expect(post.isDeleted == isDeletion && post.identifier == 5)
        }
    }

    @Test func `A listed row of an object whose creation couldn't be stored is unified with it`() async throws {
        let post = newPost()
        _ = try await refused { try await post.create() }
        let listed = try await service.imported(Post.self, #"{"id": 5, "title": "C"}"#)
        try await post.create()
        #expect(service.stub.log == [created] && post.identifier == 5 && listed.identifier == 5)
        #expect(try service.main.query(Post.self).count() == 1)
    }

    @Test func `The key in a Location header is kept if it couldn't be stored`() async throws {
        answer.value = .status(201, headerFields: [.init("Location")!: "/posts/5"])
        let post = newPost()
        _ = try await refused { try await post.create() }
        try await post.create()
        #expect(service.stub.log == [created] && post.identifier == 5 && post.title == "A")
    }

    // MARK: Lists

    @Test func `A member whose creation's reply couldn't be stored isn't added again`() async throws {
        let author = try await service.imported(Author.self, #"{"id": 7, "posts": []}"#)
        let post = newPost()
        #expect(try await refused { try await author.$posts.add(post) }.contains("not created again"))
        #expect(author.posts.isEmpty && post.isInserted)
        try await author.$posts.add(post)
        #expect(service.stub.log.count == 1)
        #expect(author.posts == [post] && post.identifier == 5 && post.author === author)
        #expect(post.unsentProperties.isEmpty && author.unsentProperties.isEmpty)
    }

    @Test func `A new object whose reply couldn't be stored is added to a list by its link`() async throws {
        let author = try await service.imported(Author.self, #"{"id": 7, "posts": []}"#)
        let post = newPost()
        _ = try await refused { try await post.create() }
        answer.value = .status(204)
        try await author.$posts.add(post)
        #expect(service.stub.log == [created, #"PATCH /posts/5 {"author_id":7}"#])
        #expect(author.posts == [post] && post.unsentProperties.isEmpty)
    }

    // MARK: Saving and deleting

    @Test func `A save whose reply couldn't be stored stays pending and is repeated`() async throws {
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "A"}"#)
        post.title = "B"
        answer.value = .json(#"{"id": 5, "title": "B", "slug": "b"}"#)
        let said = try await refused { try await post.save() }
        #expect(said.contains("PATCH https://api.example.com/posts/5") && said.contains("sent again"), "\(said)")
        #expect(post.title == "B" && post.unsentProperties == ["title"] && post.slug == nil)
        try await post.save()
        #expect(service.stub.log == Array(repeating: #"PATCH /posts/5 {"title":"B"}"#, count: 2))
        #expect(post.unsentProperties.isEmpty && post.slug == "b")
    }

    @Test(arguments: [404, 410]) func `A deletion whose reply couldn't be stored succeeds when repeated`(
        _ status: Int
    ) async throws {
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "A"}"#)
        answer.value = .status(204)
        let said = try await refused { try await post.delete() }
        #expect(said.contains("DELETE https://api.example.com/posts/5"), "\(said)")
        #expect(!post.isDeleted && post.title == "A")
        answer.value = .status(status)
        try await post.delete()
        #expect(post.isDeleted)
        #expect(try service.main.query(Post.self).count() == 0)
    }
}
