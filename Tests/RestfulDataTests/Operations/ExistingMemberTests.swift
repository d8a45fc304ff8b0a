import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Adding an object that the server knows only links it.
@MainActor @Suite struct ExistingMemberTests {
    private func authors(_ reply: StubTransport.Reply, saveMethod: API.SaveMethod = .patch) async throws -> (
        Service, ada: Author, bob: Author
    ) {
        let service = try Service(saveMethod: saveMethod, stub: StubTransport { _ in reply })
        let authors = try await service.main.import(
            Author.self,
            from: Array(
                #"[{"id": 7, "name": "Ada", "posts": [{"id": 5, "title": "A"}]}, {"id": 8, "name": "Bob"}]"#.utf8)
        ).objects
        return (service, authors[0], authors[1])
    }

    @Test(
        arguments: [.status(204), .json(#"{"id": 5, "author_id": 8}"#), .json("true"), .json("{}")]
            as [StubTransport.Reply])
    func `A known member is added by its own link`(_ reply: StubTransport.Reply) async throws {
        let (service, ada, bob) = try await authors(reply)
        let post = ada.posts[0]
        post.title = "Edited"
        try await bob.$posts.add(post)
        #expect(service.stub.log == [#"PATCH /posts/5 {"author_id":8}"#])
        #expect(post.author === bob && bob.posts.map(\.identifier) == [5] && ada.posts.isEmpty)
        #expect(post.changedProperties == ["title"] && post.unsentProperties == ["title"])
        #expect(try await service.store.contents().contains("author → Author 8\n"))
    }

    @Test func `A link with a pending edit follows the member's addition`() async throws {
        let (service, ada, bob) = try await authors(.status(204))
        let post = ada.posts[0]
        post.author = nil
        try await service.main.save()
        post.author = ada
        try await bob.$posts.add(post)
        #expect(post.author === bob && ada.posts.isEmpty && bob.posts.first === post && !post.hasChanges)
        #expect(post.unsentProperties.isEmpty)
    }

    @Test func `A known member is added by a PUT of the whole if the API saves by PUT`() async throws {
        let (service, ada, bob) = try await authors(.status(204), saveMethod: .put)
        let post = ada.posts[0]
        try await bob.$posts.add(post)
        let line = try #require(service.stub.log.first)
        #expect(line.hasPrefix("PUT /posts/5 {") && line.contains(#""title":"A""#) && line.contains(#""author_id":8"#))
        #expect(!line.contains(#""author_id":7"#))
    }

    @Test(arguments: [false, true], [false, true])
    func `A value sent with a member's PUT and set back meanwhile is sent again`(
        isAtOnce: Bool, isAnswered: Bool
    ) async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, [Parcel.self, Van.self])
        let parcel = try await store.imported(Parcel.self, #"{"id": 5, "title": "A", "van": null}"#)
        let van = try await store.imported(Van.self, #"{"id": 8}"#)
        parcel.title = "B"
        let adding = Task { try await van.$parcels.add(parcel) }
        await held.wait(for: 1)
        if isAtOnce { parcel.title = "A" }
        held.answer(0, isAnswered ? .json(#"{"id": 5, "title": "B", "van_id": 8}"#) : .status(204))
        try await adding.value
        #expect(isAtOnce || parcel.unsentProperties == (isAnswered ? [] : ["title"]))
        parcel.title = "A"
        #expect(parcel.unsentProperties == ["title"])
        let saving = Task { try await parcel.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await saving.value
        #expect(
            held.log == [
                #"PUT /parcels/5 {"id":5,"title":"B","van_id":8}"#, #"PUT /parcels/5 {"id":5,"title":"A","van_id":8}"#,
            ])
        #expect(parcel.title == "A" && parcel.unsentProperties == [] && !store.main.hasChanges)
    }

    @Model("/parcels", saveMethod: .put) final class Parcel {
        var identifier: Int?
        var title = ""
        @Relationship(inverse: "parcels") var van: Van?
    }

    @Model("/vans") final class Van {
        var identifier: Int?
        @Relationship("/vans/:id/parcels", inverse: "van") var parcels: [Parcel]
    }

    @Test(
        arguments: [
            .status(204), .json(#"[{"id": 8, "name": "Bob"}]"#), .json(#"{"id": 8, "name": "Bob"}"#),
            .json(#"{"id": 31, "name": "A friendship"}"#), .json(#"[{"friendship": 31}]"#),
        ] as [StubTransport.Reply])
    func `A known member of a one-sided list is posted to the list by identity`(_ reply: StubTransport.Reply)
        async throws
    {
        let (service, ada, bob) = try await authors(reply)
        bob.name = "Robert"
        try await ada.$friends.add(bob)
        #expect(service.stub.log == [#"POST /authors/7/friends {"friend_ids":[8]}"#])
        #expect(ada.friends.map(\.identifier) == [8] && ada.friends[0] === bob)
        #expect(bob.name == "Robert" && bob.changedProperties == ["name"] && !ada.hasChanges)
        #expect(try service.main.query(Author.self).count() == 2)
    }

    @Test func `A known member is posted in the list's own format`() async throws {
        let service = try Service(
            GitHub.models + [Labelled.self], conventions: .github,
            stub: StubTransport { _ in .json(#"[{"id": 4, "name": "bug"}, {"id": 3, "name": "old"}]"#) })
        let issue = try await service.imported(
            Labelled.self, #"{"id": 1, "number": 1, "labels": [{"id": 3, "name": "old"}]}"#)
        let label = try await service.imported(Label.self, #"{"id": 4, "name": "bug"}"#)
        try await issue.$labels.add(label)
        #expect(service.stub.log == [#"POST /labelled/1/labels {"labels":["bug"]}"#])
        #expect(Set(issue.labels.map(\.name)) == ["bug", "old"] && issue.labels.contains { $0 === label })
    }

    @Test func `A list with edits gains the added member and sends it with them`() async throws {
        let (service, ada, bob) = try await authors(.status(204))
        let eve = try await service.imported(Author.self, #"{"id": 9}"#)
        ada.friends = [eve]
        try await ada.$friends.add(bob)
        #expect(ada.friends.map(\.identifier) == [9, 8])
        try await ada.save()
        #expect(service.stub.log.last == #"PATCH /authors/7 {"friend_ids":[9,8]}"#)
    }

    @Test func `A reply about another member is refused`() async throws {
        let (service, ada, bob) = try await authors(.json(#"{"id": 6, "author_id": 8}"#))
        let before = try await service.store.contents()
        let post = ada.posts[0]
        guard case .otherObject(model: "Post", _)? = await failure({ try await bob.$posts.add(post) }) else {
            Testing.Issue.record("it was taken")
            return
        }
        #expect(post.author === ada && bob.posts.isEmpty)
        #expect(try await service.store.contents() == before)
    }

    @Test func `A member whose URL contains the link is posted to the list`() async throws {
        let (service, ada, _) = try await authors(.status(204))
        let post = ada.posts[0]
        let other = try await service.imported(
            Post.self, #"{"id": 6, "comments": [{"number": 1, "text": "First"}]}"#)
        try await post.$comments.add(other.comments[0])
        #expect(service.stub.log == [#"POST /posts/5/comments {"comment_ids":[1]}"#])
    }
}

@Model("/labelled", key: "number")
final class Labelled {
    var identifier: Int?
    var number: Int?
    @Relationship("/labelled/:number/labels", inverse: nil, sentAs: .key("name")) var labels: [Label]
}
