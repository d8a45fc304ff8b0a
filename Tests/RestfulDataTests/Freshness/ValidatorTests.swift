import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A server's reply that nothing has changed is accepted as long as the store has the values of the earlier answer.
@MainActor @Suite struct ValidatorTests {
    private static let author = #"{"id": 1, "name": "Ada"}"#
    private static let posts =
        #"[{"id": 1, "title": "one", "author": {"id": 1}}, {"id": 2, "title": "two", "author": {"id": 1}}]"#

    private func subscriber() throws -> Subscriber {
        try Subscriber(Newsstand(["/authors/1": Self.author, "/authors/1/posts": Self.posts, "/posts": Self.posts]))
    }

    @Test func `A repeated request sends the validator, and the store answers a 304`() async throws {
        let subscriber = try subscriber()
        let author = try await Author.fetch(key: 1, in: subscriber.main)
        let posts = try await author.$posts.fetch()
        #expect(subscriber.log() == ["GET /authors/1", "GET /authors/1/posts"])
        let before = try await subscriber.store.contents()
        try await author.fetch()
        let again = try await author.$posts.fetchReporting()
        #expect(subscriber.log() == ["GET /authors/1 ?tag", "GET /authors/1/posts ?tag"])
        #expect(again.objects.elementsEqual(posts, by: ===) && again.source == .validated)
        #expect(again.report.keptAnswers == 1 && again.report.unchanged == 3 && again.report.updated == 0)
        #expect(try await subscriber.store.contents() == before)
        #expect(try await Author.fetch(key: 1, in: subscriber.main) === author)
        #expect(subscriber.log() == ["GET /authors/1 ?tag"])
    }

    @Test func `A stored answer belongs to the relationship it was fetched for`() async throws {
        let subscriber = try subscriber()
        let author = try await Author.fetch(key: 1, in: subscriber.main)
        // The same URL, which the store doesn't know to be the author's list.
        _ = try await Post.fetchAll("/authors/1/posts", in: subscriber.main)
        #expect(author.posts.count == 2)
        _ = try await author.$posts.fetch()
        #expect(subscriber.log() == ["GET /authors/1", "GET /authors/1/posts", "GET /authors/1/posts"])
        // The posts have got their places in that.
        for _ in 0..<2 { _ = try await Post.fetchAll("/authors/1/posts", in: subscriber.main) }
        #expect(subscriber.log() == ["GET /authors/1/posts", "GET /authors/1/posts ?tag"])
        _ = try await author.$posts.fetch()
        #expect(subscriber.log() == ["GET /authors/1/posts ?tag"])
    }

    @Test func `A changed answer replaces the stored one and its validator`() async throws {
        let subscriber = try subscriber()
        _ = try await Post.fetchAll(in: subscriber.main)
        subscriber.newsstand.pages.value["/posts"] = #"[{"id": 2, "title": "new"}, {"id": 3, "title": "three"}]"#
        let fetched = try await Post.fetchAllReporting(in: subscriber.main)
        #expect(fetched.objects.map(\.title) == ["new", "three"] && fetched.source == .network)
        _ = try await Post.fetchAll(in: subscriber.main)
        #expect(subscriber.log() == ["GET /posts", "GET /posts ?tag", "GET /posts ?tag"])
    }

    /// The change of a post, and whether the stored list still equals the server's answer.
    enum Happening: String, CaseIterable {
        case nothing, unsavedEdit, save, setBack, send, deletion, othersWord, sameWord, otherPost, newPost, moved,
            nested
    }

