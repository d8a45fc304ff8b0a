import Foundation
import OpenAPIFiles
import RestfulData
import RestfulDataOpenAPI
import RestfulDataTesting
import Testing

@Model("/blogs")
private final class Blog {
    var identifier: Int?
    var name = ""
    @Relationship(inverse: "blog") var posts: [Post]
}

@Model("/blogs/:blog.id/posts", saveMethod: .patch)
private final class Post {
    var identifier: Int?
    var titel = ""
    var views: String?
    var likes: Int?
    var publishedAt: Date?
    @Attribute(access: .readOnly) var createdAt: Date?
    var blog: Blog?
    var origin: Origin?
}

@Model(embedded: true)
private final class Origin {
    var host = ""
    var port = 0
}

@Model("/reviewers")
private final class Reviewer {
    var identifier: Int?
}

@Model("/repos", key: "fullName")
private final class Repo {
    var identifier: Int?
    @Attribute(isPath: true) var fullName = ""
    @Relationship(inverse: "repo") var tickets: [Ticket]
}

@Model("/repos/:repo.full_name/tickets", key: "number", envelope: .list("tickets"))
private final class Ticket {
    var identifier: Int?
    var number: Int?
    var repo: Repo?
}

@Model("/images", api: "media")
private final class Image {
    var identifier: Int?
}

@Model("/purchases")
private final class Purchase {
    var identifier: Int?
    @Relationship(json: "buyer_detail", sentKey: "links.buyer_id", inverse: nil) var buyer: Reviewer?
}

/// The reports of `store.check(against:)` on models that fit a description and on others.
@Suite struct DescriptionCheckTests {
    private static let blog = """
        openapi: 3.0.3
        info: { title: Blog }
        servers: [{ url: "https://blog.example/api" }]
        paths:
          /blogs:
            get: { responses: { "200": { $ref: "#/components/responses/Blogs" } } }
            post:
              requestBody:
                content:
                  application/json:
                    schema: { type: object, required: [name, owner], properties: { name: { type: string }, owner: { type: string } } }
              responses: { "201": { $ref: "#/components/responses/Blog" } }
          /blogs/{blog_id}: { get: { responses: { "200": { $ref: "#/components/responses/Blog" } } } }
          /blogs/{blog_id}/posts: { get: { responses: { "200": { $ref: "#/components/responses/Posts" } } } }
          /blogs/{blog_id}/posts/{post_id}:
            get: { responses: { "200": { $ref: "#/components/responses/Post" } } }
            put:
              requestBody:
                content: { application/json: { schema: { type: object, properties: { title: { type: string } } } } }
              responses: { "200": { $ref: "#/components/responses/Post" } }
          /blogs/{blog_id}/posts/{post_id}/publish: { post: { responses: { "204": { description: Published } } } }
          /blogs/{blog_id}/export: { get: { responses: { "302": { description: Found } } } }
          /reviews: { get: { responses: { "200": { $ref: "#/components/responses/Posts" } } } }
          /me: { get: { responses: { "200": { $ref: "#/components/responses/Blog" } } } }
          /stats: { get: { responses: { "200": { content: { application/json: { schema: { type: integer } } } } } } }
          /events: { get: { responses: { "200": { content: { text/event-stream: {} } } } } }
          /search: { post: { responses: { "200": { content: { application/json: { schema: { type: object } } } } } } }
        components:
          responses:
            Blog: { content: { application/json: { schema: { $ref: "#/components/schemas/Blog" } } } }
            Blogs: { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Blog" } } } } }
            Post: { content: { application/json: { schema: { $ref: "#/components/schemas/Post" } } } }
            Posts: { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Post" } } } } }
          schemas:
            Blog: { type: object, properties: { id: { type: integer }, name: { type: string } } }
            Post:
              type: object
              properties:
                id: { type: integer }
                title: { type: string }
                views: { type: integer }
                likes: { type: string }
                publishedAt: { type: string, format: date-time }
                created_at: { type: array, items: { type: integer } }
                blog_id: { type: integer }
                origin: { type: object, properties: { host: { type: string }, port: { type: string } } }
        """

    private func store(_ models: [any Model.Type], at url: String = "https://blog.example/api") throws -> Store {
        try Store(.temporary, models: models, api: API(url))
    }

    private func report(_ models: [any Model.Type], _ text: String = blog) throws -> OpenAPIReport {
        try store(models).check(against: DescriptionReadingTests.read(text, named: "blog.yaml"))
    }

