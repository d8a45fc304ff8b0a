import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// The meaning of a 404 to a deletion.
@MainActor @Suite struct NotFoundDeletionTests {
    private func service(
        conventions: APIConventions = .default, _ replies: [String: StubTransport.Reply]
    ) throws -> Service {
        try Service(
            conventions: conventions,
            stub: StubTransport { request in
                let line = "\(request.method.rawValue) \(request.url.path)"
                return replies[line] ?? .json(#"{"message": "Not Found"}"#, status: 404)
            })
    }

    @Test func `A deletion's 404 is a success if the object and its collection confirm it`() async throws {
        let service = try service(["GET /posts": .json("[]")])
        let post = try await service.imported(Post.self, #"{"id": 5}"#)
        try await post.delete()
        #expect(post.isDeleted)
        #expect(service.stub.log == ["DELETE /posts/5", "GET /posts/5", "GET /posts"])
    }

    @Test func `The requests that check a deletion's 404 have the call's query`() async throws {
        let service = try service(["GET /posts": .json("[]")])
        let post = try await service.imported(Post.self, #"{"id": 5}"#)
        try await post.delete { $0.query["team"] = 2 }
        #expect(service.stub.log == ["DELETE /posts/5?team=2", "GET /posts/5?team=2", "GET /posts?team=2"])
    }

    @Test(
        arguments: [
            [:], ["GET /posts/5": .json(#"{"id": 5}"#), "GET /posts": .json("[]")],
            ["GET /posts": .status(403)],
            ["GET /posts": .init(status: 200, body: Array("<html>".utf8))],
        ] as [[String: StubTransport.Reply]])
    func `A deletion's 404 throws if the collection can't be read or has the object`(
        _ replies: [String: StubTransport.Reply]
    ) async throws {
        let service = try service(replies)
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Here"}"#)
        let before = try await service.store.contents()
        #expect(await failure { try await post.delete() }?.reply?.status == 404)
        #expect(!post.isDeleted)
        #expect(try await service.store.contents() == before)
    }

    @Test func `A deletion's 404 throws if that is declared`() async throws {
        var conventions = APIConventions.default
        conventions.notFoundDeletions = .error
        let service = try service(conventions: conventions, ["GET /posts": .json("[]")])
        let post = try await service.imported(Post.self, #"{"id": 5}"#)
        #expect(await failure { try await post.delete() }?.reply?.status == 404)
        #expect(!post.isDeleted && service.stub.log == ["DELETE /posts/5"])
    }

    @Test(
        arguments: [
            (nil, false), (.json("[]"), true), (.json(#"[{"id": 9}]"#), true), (.json(#"[{"id": 8}]"#), false),
            (.json("[]", headerFields: [.init("Link")!: #"</authors/7/friends?page=2>; rel="next""#]), false),
        ] as [(StubTransport.Reply?, Bool)])
    func `A removal's 404 is a success if the whole list lacks the member`(
        _ list: StubTransport.Reply?, _ isGone: Bool
    ) async throws {
        let service = try service(list.map { ["GET /authors/7/friends": $0] } ?? [:])
        let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 8}]}"#)
        let friend = author.friends[0]
        let error = await failure { try await author.$friends.delete(friend) }
        #expect((error == nil) == isGone && author.friends.isEmpty == isGone && !friend.isDeleted)
        #expect(service.stub.log == ["DELETE /authors/7/friends/8", "GET /authors/7/friends"])
    }

    @Test func `A request that a relationship's routes exclude throws before it is sent`() async throws {
        let service = try Service([Band.self, Fan.self], stub: StubTransport { _ in .json("[]") })
        let band = try await service.imported(Band.self, #"{"id": 1, "fans": [{"id": 2}]}"#)
        let fan = band.fans[0]
        let error = await failure { try await band.$fans.delete(fan) }
        #expect(error?.description == "Band.fans has no URL: declare .delete among its `verbs:`.")
        #expect(band.fans.count == 1 && service.stub.log == [])
        #expect(!service.store.explain(Band.self).contains("$fans.delete"))
    }

    @Test func `A member may be added by PUT below the list`() async throws {
        let service = try Service([Band.self, Fan.self], stub: StubTransport { _ in .status(204) })
        let band = try await service.imported(Band.self, #"{"id": 1}"#)
        let fan = try await service.imported(Fan.self, #"{"id": 2}"#)
        try await band.$fans.add(fan)
        try await band.$guests.add(fan)
        #expect(service.stub.log == ["PUT /bands/1/fans/2", "POST /bands/1/guests/2"])
        #expect(band.fans.first === fan && band.guests.first === fan)
        let lines = service.store.explain(Band.self).split(separator: "\n").filter { $0.contains(".add") }
        let routes = lines.map { $0.split(separator: " ", maxSplits: 2).prefix(2).joined(separator: " ") }
        #expect(routes == ["$fans.add POST", "$fans.add PUT", "$guests.add POST", "$guests.add POST"])
    }

    @Test func `JSON:API adds and removes linkage at the relationship's URL`() async throws {
        let service = try Service(
            [Band.self, Fan.self], conventions: .jsonAPI, stub: StubTransport { _ in .status(204) })
        let band = try await service.imported(
            Band.self, #"{"data": {"type": "bands", "id": "1", "attributes": {}}}"#)
        let fan = try await service.imported(Fan.self, #"{"data": {"type": "fans", "id": "2"}}"#)
        try await band.$guests.add(fan)
        try await band.$guests.delete(fan)
        let linkage = #"{"data":[{"type":"fans","id":"2"}]}"#
        #expect(
            service.stub.log == [
                "POST /bands/1/relationships/guests \(linkage)", "DELETE /bands/1/relationships/guests \(linkage)",
            ])
        #expect(band.guests.isEmpty)
    }
}

@Model("/bands")
final class Band {
    var identifier: Int?
    @Relationship("/bands/:id/fans", inverse: nil, verbs: [.fetch, .add], adds: .put()) var fans: [Fan]
    @Relationship("/bands/:id/guests", inverse: nil, adds: .post(hasBody: false)) var guests: [Fan]
}

@Model("/fans")
final class Fan {
    var identifier: Int?
}
