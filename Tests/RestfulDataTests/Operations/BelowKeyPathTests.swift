import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// The fetched objects are below a key path of the reply.
@MainActor @Suite struct BelowKeyPathTests {
    private func service(_ body: String) throws -> Service { try Service(stub: StubTransport { _ in .json(body) }) }

    @Test func `An object is fetched below a key path, by template and by key`() async throws {
        let service = try service(#"{"ok": true, "data": {"post": {"id": 5, "title": "A"}, "n": 1}}"#)
        let post = try await Post.fetch("/posts/5", at: "data.post", in: service.main)
        #expect(post.identifier == 5 && post.title == "A")
        #expect(try await Post.fetch(key: 5, at: "data.post", in: service.main) === post)
    }

    @Test func `A list is fetched below a key path and becomes the membership`() async throws {
        let service = try service(#"{"data": {"items": [{"id": 3}, {"id": 1}]}, "total": 2}"#)
        let found = try await Author.fetchAll("/search", query: ["q": "a"], at: "data.items", in: service.main)
        #expect(found.map(\.identifier) == [3, 1])
        let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}]}"#)
        let friends = try await author.$friends.fetch(at: "data.items")
        #expect(friends.map(\.identifier) == [3, 1] && author.friends.map(\.identifier) == [3, 1])
    }

    @Test func `A member is fetched below a key path`() async throws {
        let service = try service(#"{"data": {"id": 9, "name": "Ada"}}"#)
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        let friend = try await author.$friends.fetch(9, at: "data")
        #expect(friend.name == "Ada" && author.friends.map(\.identifier) == [9])
    }

    @Test func `All pages are fetched below a key path`() async throws {
        let stub = StubTransport { request in
            request.url.query() == nil
                ? .json(#"{"items": [{"id": 1}]}"#, headerFields: [.init("Link")!: "</authors?page=2>; rel=\"next\""])
                : .json(#"{"items": [{"id": 2}]}"#)
        }
        let service = try Service(stub: stub)
        #expect(try await Author.fetchAll(at: "items", pages: .all(), in: service.main).map(\.identifier) == [1, 2])
    }

    @Test(arguments: [
        #"{"data": {"other": []}}"#, #"{"data": null}"#, "[]", "{}", #"{"data": {"items": {"message": "Not now"}}}"#,
        #"{"data": {"items": 7}}"#,
    ])
    func `A missing key path throws and keeps the list`(_ body: String) async throws {
        let service = try service(body)
        let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}]}"#)
        let before = try await service.store.contents()
        guard
            case .noObject(model: "Author", let report, _)? = await failure({
                try await author.$friends.fetch(at: "data.items")
            })
        else {
            Testing.Issue.record("no error")
            return
        }
        #expect(report.rejectedCount > 0)
        #expect(author.friends.map(\.identifier) == [1, 2])
        #expect(try await service.store.contents() == before)
    }

    @Test func `An empty list below a key path empties the list`() async throws {
        let service = try service(#"{"data": {"items": []}}"#)
        let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 1}]}"#)
        #expect(try await author.$friends.fetch(at: "data.items").isEmpty)
        #expect(author.friends.isEmpty)
    }
}
