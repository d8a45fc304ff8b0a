import RestfulData
import RestfulDataTesting
import Testing

/// An attribute under the key that holds a relationship's identities: both are read, and one of them is sent.
@MainActor @Suite struct SharedKeyTests {
    @Model("/posts") final class Post {
        var identifier: Int?
        var title = ""
        @Relationship(inverse: nil) var labels: [Tag]
        var labelIDs: [Int] = []
        @Relationship(inverse: nil) var owner: Person?
        @Attribute("owner_id") var ownerNumber: Int?
        @Relationship(inverse: nil, sentAs: .key("name")) var marks: [Tag]
        var markIDs: [Int]?
    }

    @Model("/poems") final class Poem {
        var identifier: Int?
        @Relationship(inverse: nil) var labels: [Tag]
        var labelIDs: [Int] = []
    }

    @Model("/plays") final class Play {
        var identifier: Int?
        var title = ""
        @Relationship(inverse: nil) var owner: Person?
        var ownerID: Int?
    }

    @Model("/tags") final class Tag {
        var identifier: Int?
        var name: String?
    }

    @Model("/people") final class Person {
        var identifier: Int?
    }

    private nonisolated static let post =
        #"{"id": 1, "title": "A", "label_ids": [1, 3], "owner_id": 7, "mark_ids": [3]}"#

    private func service(_ conventions: APIConventions = .default) throws -> Service {
        try Service(
            [Post.self, Tag.self, Person.self], conventions: conventions, stub: StubTransport { _ in .status(204) })
    }

    @Test(arguments: [
        post, #"{"id": 1, "title": "A", "labelIds": [1, 3], "owner_id": 7, "markIds": [3]}"#,
        #"{"id": 1, "label_ids": [1, 3], "labels": [{"id": 1}, {"id": 3}], "owner": {"id": 7}, "owner_id": 7, "mark_ids": [3]}"#,
    ]) func `An attribute and a relationship with one key are both read`(body: String) async throws {
        let service = try service()
        let post = try await service.imported(Post.self, body)
        #expect(post.labelIDs == [1, 3] && post.ownerNumber == 7 && post.markIDs == [3])
        #expect(post.$labels.identities == [1, 3] && post.$owner.identity == 7 && post.$marks.identities == [3])
        _ = try await service.imported(Tag.self, #"{"id": 3}"#)
        #expect(post.labels.last?.identifier == 3 && post.marks.map(\.identifier) == [3])
    }

    @Test func `Of an attribute and a relationship with one key, the relationship is sent`() async throws {
        let service = try service()
        let post = try await service.imported(Post.self, Self.post)
        post.labels.append(try await service.imported(Tag.self, #"{"id": 2}"#))
        post.owner = nil
        try await post.save()
        post.title = "B"
        post.markIDs = [4]
        try await post.save()
        #expect(
            service.stub.log == [
                #"PATCH /posts/1 {"label_ids":[1,3,2],"owner_id":null}"#,
                #"PATCH /posts/1 {"title":"B","mark_ids":[4]}"#,
            ])
    }

    @Test func `An edit of an attribute that shares a relationship's key is refused`() async throws {
        let service = try service()
        let post = try await service.imported(Post.self, Self.post)
        post.labelIDs = [1]
        let error = await #expect(throws: StoreError.self) { try await service.main.save() }
        guard case .readOnlyProperty(model: "Post", property: "labelIDs")? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(post.labelIDs == [1, 3] && !post.hasChanges)
    }

    @Test func `The explanation says which property of a shared key is sent`() throws {
        let text = "\(try service().store.explain(Post.self))"
        #expect(text.contains("never sent, but as labels"))
        #expect(text.contains(#"sent as "label_ids""#))
        #expect(text.contains("sent beside marks, whose identities it holds"))
    }

    @Test func `In JSON:API documents an attribute that shares a relationship's key is sent as an attribute`()
        async throws
    {
        let service = try Service(
            [Poem.self, Tag.self], conventions: .jsonAPI, stub: StubTransport { _ in .status(204) })
        let post = try await service.imported(
            Poem.self, #"{"data": {"type": "poems", "id": "1", "attributes": {"label_ids": [1, 3]}}}"#)
        #expect(post.labelIDs == [1, 3] && post.$labels.identities == [1, 3])
        post.labelIDs = [1]
        try await post.save()
        #expect(
            service.stub.log == [
                #"PATCH /poems/1 {"data":{"type":"poems","id":"1","attributes":{"label_ids":[1]}}}"#
            ])
    }

    @Test func `A foreign key attribute of a link has a column of its own`() async throws {
        let service = try Service([Play.self, Person.self], stub: StubTransport { _ in .status(204) })
        let play = try await service.imported(Play.self, #"{"id": 1, "title": "A", "owner_id": 7}"#)
        #expect(play.ownerID == 7 && play.$owner.identity == 7 && play.owner == nil)
        let person = try await service.imported(Person.self, #"{"id": 7}"#)
        #expect(play.owner === person && play.ownerID == 7)
        let found = try service.main.query(Play.self).where { $0.ownerID == 7 }.fetch()
        #expect(found.count == 1)
        play.owner = try await service.imported(Person.self, #"{"id": 8}"#)
        try await play.save()
        play.title = "B"
        try await play.save(using: .put)
        #expect(
            service.stub.log == [
                #"PATCH /plays/1 {"owner_id":8}"#, #"PUT /plays/1 {"id":1,"title":"B","owner_id":8}"#,
            ])
    }
}
