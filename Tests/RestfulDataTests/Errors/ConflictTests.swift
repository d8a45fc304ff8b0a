import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// 409 and 412: both versions, and unchanged objects.
@MainActor @Suite struct ConflictTests {
    private func conflict(
        _ replies: [String: StubTransport.Reply], _ attempt: (Post) async throws -> Void
    ) async throws -> (Conflict, Service, Post) {
        let service = try Service(replies: replies)
        let post = try await service.imported(
            Post.self, #"{"id": 5, "title": "Old", "text": "Words", "author": {"id": 7}}"#)
        post.title = "Mine"
        post.author = nil
        post.source = "wire"
        let before = try await service.store.contents()
        guard case .conflict(let conflict)? = await failure({ try await attempt(post) }) else {
            throw Missing()
        }
        #expect(try await service.store.contents() == before)
        #expect(post.title == "Mine" && post.changedProperties == ["title", "source", "author"])
        return (conflict, service, post)
    }

    private struct Missing: Error {}

    @Test(
        arguments: [409, 412],
        [
            #"{"id": 5, "title": "Theirs", "rating": "1.5", "meta": {"source": null}, "author_id": 8, "readers": [{"id": 9}]}"#,
            #"{"message": "Stale", "current": {"id": "5", "title": "Theirs", "rating": 1.5, "meta": {"source": null}, "author": {"id": 8}, "reader_ids": [9]}}"#,
        ])
    func `A conflict takes the server's version from the reply's body`(_ status: Int, _ body: String) async throws {
        let (conflict, service, post) = try await conflict(["PATCH /posts/5": .json(body, status: status)]) {
            try await $0.save()
        }
        #expect(conflict.reply.status == status && conflict.reply.kind == .conflict)
        #expect(conflict.local[Post.properties.title] == "Mine")
        #expect(conflict.local[Post.properties.source] == .some("wire"))
        #expect(conflict.local.relationships == ["author": []])
        #expect(conflict.local.names == ["title", "source", "author"])
        let server = try #require(conflict.server)
        #expect(server[Post.properties.title] == "Theirs" && server[Post.properties.rating] == 1.5)
        #expect(server[Post.properties.source] == .some(nil) && server[Post.properties.text] == nil)
        #expect(server.relationships == ["author": [.integer(8)], "readers": [.integer(9)]])
        #expect(conflict.description.hasSuffix("; the server's author, source, title differ"))
        #expect(service.stub.log.count == 1 && post.unsentProperties.count == 3)
    }

    @Test(arguments: ["", #"{"message": "Stale"}"#, "<html>", "[]", #"{"id": 6, "title": "Another"}"#])
    func `A conflict without a body fetches the server's version once`(_ body: String) async throws {
        let (conflict, service, _) = try await conflict([
            "PATCH /posts/5": .json(body, status: 409), "GET /posts/5": .json(#"{"id": 5, "title": "Theirs"}"#),
        ]) { try await $0.save() }
        #expect(conflict.server?.attributes == ["identifier": .integer(5), "title": .text("Theirs")])
        #expect(service.stub.log.map { $0.prefix(8) } == ["PATCH /p", "GET /pos"])
    }

    @Test func `A conflict has no server version if the fetch fails too`() async throws {
        let (conflict, service, post) = try await conflict([
            "PATCH /posts/5": .status(409), "GET /posts/5": .status(500),
        ]) { try await $0.save() }
        #expect(conflict.server == nil && conflict.local[Post.properties.title] == "Mine")
        #expect(service.stub.log.count == 2 && !post.isDeleted)
    }

    @Test func `A deletion's conflict has the whole object as local version`() async throws {
        let (conflict, _, post) = try await conflict([
            "DELETE /posts/5": .json(#"{"id": 5, "title": "Theirs"}"#, status: 412)
        ]) { try await $0.delete() }
        #expect(conflict.local[Post.properties.text] == .some("Words") && conflict.local.names.count == 18)
        #expect(conflict.server?[Post.properties.title] == "Theirs" && !post.isDeleted)
    }

    @Test func `A creation's conflict has the server's version if the reply does`() async throws {
        let service = try Service(replies: ["POST /posts": .json(#"{"id": 5, "title": "Theirs"}"#, status: 409)])
        let post = Post(in: service.main)
        post.title = "Mine"
        guard case .conflict(let conflict)? = await failure({ try await post.create() }) else { throw Missing() }
        #expect(conflict.server?[Post.properties.identifier] == .some(5) && post.identifier == nil)
        #expect(conflict.local.attributes == ["title": .text("Mine")])
        #expect(service.stub.log.count == 1)
    }

    @Test func `An object can be saved again after a conflict`() async throws {
        let stub = StubTransport { request in
            let text = String(decoding: request.body?.bytes ?? [], as: UTF8.self)
            if request.method == .get { return .json(#"{"id": 5, "title": "Theirs", "slug": "v2"}"#) }
            return text.contains("Merged") ? .json(#"{"id": 5, "title": "Merged"}"#) : .status(409)
        }
        let service = try Service(stub: stub)
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "Mine"
        let error = await failure { try await post.save() }
        guard case .conflict(let conflict)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(post.slug == nil, "the server's version was not stored")
        #expect(conflict.server?[Post.properties.title] == "Theirs")
        post.title = "Merged"
        try await post.save()
        #expect(post.title == "Merged" && !post.hasChanges && post.unsentProperties.isEmpty)
    }

    @Test func `Descriptions of a conflict show no values`() async throws {
        let (conflict, _, _) = try await conflict([
            "PATCH /posts/5": .json(#"{"id": 5, "title": "s3cret"}"#, status: 409)
        ]) { try await $0.save() }
        var dumped = ""
        dump(APIError.conflict(conflict), to: &dumped)
        #expect(![dumped, "\(APIError.conflict(conflict))"].contains { $0.contains("s3cret") || $0.contains("Mine") })
    }
}
