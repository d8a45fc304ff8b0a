import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Edits that no request would ever tell the server.
@MainActor @Suite struct ReadOnlyTests {
    private func service(_ location: Store.Location = .temporary) throws -> Service {
        try Service(location: location, stub: StubTransport { _ in .status(204) })
    }

    private static let stored = #"{"id": 5, "title": "Old", "slug": "old", "language": "en"}"#

    @Test(arguments: ["slug", "language"])
    func `An edit of what the server takes no more is refused by the next save`(_ property: String) async throws {
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

    @Test func `What it is already may be set`() async throws {
        let service = try service()
        let post = try await service.imported(Post.self, Self.stored)
        post.slug = "old"
        try await service.main.save()
        #expect(!post.hasChanges)
    }

    @Test func `Before the server knows the object it is a value of this machine, which the server's replaces`()
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

    @Test func `What an older declaration left unsent is not, once it is never sent`() async throws {
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
