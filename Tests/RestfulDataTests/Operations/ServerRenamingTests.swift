import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A server that gives an object another identity when it accepts a change, such as a slug made from the title.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ServerRenamingTests {
    @Model("/articles", identity: "slug", renames: .byServer) final class Article {
        var slug: String?
        var title = ""
        var text: String?
        var shelf: Shelf?
        var comments: [Comment]
    }

    @Model("/articles/:article.slug/comments", key: "number", identity: "article", "number") final class Comment {
        var article: Article?
        var number: Int?
        var text = ""
    }

    @Model("/shelves") final class Shelf {
        var identifier: Int?
        var articles: [Article]
    }

    @Model("/notes") final class Note {
        var identifier: Int?
        @Relationship(inverse: nil) var article: Article?
        @Relationship(inverse: nil) var articles: [Article]
        @Relationship(inverse: nil) var comment: Comment?
    }

    @Model("/pages", identity: "slug") final class Page {
        var slug: String?
        var title = ""
    }

    private static let models: [any Model.Type] = [
        Article.self, Comment.self, Shelf.self, Note.self, Page.self,
    ]

    private let held = HeldTransport()
    private let store: Store

    init() throws { store = try Store.held(by: held, Self.models) }

    private func article(_ rest: String = #""text": "T""#) async throws -> Article {
        try await store.imported(Article.self, #"{"slug": "old", "title": "Old", \#(rest)}"#)
    }

    private func slugs() throws -> [String?] {
        try store.main.query(Article.self).order { $0.slug }.fetch().map(\.slug)
    }

    private nonisolated static let renamed = StubTransport.Reply.json(#"{"slug": "new-title", "title": "New title"}"#)

    /// Saves a new title, from which the server makes a new slug.
    ///
    /// - Parameter meanwhile: runs while the request is in flight.
    private func rename(
        _ article: Article, answering reply: StubTransport.Reply = renamed, meanwhile: () async throws -> Void = {}
    ) async throws {
        let count = held.log.count
        article.title = "New title"
        let saving = Task { try await article.save() }
        await held.wait(for: count + 1)
        try await meanwhile()
        held.answer(count, reply)
        try await saving.value
    }

    /// Does something that sends one request.
    private func answering(
        _ reply: StubTransport.Reply, _ body: @escaping @MainActor () async throws -> Void
    ) async throws {
        let count = held.log.count
        let task = Task { try await body() }
        await held.wait(for: count + 1)
        held.answer(count, reply)
        try await task.value
    }

    // MARK: The object

    @Test(arguments: [API.SaveMethod.patch, .put, .putChanges, .post])
    func `A save's reply renames the object, and later requests use its new URL`(method: API.SaveMethod)
        async throws
    {
        let article = try await article()
        article.title = "New title"
        try await answering(Self.renamed) { try await article.save(using: method) }
        #expect(article.slug == "new-title" && article.text == "T" && article.unsentProperties.isEmpty)
        #expect(!store.main.hasChanges)
        #expect(try store.main.find(Article.self, "new-title") === article)
        #expect(try store.main.find(Article.self, "old") == nil)
        article.text = "U"
        try await answering(.status(204)) { try await article.save() }
        try await answering(.status(204)) { try await article.delete() }
        #expect(held.log[0].hasPrefix("\(HTTPRequest.Method(method)) /articles/old "))
        #expect(held.log.dropFirst() == [#"PATCH /articles/new-title {"text":"U"}"#, "DELETE /articles/new-title"])
        #expect(article.isDeleted)
    }

    @Test func `A save's reply with another identity is refused unless renaming is declared`() async throws {
        let page = try await store.imported(Page.self, #"{"slug": "old", "title": "Old"}"#)
        page.title = "New title"
        let saving = Task { await failure { try await page.save() } }
        await held.wait(for: 1)
        held.answer(0, Self.renamed)
        guard case .otherObject(model: "Page", _)? = await saving.value else {
            Testing.Issue.record("it was renamed")
            return
        }
        #expect(page.slug == "old" && page.unsentProperties == ["title"])
    }

    @Test(arguments: [
        (#"{"title": "New title"}"#, "old"), (#"{"slug": null, "title": "New title"}"#, "old"),
        (#"{"slug": "old", "title": "New title"}"#, "old"),
        (#"[{"slug": "new-title", "title": "New title"}]"#, "new-title"),
    ])
    func `A save's reply without another identity keeps the identity`(body: String, slug: String) async throws {
        let article = try await article()
        try await rename(article, answering: .json(body))
        #expect(article.slug == slug && article.title == "New title" && article.unsentProperties.isEmpty)
        #expect(try slugs() == [slug])
    }

    @Test func `A fetch's reply with another identity doesn't rename the object`() async throws {
        let article = try await article()
        try await answering(Self.renamed) { _ = await failure { try await article.fetch() } }
        #expect(article.slug == "old" && article.title == "Old")
    }

    @Test func `A redirect by 303 to the new URL renames the object`() async throws {
        let store = try Store(
            .temporary, models: Self.models,
            api: API(
                "https://api.example.com",
                transport: StubTransport { request in
                    request.method == .get
                        ? Self.renamed : .status(303, headerFields: [.location: "/articles/new-title"])
                }
            ) { FollowRedirects() })
        let article = try await store.imported(Article.self, #"{"slug": "old", "title": "Old"}"#)
        article.title = "New title"
        try await article.save()
        #expect(article.slug == "new-title" && article.unsentProperties.isEmpty)
    }

    @Test func `Adding a member by its own link renames it by the reply`() async throws {
        let article = try await article()
        let shelf = try await store.imported(Shelf.self, #"{"id": 1, "articles": []}"#)
        try await answering(.json(#"{"slug": "new", "shelf_id": 1}"#)) { try await shelf.$articles.add(article) }
        #expect(held.log == [#"PATCH /articles/old {"shelf_id":1}"#])
        #expect(article.slug == "new" && shelf.articles.first === article)
    }

    // MARK: Edits meanwhile

    @Test(arguments: [false, true]) func `An edit made during a renaming save stays and is sent to the new URL`(
        isSaved: Bool
    )
        async throws
    {
        let article = try await article()
        try await rename(article) {
            article.title = "Newer"
            article.text = "U"
            if isSaved { try await store.main.save() }
        }
        #expect(article.slug == "new-title" && article.title == "Newer" && article.text == "U")
        #expect(Set(article.unsentProperties) == ["title", "text"])
        try await answering(.status(204)) { try await article.save() }
        #expect(held.log.last == #"PATCH /articles/new-title {"title":"Newer","text":"U"}"#)
    }

    @Test(arguments: [false, true]) func `An identity edited during a renaming save is an edit of the new one`(
        isSaved: Bool
    )
        async throws
    {
        let article = try await article()
        try await rename(article) {
            article.slug = "mine"
            if isSaved { try await store.main.save() }
        }
        #expect(article.slug == "mine" && article.unsentProperties == ["slug"])
        if !isSaved { try await store.main.save() }
        #expect(try await store.imported(Article.self, #"{"slug": "new-title", "text": "U"}"#) === article)
        try await answering(.json(#"{"slug": "mine"}"#)) { try await article.save() }
        #expect(held.log.last == #"PATCH /articles/new-title {"slug":"mine"}"#)
        #expect(article.slug == "mine" && article.text == "U" && article.unsentProperties.isEmpty)
        #expect(try slugs() == ["mine"])
    }

    @Test(arguments: [false, true]) func `The server may normalize a sent identity in its reply`(isSaved: Bool)
        async throws
    {
        let article = try await article()
        article.slug = "Mine"
        if isSaved { try await store.main.save() }
        try await answering(.json(#"{"slug": "mine-2"}"#)) { try await article.save() }
        #expect(article.slug == "mine-2" && article.unsentProperties.isEmpty)
        #expect(try slugs() == ["mine-2"])
    }

    @Test func `A reply renames an object of which another edit was acknowledged meanwhile`() async throws {
        let article = try await article(#""shelf_id": null"#)
        let shelf = try await store.imported(Shelf.self, #"{"id": 1, "articles": []}"#)
        try await rename(article) {
            shelf.articles = [article]
            try await answering(.status(204)) { try await shelf.save() }
        }
        #expect(article.slug == "new-title" && shelf.articles.first === article)
        #expect(try slugs() == ["new-title"])
    }

    // MARK: Requests meanwhile

    @Test func `An older answer with the former identity matches the renamed object`() async throws {
        let article = try await article()
        let main = store.main
        let asking = Task { try await Article.fetchAll(in: main).map(\.slug) }
        let listing = Task { try await Note.fetchAll(in: main).map(\.identifier) }
        await held.wait(for: 2)
        try await rename(article)
        let isArticles = held.log[0] == "GET /articles"
        held.answer(isArticles ? 0 : 1, .json(#"[{"slug": "old", "title": "Old", "text": "U"}, {"slug": "other"}]"#))
        #expect(try await asking.value == ["new-title", "other"])
        held.answer(isArticles ? 1 : 0, .json(#"[{"id": 1, "article": "old", "articles": ["old", "other"]}]"#))
        _ = try await listing.value
        let note = try #require(try main.find(Note.self, 1))
        #expect(note.article === article && note.articles.map(\.slug) == ["new-title", "other"])
        #expect(article.title == "New title")
        #expect(try slugs() == ["new-title", "other"])
    }

    @Test func `An answer with the new identity before the save's reply is the same object`() async throws {
        let article = try await article(#""text": "T", "comments": [{"number": 1, "text": "C"}]"#)
        let comment = article.comments[0]
        let main = store.main
        var twin: Article?
        try await rename(article) {
            try await answering(.json(#"[{"slug": "new-title", "title": "New title", "text": "U"}]"#)) {
                twin = try await Article.fetchAll(in: main)[0]
            }
            #expect(twin !== article)
        }
        #expect(article.slug == "new-title" && article.text == "U" && twin?.slug == "new-title")
        #expect(article.comments.first === comment && comment.article?.slug == "new-title")
        article.text = "V"
        #expect(twin?.text == "V")
        #expect(try slugs() == ["new-title"])
    }

    @Test func `A known row with the new identity is unified with the renamed one`() async throws {
        let article = try await article()
        let other = try await store.imported(Article.self, #"{"slug": "new-title", "text": "U"}"#)
        let note = try await store.imported(Note.self, #"{"id": 1, "article": "old", "articles": ["new-title"]}"#)
        try await rename(article)
        #expect(try slugs() == ["new-title"])
        #expect(article.title == "New title" && other.title == "New title" && article.text == "U")
        #expect(note.article?.slug == "new-title" && note.articles.count == 1)
    }

    @Test func `A reply can't take an identity that another object has as an unsent edit`() async throws {
        let article = try await article()
        let other = try await store.imported(Article.self, #"{"slug": "x"}"#)
        other.slug = "new-title"
        try await store.main.save()
        let (_, report) = try await API.reporting { try await rename(article) }
        #expect(report.rejected.map(\.reason) == [.claimedIdentity])
        #expect(other.slug == "new-title" && article.slug == "old" && article.unsentProperties.isEmpty)
    }

    // MARK: Links to it

    @Test func `Links follow a renamed object, and pending links to the new identity are resolved`() async throws {
        let article = try await article(#""comments": [{"number": 1}]"#)
        let note = try await store.imported(
            Note.self, #"{"id": 1, "article": "old", "articles": ["old"], "comment": {"article": "old", "number": 1}}"#)
        let waiting = try await store.imported(
            Note.self,
            #"{"id": 2, "article": "new-title", "articles": ["new-title"], "comment": {"article": "new-title", "number": 1}}"#
        )
        #expect(waiting.article == nil)
        try await rename(article)
        for note in [note, waiting] {
            #expect(note.article === article && note.articles.first === article)
            #expect(note.comment === article.comments[0])
        }
        let comment = article.comments[0]
        comment.text = "C"
        try await answering(.status(204)) { try await comment.save() }
        try await answering(.json("[]")) { _ = try await article.$comments.fetch() }
        #expect(
            held.log.dropFirst() == [
                #"PATCH /articles/new-title/comments/1 {"text":"C"}"#, "GET /articles/new-title/comments",
            ])
    }

    @Test func `Another context's object is renamed and keeps its edits`() async throws {
        let article = try await article()
        article.text = "mine"
        let saving = Task {
            try await store.background { context in
                let same = try #require(try context.find(Article.self, "old"))
                same.title = "New title"
                try await same.save()
                #expect(same.slug == "new-title")
                #expect(try context.find(Article.self, "new-title") === same)
            }
        }
        await held.wait(for: 1)
        held.answer(0, Self.renamed)
        try await saving.value
        #expect(try store.main.find(Article.self, "new-title") === article)
        #expect(article.title == "New title" && article.text == "mine" && article.changedProperties == ["text"])
        try await answering(.status(204)) { try await article.save() }
        #expect(held.log.last == #"PATCH /articles/new-title {"text":"mine"}"#)
    }

    @Test func `A renamed object has its new identity after a restart`() async throws {
        let file = try TemporaryFile()
        do {
            let service = try Service(
                Self.models, location: .file(file.path), stub: StubTransport { _ in Self.renamed })
            let article = try await service.imported(Article.self, #"{"slug": "old", "title": "Old"}"#)
            article.title = "New title"
            try await article.save()
        }
        let service = try Service(
            Self.models, location: .file(file.path), stub: StubTransport { _ in .status(204) })
        let article = try #require(try service.main.find(Article.self, "new-title"))
        article.title = "Newer"
        try await article.save()
        #expect(service.stub.log == [#"PATCH /articles/new-title {"title":"Newer"}"#])
    }

    @Test func `The explanation says that a save can rename the object`() throws {
        let line = store.explain(Article.self).split(separator: "\n").first { $0.contains("save") }
        #expect(line?.contains("the reply may give the object another identity") == true)
        #expect(!store.explain(Page.self).contains("another identity"))
    }
}

extension HTTPRequest.Method {
    fileprivate init(_ method: API.SaveMethod) {
        self =
            switch method {
            case .patch, .mergePatch, .jsonPatch, .updateMask: .patch
            case .put, .putChanges: .put
            case .post: .post
            }
    }
}
