import RestfulData
import RestfulDataTesting
import Testing

@Model("/notes", saveMethod: .put)
final class Note {
    var identifier: Int?
    var title = ""
    var text: String?
    @Attribute(access: .readOnly) var slug: String?
    @Attribute(access: .createOnly) var language: String?
}

@Model("/machines", discriminator: "kind", saveMethod: .putChanges, creates: .put)
class SavedMachine {
    var id: String?
    var kind = ""
    var title = ""
}

@Model(inherits: SavedMachine.self, as: "lathe")
final class SavedLathe: SavedMachine {
    var speed = 0
}

/// PUT or PATCH: by API, by model, by call.
@MainActor @Suite struct SaveMethodTests {
    nonisolated private static let whole = #"{"id":5,"title":"B","text":"Words"}"#
    nonisolated private static let change = #"{"title":"B"}"#

    @Test(
        arguments: [
            (.patch, nil, "PUT", whole), (.put, nil, "PUT", whole), (.put, .patch, "PATCH", change),
            (.patch, .put, "PUT", whole),
        ] as [(SaveMethod, SaveMethod?, String, String)])
    func `A call's save method comes before the model's and the API's`(
        api: SaveMethod, call: SaveMethod?, method: String, body: String
    ) async throws {
        let service = try Service([Note.self], saveMethod: api, stub: StubTransport { _ in .status(204) })
        let note = try await service.imported(
            Note.self, #"{"id": 5, "title": "A", "text": "Words", "slug": "a", "language": "en"}"#)
        note.title = "B"
        try await note.save(using: call)
        #expect(service.stub.log == ["\(method) /notes/5 \(body)"])
        #expect(!note.hasChanges && note.unsentProperties.isEmpty)
        try await note.save(using: call)
        #expect(service.stub.log.count == 1, "nothing changed since")
    }

    @Test func `A model that inherits is saved and created as its parent declares`() async throws {
        let service = try Service([SavedMachine.self, SavedLathe.self], stub: StubTransport { _ in .status(204) })
        let lathe = try await service.imported(SavedLathe.self, #"{"id": "a", "kind": "lathe", "title": "A"}"#)
        lathe.title = "B"
        try await lathe.save()
        let new = SavedLathe(in: service.main)
        (new.id, new.title) = ("b", "C")
        try await new.create()
        #expect(service.stub.log.first == #"PUT /machines/a {"title":"B"}"#)
        #expect(service.stub.log.last?.hasPrefix("PUT /machines/b ") == true)
        #expect("\(service.store.explain(SavedLathe.self))".contains("the method is declared"))
    }

    @Test func `A model without a save method follows the API or the call`() async throws {
        let service = try Service(saveMethod: .put, stub: StubTransport { _ in .status(204) })
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        author.name = "Ada"
        try await author.save(using: .patch)
        #expect(service.stub.log == [#"PATCH /authors/7 {"name":"Ada"}"#])
    }

    @Test func `The explanation has the save method and its reason`() throws {
        let store = try Store(
            .temporary, models: [Note.self], api: API("https://api.example.com", conventions: .default))
        #expect(
            store.explain(Note.self).contains(
                #"save    PUT /notes/:id     the base URL and the key "id"; the method is declared"#))
    }

    @Test(
        arguments: [(.post, "POST"), (.putChanges, "PUT")] as [(SaveMethod, String)])
    func `Changes are sent by POST or PUT if that is declared`(_ save: SaveMethod, _ method: String) async throws {
        let service = try Service(saveMethod: save, stub: StubTransport { _ in .json(#"{"id": 7, "name": "ADA"}"#) })
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        author.name = "Ada"
        try await author.save()
        #expect(service.stub.log == ["\(method) " + #"/authors/7 {"name":"Ada"}"#])
        #expect(author.name == "ADA" && !author.hasChanges)
    }

    @Test func `A new object's PUT has the set values`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"id": 7, "name": "Ada"}"#) })
        let post = Post(in: service.main)
        post.identifier = 7
        post.title = "A"
        try await post.save(using: .put)
        #expect(service.stub.log == [#"PUT /posts/7 {"id":7,"title":"A"}"#])
    }

    @Test func `A PUT creates an object if that is declared`() async throws {
        var conventions = APIConventions.default
        conventions.creates = .put
        let service = try Service(
            conventions: conventions, emptyReplies: [], stub: StubTransport { _ in .status(201) })
        let post = Post(in: service.main)
        post.identifier = 7
        post.title = "A"
        try await post.create()
        #expect(service.stub.log == [#"PUT /posts/7 {"id":7,"title":"A"}"#])
        #expect(!post.isInserted && post.unsentProperties.isEmpty)
    }

    // MARK: Replies about another object

    @Test(arguments: [nil, .put] as [SaveMethod?])
    func `A reply with a list of the object alone is read as the object`(_ method: SaveMethod?) async throws {
        // As PostgREST answers a change.
        let service = try Service(
            stub: StubTransport { _ in .json(#" [{"id": 5, "title": "Theirs", "slug": "x"} ]"#) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "Mine"
        try await post.save(using: method)
        #expect(post.title == "Theirs" && post.slug == "x" && post.unsentProperties.isEmpty)
    }

    @Test(arguments: [nil, .put] as [SaveMethod?])
    func `A reply about another object is refused and keeps the edits`(_ method: SaveMethod?) async throws {
        let other = Box(true)
        let service = try Service(
            stub: StubTransport { _ in .json(#"{"id": \#(other.value ? 6 : 5), "title": "Theirs", "slug": "x"}"#) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "Mine"
        let before = try await service.store.contents()
        let error = await failure { try await post.save(using: method) }
        guard case .otherObject(model: "Post", _)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(
            error?.description.hasSuffix(
                "/posts/5: the reply is about another Post than the one that was sent; nothing of it was stored")
                == true)
        #expect(try await service.store.contents() == before)
        #expect(post.title == "Mine" && post.changedProperties == ["title"])
        other.value = false
        try await post.save(using: method)
        #expect(post.title == "Theirs" && !post.hasChanges)
    }

    @Test func `A document about another resource is refused`() async throws {
        let id = Box(6)
        let stub = StubTransport { _ in
            .json(#"{"data": {"type": "notes", "id": "\#(id.value)", "attributes": {"title": "Theirs"}}}"#)
        }
        let store = try Store(
            .temporary, models: [Note.self],
            api: API("https://api.example.com", conventions: .jsonAPI, transport: stub))
        let note = try await store.main.import(
            Note.self, from: Array(#"{"data": {"type": "notes", "id": "5", "attributes": {"title": "Old"}}}"#.utf8)
        ).objects[0]
        note.title = "Mine"
        guard case .otherObject(model: "Note", _)? = await failure({ try await note.save() }) else {
            Testing.Issue.record("it was taken")
            return
        }
        #expect(note.title == "Mine" && note.changedProperties == ["title"])
        id.value = 5
        try await note.save()
        #expect(note.title == "Theirs" && !note.hasChanges)
    }

    @Test(arguments: ["5", "\"5\""]) func `A reply's identity may be written in another form`(_ identity: String)
        async throws
    {
        let service = try Service(stub: StubTransport { _ in .json("{\"id\": \(identity), \"title\": \"Theirs\"}") })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "Mine"
        try await post.save()
        #expect(post.title == "Theirs")
    }

    @Test func `A reply may name an edited identity by its old or new value`() async throws {
        let service = try Service(
            GitHub.models + [Named.self],
            stub: StubTransport { request in .json(String(decoding: request.body!.bytes!, as: UTF8.self)) })
        let named = try await service.imported(Named.self, #"{"slug": "a", "title": "A"}"#)
        named.slug = "b"
        named.title = "B"
        try await named.save()
        #expect(named.slug == "b" && named.title == "B" && !named.hasChanges)
    }
}

@Model("/named", key: "number", identity: "slug")
final class Named {
    var slug: String?
    var number = 1
    var title = ""
}
