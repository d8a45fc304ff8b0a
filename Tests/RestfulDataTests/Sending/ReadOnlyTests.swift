import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Edits that no request would send.
@MainActor @Suite struct ReadOnlyTests {
    private func service(_ location: Store.Location = .temporary) throws -> Service {
        try Service(location: location, stub: StubTransport { _ in .status(204) })
    }

    private static let stored = #"{"id": 5, "title": "Old", "slug": "old", "language": "en"}"#

    @Test(arguments: ["slug", "language"])
    func `An edit of a read-only attribute is refused by the next save`(_ property: String) async throws {
        let service = try service()
        let post = try await service.imported(Post.self, Self.stored)
        func edit() { if property == "slug" { post.slug = "mine" } else { post.language = "de" } }
        post.title = "New"
        edit()
        #expect(post.slug == "old" && post.language == "en" && post.changedProperties == ["title"])
        let error = await failure { try await post.save() }
        guard case .store(.readOnlyProperty(model: "Post", property)) = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(service.stub.log == [])
        edit()
        await #expect(throws: StoreError.self) { try await service.main.save() }
        try await post.save()
        #expect(service.stub.log == [#"PATCH /posts/5 {"title":"New"}"#])
        #expect(!post.hasChanges && post.unsentProperties == [])
    }

    @Model("/parcels") final class Parcel {
        var identifier: Int?
        var label: Tag?
        @Relationship(inverse: nil) var stops: [Stop]
    }

    @Model(embedded: true) final class Tag {
        var text = ""
        @Attribute(access: .readOnly) var weight: Int?
    }

    @Model(embedded: true) final class Stop {
        var name = ""
        @Attribute(access: .readOnly) var rank = 0
        @Relationship(inverse: nil) var tag: Tag?
    }

    private static let parcels: [any Model.Type] = [Parcel.self, Tag.self, Stop.self]

