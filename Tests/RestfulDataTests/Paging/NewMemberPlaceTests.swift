import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@Model("/walls")
final class PostedWall {
    var identifier: Int?
    @Relationship("/walls/:id/posts", inverse: "wall", newMembers: .first) var posts: [PostedNote]
    @Relationship("/walls/:id/tags", inverse: nil) var tags: [PostedTag]
    @Relationship("/walls/:id/newest", inverse: nil, newMembers: .first) var newest: [PostedTag]
}

@Model("/notes")
final class PostedNote {
    var identifier: Int?
    var wall: PostedWall?
}

@Model("/tags")
final class PostedTag {
    var identifier: Int?
}

/// Where members go that a part of a list brings.
@MainActor @Suite struct NewMemberPlaceTests {
    private static let models: [any Model.Type] = [PostedWall.self, PostedNote.self, PostedTag.self]

    private func wall(_ stub: StubTransport) async throws -> (Store, PostedWall) {
        let store = try Store(.temporary, models: Self.models, api: API("https://api.example.com", transport: stub))
        let wall = try await store.imported(
            PostedWall.self,
            """
            {"id": 1, "posts": [{"id": 3}, {"id": 2}, {"id": 1}], "tags": [{"id": 3}, {"id": 2}, {"id": 1}],
             "newest": [{"id": 3}, {"id": 2}, {"id": 1}]}
            """)
        return (store, wall)
    }

    private nonisolated static func list(_ identifiers: [Int]) -> StubTransport.Reply {
        .json("[" + identifiers.map { #"{"id": \#($0)}"# }.joined(separator: ", ") + "]")
    }

    @Test func `A narrowed page of a list declared newest-first puts new members in front`() async throws {
        let (store, wall) = try await wall(StubTransport { _ in Self.list([5, 4, 3]) })
        _ = try await wall.$posts.fetch(query: ["since_id": 2])
        #expect(wall.posts.map(\.identifier) == [5, 4, 3, 2, 1])
        _ = try await wall.$newest.fetch(query: ["since_id": 2])
        #expect(wall.newest.map(\.identifier) == [5, 4, 3, 2, 1])
        _ = try await wall.$tags.fetch(query: ["since_id": 2])
        #expect(wall.tags.map(\.identifier) == [3, 2, 1, 5, 4])
        _ = store
    }

    @Test func `A call's place for new members overrides the relationship's`() async throws {
        let (store, wall) = try await wall(StubTransport { _ in Self.list([5, 4]) })
        _ = try await wall.$posts.fetch(query: ["max_id": 1]) { $0.newMembers = .last }
        #expect(wall.posts.map(\.identifier) == [3, 2, 1, 5, 4])
        _ = try await wall.$tags.fetch(query: ["since_id": 3]) { $0.newMembers = .first }
        #expect(wall.tags.map(\.identifier) == [5, 4, 3, 2, 1])
        _ = store
    }

    @Test func `Further narrowed pages put their new members after the first page's`() async throws {
        let stub = StubTransport { request in
            let isFirst = !"\(request.url)".contains("page=2")
            let url = "https://api.example.com/walls/1/posts?since_id=3&page=2"
            var reply = Self.list(isFirst ? [7, 6] : [5, 4])
            if let link = HTTPField.Name("Link"), isFirst { reply.headerFields[link] = "<\(url)>; rel=\"next\"" }
            return reply
        }
        let (store, wall) = try await wall(stub)
        _ = try await wall.$posts.fetch(query: ["since_id": 3], pages: .all())
        #expect(wall.posts.map(\.identifier) == [7, 6, 5, 4, 3, 2, 1])
        _ = store
    }

    @Test(arguments: [
        ([3, 2], [9], [9, 3, 2, 1]), ([7, 3], [2, 6], [7, 6, 3, 2, 1]), ([3], [3, 2], [3, 2, 1]),
    ])
    func `New members of later pages go in front as well, whichever known members precede them`(
        first: [Int], second: [Int], members: [Int]
    ) async throws {
        let stub = StubTransport { request in
            let isFirst = !"\(request.url)".contains("page=2")
            var reply = Self.list(isFirst ? first : second)
            if let link = HTTPField.Name("Link"), isFirst {
                reply.headerFields[link] = "<\(request.url.absoluteString)&page=2>; rel=\"next\""
            }
            return reply
        }
        let (store, wall) = try await wall(stub)
        _ = try await wall.$posts.fetch(query: ["state": "open"], pages: .all())
        #expect(wall.posts.compactMap(\.identifier) == members)
        _ = try await wall.$newest.fetch(query: ["state": "open"], pages: .all())
        #expect(wall.newest.compactMap(\.identifier) == members)
        _ = store
    }

    @Test func `A whole list has the server's order, and a part keeps the known members' order`() async throws {
        let bodies = Box([Self.list([1, 9, 2]), Self.list([2, 1]), Self.list([1, 2, 8, 9])])
        let (store, wall) = try await wall(StubTransport { _ in bodies.value.removeFirst() })
        _ = try await wall.$posts.fetch()
        #expect(wall.posts.map(\.identifier) == [1, 9, 2])
        _ = try await wall.$posts.fetch(query: ["state": "open"])
        #expect(wall.posts.map(\.identifier) == [1, 9, 2])
        _ = try await wall.$posts.fetch(query: ["state": "open"])
        #expect(wall.posts.map(\.identifier) == [8, 1, 9, 2])
        _ = store
    }

    @Test func `A part of a list in its owner's body puts new members in front`() async throws {
        let (store, wall) = try await wall(StubTransport { _ in Self.list([]) })
        let part =
            #"{"id": 1, "newest": [{"id": 9}], "newest_has_more": true, "tags": [{"id": 9}], "tags_has_more": true}"#
        _ = try await store.imported(PostedWall.self, part)
        #expect(wall.newest.map(\.identifier) == [9, 3, 2, 1])
        #expect(wall.tags.map(\.identifier) == [3, 2, 1, 9])
        _ = store
    }

    @Test func `New members in front keep pending list edits and members added locally`() async throws {
        let (store, wall) = try await wall(StubTransport { _ in Self.list([5, 4]) })
        let added = try await store.imported(PostedTag.self, #"{"id": 8}"#)
        wall.newest.append(added)
        wall.newest.removeAll { $0.identifier == 2 }
        try await store.main.save()
        _ = try await wall.$newest.fetch(query: ["since_id": 3])
        #expect(wall.newest.map(\.identifier) == [5, 4, 3, 1, 8])
        #expect(!wall.unsentProperties.isEmpty)
    }

    @Test func `The place of new members survives a restart and shows in another context`() async throws {
        let file = try TemporaryFile()
        let api = API("https://api.example.com", transport: StubTransport { _ in Self.list([5, 4]) })
        do {
            let store = try Store(.file(file.path), models: Self.models, api: api)
            let wall = try await store.imported(
                PostedWall.self, #"{"id": 1, "posts": [{"id": 3}], "newest": [{"id": 3}]}"#)
            _ = try await wall.$posts.fetch(query: ["since_id": 3])
            _ = try await wall.$newest.fetch(query: ["since_id": 3])
            let background = try await store.background { context in
                try context.query(PostedWall.self).first()?.posts.map(\.identifier)
            }
            #expect(background == [5, 4, 3])
            store.close()
        }
        let store = try Store(.file(file.path), models: Self.models, api: api)
        let wall = try #require(try store.main.query(PostedWall.self).first())
        #expect(wall.posts.map(\.identifier) == [5, 4, 3] && wall.newest.map(\.identifier) == [5, 4, 3])
    }
}