    @Test func `Each operation that a method call sends is reported as covered`() throws {
        let report = try report([Blog.self, Post.self, Origin.self, Reviewer.self])
        #expect(
            report.covered.map { "\($0.operation): \($0.calls.map(\.description).joined(separator: ", "))" } == [
                "GET /blogs: Blog.fetchAll(in:)", "POST /blogs: blog.create()", "GET /blogs/{blog_id}: blog.fetch()",
                "GET /blogs/{blog_id}/posts: blog.$posts.fetch(), Post.fetchAll(in:)",
                "GET /blogs/{blog_id}/posts/{post_id}: post.fetch()",
            ])
    }

    @Test func `Each difference is reported with the property, the operation and a suggestion`() throws {
        let report = try report([Blog.self, Post.self, Origin.self, Reviewer.self])
        let differences = report.differences.map(\.description)
        for line in [
            "Post (PUT /blogs/{blog_id}/posts/{post_id}): post.save() sends PATCH, and the service takes PUT: write saveMethod: "
                + ".put in @Model",
            "Reviewer: the description has no operation at /reviewers; did you mean /reviews?",
            "Blog (POST /blogs): the service needs \"owner\", which blog.create() doesn't send: declare a property",
            "Post.titel (GET /blogs/{blog_id}/posts): no reply has \"titel\"; did you mean \"title\"?",
            "Post.likes (GET /blogs/{blog_id}/posts): the service sends a string, and the property reads a whole number",
            "Post.createdAt (GET /blogs/{blog_id}/posts): the service sends an array, and the property reads a date (ISO 8601 "
                + "or seconds since 1970)",
            "Post.origin.port (GET /blogs/{blog_id}/posts): the service sends a string, and the property reads a whole number",
        ] {
            #expect(differences.contains(line), "\(line)")
        }
        // `views` reads numbers as text, `publishedAt` is the key of another spelling, `blog` comes as `blog_id`.
        #expect(differences.count == 7, "\(differences.joined(separator: "\n"))")
    }

    @Test func `Each operation without a route is reported with a suggestion`() throws {
        let report = try report([Blog.self, Post.self, Origin.self, Reviewer.self])
        #expect(
            report.uncovered.map { "\($0.operation): \($0.kind.rawValue): \($0.suggestion)" } == [
                #"PUT /blogs/{blog_id}/posts/{post_id}: item: @Model("/blogs/:blog_id/posts") final class Post"#,
                #"POST /blogs/{blog_id}/posts/{post_id}/publish: action: object.send(.post, "/blogs/:blog_id/posts/:post_id/publish")"#,
                #"GET /blogs/{blog_id}/export: download: api.download("/blogs/:blog_id/export", ["blog_id": blogId], to: file)"#,
                #"GET /reviews: collection: @Model("/reviews") final class Post"#,
                #"GET /me: singleton: Blog.fetch("/me", in: context)"#,
                #"GET /stats: response: api.json("/stats"), or a @ResponseBody struct"#,
                #"GET /events: request: api.stream("/events")"#,
                #"POST /search: request: api.send(.post, "/search")"#,
            ])
        #expect(report.expressibleCount == 13)
        #expect(report.undescribed.map(\.description).contains("post.delete()"))
    }

    @Test func `The report as text has a section for each list`() throws {
        let text = try report([Blog.self, Post.self, Origin.self, Reviewer.self]).description
        #expect(text.hasPrefix("Blog: 13 operations, 5 covered, 8 not; 7 differences\nDifferences\n  Post (PUT "))
        let titles = text.split(separator: "\n").filter { !$0.hasPrefix(" ") }.dropFirst()
        #expect(titles == ["Differences", "Covered", "Not covered", "Calls without an operation"])
        #expect(text.contains("\n  GET /blogs                            Blog.fetchAll(in:)\n"))
        #expect(
            try (1...3).map { _ in try report([Blog.self, Post.self, Origin.self, Reviewer.self]).description }
                .allSatisfy { $0 == text })
    }

    @Test func `A property can stand for several path segments, and a missing envelope is suggested`() throws {
        let github = """
            openapi: 3.0.0
            paths:
              /repos/{owner}/{repo}: { get: { responses: {} } }
              /repos/{owner}/{repo}/tickets:
                get: { responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Page" } } } } } }
              /repos/{owner}/{repo}/tickets/{number}: { get: { responses: {} }, patch: { responses: {} } }
              /repos/{owner}/{repo}/tickets/{number}/lock: { put: { responses: {} } }
            components:
              schemas:
                Page:
                  type: object
                  properties:
                    total_count: { type: integer }
                    items: { type: array, items: { type: object, properties: { id: { type: integer }, number: { type: integer } } } }
            """
        let report = try report([Repo.self, Ticket.self], github)
        #expect(
            report.covered.map(\.operation) == [
                "GET /repos/{owner}/{repo}", "GET /repos/{owner}/{repo}/tickets",
                "GET /repos/{owner}/{repo}/tickets/{number}", "PATCH /repos/{owner}/{repo}/tickets/{number}",
            ])
        #expect(
            report.differences.map(\.description) == [
                "Ticket (GET /repos/{owner}/{repo}/tickets): the reply has it at \"items\": write envelope: .list(\"items\") in "
                    + "@Model, or envelopes: in the API's conventions"
            ])
        #expect(report.uncovered.map(\.kind) == [.action])
    }

    @Test func `Identities at a key path are found there, in replies and in bodies`() throws {
        let shop = """
            openapi: 3.0.0
            paths:
              /purchases/{id}:
                get: { responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/P" } } } } } }
                patch:
                  requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/P" } } } }
                  responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/P" } } } } }
            components:
              schemas:
                P:
                  type: object
                  properties:
                    id: { type: integer }
                    links: { type: object, properties: { buyer_id: { type: integer } } }
            """
        let report = try report([Purchase.self, Reviewer.self], shop)
        #expect(report.covered.count == 2)
        #expect(report.differences.filter { $0.model == "Purchase" }.map(\.description) == [])
    }

    @Test(arguments: ["https://blog.example", "https://blog.example/api", "https://blog.example/api/"])
    func `Paths of the base URL and of the servers are joined`(_ url: String) throws {
        let description = try DescriptionReadingTests.read(Self.blog)
        let report = try store([Blog.self, Post.self, Origin.self], at: url).check(against: description)
        #expect(report.covered.count == 5)
        let below = try DescriptionReadingTests.read(Self.blog.replacing("  /", with: "  /api/"))
        #expect(
            try store([Blog.self, Post.self, Origin.self], at: "https://blog.example/api").check(against: below).covered
                .count == 5)
    }

    @Test func `Each API of a store can be checked against its own description`() throws {
        let main = API("https://blog.example")
        let media = API("https://media.example", name: "media")
        let store = try Store(
            .temporary, models: [Blog.self, Post.self, Origin.self, Image.self], apis: [main, media])
        let images = try DescriptionReadingTests.read(
            "openapi: 3.0.0\npaths: { /images: { get: { responses: {} } }, /blogs: { get: { responses: {} } } }")
        #expect(try store.check(against: images, api: "media").covered.map(\.operation) == ["GET /images"])
        #expect(try store.check(against: images).covered.map(\.operation) == ["GET /blogs"])
        #expect(throws: StoreError.self) { try store.check(against: images, api: "medai") }
    }

    @Test(arguments: [
        (
            "https://me:secret@api.example.com:8080/v1:describe?as=a:b#top", "https://api.example.com:8080",
            "/v1%3Adescribe?as=a%3Ab"
        ),
        ("https://api.example.com", "https://api.example.com", "/"),
    ])
    func `A description's URL can have a colon in its path`(_ text: String, _ server: String, _ path: String) throws {
        let url = try #require(URL(string: text))
        let place = try #require(DescriptionPlace(url))
        #expect(place.server == server && place.template == path)
    }

    @Test func `A description is read from a file or fetched`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "blog-\(UUID()).yaml")
        try Data(Self.blog.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let store = try store([Blog.self, Post.self, Origin.self])
        #expect(try await store.check(against: file).covered.count == 5)
        let stub = StubTransport([
            "GET /openapi.json": .json(#"{"openapi": "3.0.0", "info": {"title": "Blog"}, "paths": {}}"#)
        ])
        let fetched = try await OpenAPIDescription.fetch(
            "/openapi.json", from: API("https://blog.example", transport: stub))
        #expect(fetched.title == "Blog")
        await #expect(throws: OpenAPIError.self) {
            try await store.check(against: URL(filePath: "/nowhere/openapi.json"))
        }
    }

    @Test func `A store without an API covers nothing`() throws {
        let store = try Store(.temporary, models: [Blog.self, Post.self, Origin.self])
        let report = try store.check(against: DescriptionReadingTests.read(Self.blog))
        #expect(report.covered.isEmpty)
        #expect(report.uncovered.count == 13)
    }
}