    @Test(arguments: ["label", "stops", "deep"], [false, true])
    func `An edit of an embedded read-only attribute is refused by the next save`(_ place: String, isContext: Bool)
        async throws
    {
        let service = try Service(Self.parcels, stub: StubTransport { _ in .status(204) })
        let parcel = try await service.imported(
            Parcel.self,
            #"""
            {"id": 1, "label": {"text": "a", "weight": 5},
             "stops": [{"name": "x", "rank": 1, "tag": {"text": "t", "weight": 6}}]}
            """#)
        switch place {
        case "label": parcel.label?.weight = 7
        case "stops": parcel.stops[0].rank = 7
        default: parcel.stops[0].tag?.weight = 7
        }
        #expect(parcel.label?.weight == 5 && parcel.stops[0].rank == 1 && parcel.stops[0].tag?.weight == 6)
        #expect(!service.main.hasChanges)
        parcel.label?.text = "b"
        if isContext {
            let error = await #expect(throws: StoreError.self) { try await service.main.save() }
            #expect(error?.description.contains(place == "stops" ? "Stop.rank" : "Tag.weight") == true)
        } else {
            guard case .store(.readOnlyProperty)? = await failure({ try await parcel.save() }) else {
                Testing.Issue.record("it was taken")
                return
            }
        }
        #expect(service.stub.log == [])
        try await parcel.save()
        #expect(service.stub.log == [#"PATCH /parcels/1 {"label":{"text":"b"}}"#])
    }

    @Test(arguments: [false, true]) func `A read-only attribute of a new embedded object can be set until it is sent`(
        isSaved: Bool
    )
        async throws
    {
        let service = try Service(Self.parcels, stub: StubTransport { _ in .status(204) })
        let parcel = try await service.imported(Parcel.self, #"{"id": 1, "stops": []}"#)
        let (tag, stop) = (Tag(in: service.main), Stop(in: service.main))
        (tag.text, tag.weight, stop.name) = ("t", 1, "s")
        stop.tag = tag
        parcel.stops = [stop]
        if isSaved { try await service.main.save() }
        tag.weight = 2
        stop.rank = 3
        try await parcel.save()
        #expect(service.stub.log == [#"PATCH /parcels/1 {"stops":[{"name":"s","tag":{"text":"t"}}]}"#])
        tag.weight = 4
        #expect(tag.weight == 2)
        guard
            case .store(.readOnlyProperty(model: "Tag", property: "weight"))? = await failure({
                try await parcel.save()
            })
        else {
            Testing.Issue.record("it was taken")
            return
        }
    }

    @Test func `Setting a read-only attribute to its current value is no edit`() async throws {
        let service = try service()
        let post = try await service.imported(Post.self, Self.stored)
        post.slug = "old"
        try await service.main.save()
        #expect(!post.hasChanges)
    }

    @Test func `A read-only attribute of a new object can be set until the server's value comes`()
        async throws
    {
        let service = try Service(stub: StubTransport { _ in .json(#"{"id": 5, "slug": "theirs"}"#, status: 201) })
        let post = Post(in: service.main)
        post.slug = "draft"
        post.language = "de"
        try await service.main.save()
        #expect(post.unsentProperties == ["language"] && post.slug == "draft")
        post.slug = "again"
        try await post.create()
        #expect(service.stub.log == [#"POST /posts {"language":"de"}"#])
        #expect(post.slug == "theirs" && !post.hasChanges && post.unsentProperties == [])
    }

    @Test func `Undo skips read-only attributes that were set before the object was created`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"id": 5, "slug": "theirs"}"#, status: 201) })
        let post = Post(in: service.main)
        let history = service.main.recordUndo()
        history.group { post.title = "A" }
        history.group { post.language = "en" }
        history.group { post.slug = "mine" }
        try await post.create()
        for _ in 0..<3 { #expect(history.undo()) }
        #expect(post.slug == "theirs" && post.language == "en" && post.unsentProperties == ["title"])
        try await post.save()
        #expect(service.stub.log.last == #"PATCH /posts/5 {"title":""}"#)
    }

    @Test func `A draft's edit of a read-only attribute is refused once the object was created`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"id": 5, "slug": "theirs"}"#, status: 201) })
        let post = Post(in: service.main)
        post.title = "A"
        let draft = try service.main.draft()
        let form = try #require(draft.object(for: post))
        (form.title, form.language, form.slug) = ("B", "en", "mine")
        try await post.create()
        try draft.save()
        #expect(post.slug == "theirs" && post.language == nil && post.changedProperties == ["title"])
        guard case .store(.several(let errors))? = await failure({ try await post.save() }) else {
            Testing.Issue.record("it was taken")
            return
        }
        let refused = errors.map { error in
            if case .readOnlyProperty(model: "Post", let property) = error { property } else { "\(error)" }
        }
        #expect(refused.sorted() == ["language", "slug"])
        try await post.save()
        #expect(service.stub.log.last == #"PATCH /posts/5 {"title":"B"}"#)
    }

    @Test func `An edit of an attribute that is declared read-only later is no longer pending`() async throws {
        let file = try TemporaryFile()
        do {
            let store = try Store(.file(file.path), models: [Earlier.Page.self])
            let page = try await store.main.import(Earlier.Page.self, from: Array(#"{"id": 1, "slug": "a"}"#.utf8))
                .objects[0]
            page.slug = "b"
            try await store.main.save()
            #expect(page.unsentProperties == ["slug"])
            store.close()
        }
        let store = try Store(.file(file.path), models: [Later.Page.self])
        let page = try await store.main.import(Later.Page.self, from: Array(#"{"id": 1, "slug": "c"}"#.utf8)).objects[0]
        #expect(page.slug == "c" && page.unsentProperties == [])
    }

    enum Earlier {
        @Model
        final class Page {
            var identifier: Int?
            var slug: String?
        }
    }

    enum Later {
        @Model
        final class Page {
            var identifier: Int?
            @Attribute(access: .readOnly) var slug: String?
        }
    }
}