    @Test(arguments: Happening.allCases)
    func `A validator is sent only while the stored objects match the answer`(_ happening: Happening) async throws {
        let subscriber = try subscriber()
        let main = subscriber.main
        let author = try await Author.fetch(key: 1, in: main)
        let posts = try await author.$posts.fetch()
        _ = subscriber.log()
        var isIntact = false
        switch happening {
        case .nothing: isIntact = true
        case .unsavedEdit:
            posts[0].title = "mine"
            isIntact = true
        case .save:
            posts[0].title = "mine"
            try await main.save()
        case .setBack:
            posts[0].title = "mine"
            try await main.save()
            posts[0].rollback()
            posts[0].title = "one"
            try await main.save()
        case .send:
            subscriber.newsstand.pages.value["/posts/1"] = #"{"id": 1, "title": "mine"}"#
            posts[0].title = "mine"
            try await posts[0].save()
            _ = subscriber.log()
        case .deletion:
            main.delete(posts[1])
            try await main.save()
        case .othersWord: try await main.importReporting(Post.self, from: Data(#"{"id": 2, "title": "other"}"#.utf8))
        case .sameWord:
            try await main.importReporting(Post.self, from: Data(#"{"id": 2, "title": "two"}"#.utf8))
            isIntact = true
        case .otherPost:
            try await main.importReporting(Post.self, from: Data(#"{"id": 9, "title": "nine"}"#.utf8))
            try await main.importReporting(Post.self, from: Data(#"{"id": 9, "title": "changed"}"#.utf8))
            isIntact = true
        case .newPost:
            // It joins the list by its link, and is not in the list that the server sent.
            try await main.importReporting(
                Post.self, from: Data(#"{"id": 9, "title": "nine", "author": {"id": 1}}"#.utf8))
            isIntact = true
        case .moved: try await main.importReporting(Post.self, from: Data(#"{"id": 2, "author": {"id": 5}}"#.utf8))
        case .nested: try await main.importReporting(Author.self, from: Data(#"{"id": 1, "name": "Eve"}"#.utf8))
        }
        let fetched = try await author.$posts.fetchReporting()
        #expect(subscriber.log() == ["GET /authors/1/posts" + (isIntact ? " ?tag" : "")])
        #expect(fetched.objects.map(\.identifier) == [1, 2] || happening == .deletion)
        #expect(author.posts.map(\.identifier) == [1, 2] || happening == .deletion)
        let isMine = [.unsavedEdit, .save].contains(happening)
        #expect(posts[0].title == (isMine ? "mine" : "one") || happening == .send)
    }

    @Test func `Another account never sees the first account's validators`() async throws {
        let newsstand = Newsstand(["/posts": Self.posts])
        let file = try TemporaryFile()
        let token = Box("a")
        let subscriber = try Subscriber(newsstand, location: .file(URL(filePath: file.path))) {
            BearerToken { _ in token.value }
            Headers([.acceptLanguage: "de"])
        }
        _ = try await Post.fetchAll(in: subscriber.main)
        let other = try Subscriber(newsstand, location: .file(URL(filePath: file.path))) { BearerToken("b") }
        _ = try await Post.fetchAll(in: other.main)
        #expect(subscriber.log() == ["GET /posts"] && other.log() == ["GET /posts"])
        _ = try await Post.fetchAll(in: other.main)
        _ = try await Post.fetchAll(in: subscriber.main)
        #expect(subscriber.log() == ["GET /posts ?tag"] && other.log() == ["GET /posts ?tag"])
        // Neither has the file the token.
        for suffix in ["", "-wal"] {
            let bytes = FileManager.default.contents(atPath: file.path + suffix) ?? Data()
            #expect(bytes.range(of: Data("Bearer".utf8)) == nil)
        }
    }

    @Test func `An answer with Vary is stored per value of the named fields`() async throws {
        let newsstand = Newsstand(["/posts": Self.posts])
        newsstand.fields.value["/posts"] = [.vary: "Accept-Language, accept"]
        let subscriber = try Subscriber(newsstand)
        func fetch(_ language: String) async throws {
            try await API.withHeaders([.acceptLanguage: language]) { _ = try await Post.fetchAll(in: subscriber.main) }
        }
        try await fetch("de")
        try await fetch("fr")
        #expect(subscriber.log() == ["GET /posts", "GET /posts"])
        try await fetch("de")
        try await fetch("fr")
        #expect(subscriber.log() == ["GET /posts ?tag", "GET /posts ?tag"])
        newsstand.fields.value["/posts"] = [.vary: "*"]
        newsstand.pages.value["/posts"] = "[]"
        for _ in 0..<2 { try await fetch("it") }
        #expect(subscriber.log() == ["GET /posts", "GET /posts"])
    }

    @Test func `An answer with rejected values isn't stored, so each fetch reports them`() async throws {
        let subscriber = try Subscriber(Newsstand(["/posts": #"[{"id": 1, "rating": "good"}]"#]))
        for _ in 0..<2 {
            #expect(try await Post.fetchAllReporting(in: subscriber.main).report.mismatchedCount == 1)
        }
        #expect(subscriber.log() == ["GET /posts", "GET /posts"])
    }

    @Test func `A validator survives a restart but not a migration`() async throws {
        let newsstand = Newsstand(["/posts": Self.posts])
        let file = try TemporaryFile()
        do {
            let subscriber = try Subscriber(newsstand, location: .file(URL(filePath: file.path)))
            _ = try await Post.fetchAll(in: subscriber.main)
        }
        do {
            let subscriber = try Subscriber(newsstand, location: .file(URL(filePath: file.path)))
            #expect(try await Post.fetchAll(in: subscriber.main).map(\.title) == ["one", "two"])
            #expect(subscriber.log() == ["GET /posts ?tag"])
        }
        do {
            // The same tables, read in another way.
            var conventions = APIConventions.default
            conventions.mediaType = "application/vnd.example+json"
            let subscriber = try Subscriber(
                newsstand, location: .file(URL(filePath: file.path)), conventions: conventions)
            _ = try await Post.fetchAll(in: subscriber.main)
            #expect(subscriber.log() == ["GET /posts"])
        }
    }

    /// A server's possible answers to a condition, and the following request.
    @Test func `A 304 with another validator is asked again without a condition`() async throws {
        let newsstand = Newsstand([:])
        let answers = Box([
            StubTransport.Reply.json(Self.posts, headerFields: [.eTag: "\"a\""]),
            .status(304, headerFields: [.eTag: "\"b\""]),
            .json(#"[{"id": 7, "title": "seven"}]"#, headerFields: [.eTag: "\"b\""]),
            .status(304, headerFields: [.eTag: "W/\"b\""]),
        ])
        let stub = StubTransport { _ in answers.value.removeFirst() }
        let store = try Store(
            .temporary, models: Blog.models, api: API("https://api.example.com", transport: stub))
        _ = newsstand
        _ = try await Post.fetchAll(in: store.main)
        #expect(try await Post.fetchAll(in: store.main).map(\.title) == ["seven"])
        #expect(stub.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"a\"", nil])
        #expect(try await Post.fetchAll(in: store.main).map(\.title) == ["seven"])
        #expect(stub.requests.last?.headerFields[.ifNoneMatch] == "\"b\"")
    }

    @Test func `A 304 doesn't confirm objects that changed since the request`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held)
        let first = Task { try await Post.fetchAll(in: store.main).map(\.title) }
        await held.wait(for: 1)
        held.answer(0, .json(Self.posts, headerFields: [.eTag: #""1""#]))
        #expect(try await first.value == ["one", "two"])
        let second = Task { try await Post.fetchAll(in: store.main).map(\.title) }
        await held.wait(for: 2)
        _ = try await store.imported(Post.self, #"{"id": 1, "title": "of another reply"}"#)
        held.answer(1, .status(304, headerFields: [.eTag: #""1""#]))
        // So the request is sent without a condition.
        await held.wait(for: 3)
        held.answer(2, .json(Self.posts, headerFields: [.eTag: #""1""#]))
        #expect(try await second.value == ["one", "two"] && held.log.count == 3)
    }

    @Test func `A caller's own condition is sent unchanged`() async throws {
        let subscriber = try subscriber()
        _ = try await Post.fetchAll(in: subscriber.main)
        let posts = try await API.withHeaders([.ifNoneMatch: "\"mine\""]) {
            try await Post.fetchAll(in: subscriber.main)
        }
        #expect(posts.count == 2)
        #expect(subscriber.stub.requests.last?.headerFields[.ifNoneMatch] == "\"mine\"")
    }

    @Test func `Last-Modified is a validator unless the answer is of the same second`() async throws {
        let newsstand = Newsstand(["/posts": Self.posts])
        newsstand.fields.value["/posts"] = [
            .date: "Sun, 06 Nov 1994 08:49:37 GMT", .lastModified: "Sun, 06 Nov 1994 08:49:36 GMT",
        ]
        let subscriber = try Subscriber(newsstand)
        _ = try await Post.fetchAll(in: subscriber.main)
        _ = try await Post.fetchAll(in: subscriber.main)
        #expect(subscriber.log() == ["GET /posts", "GET /posts ?date"])
    }
}
