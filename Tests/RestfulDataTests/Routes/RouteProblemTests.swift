import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Mistakes in routes: those visible when the store opens are reported then, the others before anything is sent.
@MainActor @Suite struct RouteProblemTests {
    // A property missing in the class itself is found by the compiler, one missing in another class when the store
    // opens.

    @Model("/repos/:repository.ful_name/tickets", key: "number") final class Ticket {
        var identifier: Int?
        var number: Int?
        var repository: Project?
        @Relationship(inverse: nil, sentAs: .key("nme")) var tags: [Sticker]
        @Relationship("/projects/:repository.idd/seen/:repository.tickets", inverse: nil) var seen: [Sticker]
    }

    @Model("/projects/:id") final class Project {
        var identifier: Int?
        var fullName = ""
        var tickets: [Ticket]
    }

    @Model final class Sticker {
        var identifier: Int?
        var name = ""
    }

    @Test func `Misspelt routes are listed together with suggestions`() throws {
        let error = #expect(throws: StoreError.self) {
            try Store(.temporary, models: [Ticket.self, Project.self, Sticker.self], api: API("https://example.com"))
        }
        #expect(
            error?.description == """
                The models contradict each other:
                  - Ticket's base URL: The route "/repos/:repository.ful_name/tickets" has the unknown name \
                ":repository.ful_name" (did you mean ":repository.full_name"?); a placeholder names an attribute as the \
                JSON does.
                  - Ticket.tags is sent as "nme", which Sticker does not have; did you mean "name"?
                  - Ticket's route of seen: The route "/projects/:repository.idd/seen/:repository.tickets" has the \
                unknown name ":repository.idd" (did you mean ":repository.id"?) and the unknown name \
                ":repository.tickets"; a placeholder names an attribute as the JSON does.
                """)
    }

    @Test(arguments: [
        "": "is not an absolute", "example.com": "is not an absolute", "/path": "is not an absolute",
        "http://": "is not an absolute", "https://example.com?x=1": "must not have a query",
    ])
    func `An invalid base URL is reported when the store opens`(_ url: String, _ reason: String) {
        let error = #expect(throws: StoreError.self) { try Store(.temporary, models: [Sticker.self], api: API(url)) }
        #expect(error?.description.hasPrefix("The API can't be used: its base URL \"") == true)
        #expect(error?.description.contains(reason) == true)
    }

    @Test(arguments: ["HTTPS://example.com", "Http://example.com/v1"])
    func `A base URL's scheme may be in capital letters`(_ url: String) async throws {
        let stub = StubTransport { _ in .json("[]") }
        let store = try Store(.temporary, models: [Sticker.self], api: API(url, transport: stub))
        _ = try await Sticker.fetchAll("/stickers", in: store.main)
        #expect(stub.requests.map(\.url.absoluteString) == ["\(url)/stickers"])
    }

    @Test func `Errors don't show the secrets of a URL`() async throws {
        let opening = #expect(throws: StoreError.self) {
            try Store(.temporary, models: [Sticker.self], api: API("https://me:s3cr3t@example.com?access_token=s3cr3t"))
        }
        #expect(opening?.description.contains("\"https://example.com?access_token=REDACTED\"") == true)
        let service = try Service([Sticker.self])
        for template in ["/x/:y?access_token=s3cr3t", "/x:?pass=s3cr3t", "//me:s3cr3t@x/:y"] {
            let error = await failure { _ = try await Sticker.fetch(URLTemplate(template), in: service.main) }
            #expect(error?.description.contains("s3cr3t") == false, "\(error as Any)")
        }
    }

    @Test func `A missing value in a route throws before anything is sent`() async throws {
        let service = try Service(GitHub.models, conventions: .github)
        let issue = Issue(in: service.main)
        issue.number = 5
        for error in [
            await failure { try await issue.create() }, await failure { try await issue.fetch() },
            await failure { try await issue.delete() },
        ] {
            #expect(
                error?.description.contains("needs a value for \":repository.full_name\"") == true, "\(error as Any)")
        }
        #expect(service.stub.log == [] && issue.isInserted)
    }

    @Test(arguments: [false, true]) func `A request about an object that isn't created yet throws`(isSaved: Bool)
        async throws
    {
        let service = try Service()
        let (post, author) = (Post(in: service.main), Author(in: service.main))
        if isSaved { try await service.main.save() }
        let known = try await service.imported(Post.self, #"{"id": 5}"#)
        let errors = [
            await failure { try await post.delete() }, await failure { try await post.fetch() },
            await failure { try await post.save() }, await failure { try await post.$comments.fetch() },
            await failure { let _: Remark = try await post.$comments.fetch(1) },
            await failure { try await post.$comments.add(Remark(in: service.main)) },
        ]
        for error in errors {
            #expect(
                error?.description
                    == "This Post is not at the server yet; send it with create() first, or drop it with "
                    + "context.delete(_:). Nothing was sent.", "\(error as Any)")
        }
        for error in [
            await failure { try await author.$posts.fetch() }, await failure { try await author.$posts.delete(known) },
            await failure { let _: Post? = try await author.$favourite.fetch() },
            await failure { try await author.$friends.add(Author(in: service.main)) },
        ] {
            guard case .notYetCreated(model: "Author")? = error else {
                Testing.Issue.record("\(error as Any)")
                continue
            }
        }
        let other = try await service.imported(Author.self, #"{"id": 7}"#)
        other.friends = [author]
        for error in [
            await failure { try await other.$friends.delete(author) },
            await failure { try await other.$posts.delete(post) },
        ] {
            guard case .notYetCreated? = error else {
                Testing.Issue.record("\(error as Any)")
                continue
            }
        }
        #expect(service.stub.log == [] && !post.isDeleted && !author.isDeleted)
    }

    @Test(arguments: ["..", ".", "", "a/../b", "%2E%2E"])
    func `A value in a URL can't lead to another resource`(_ login: String) async throws {
        let service = try Service(GitHub.models, conventions: .github, stub: StubTransport { _ in .json("[]") })
        let user = User(in: service.main)
        user.login = login
        _ = await failure { try await user.$repositories.fetch() }
        _ = await failure { _ = try await User.fetch("/users/:login", ["login": RouteValue(login)], in: service.main) }
        _ = await failure { _ = try await User.fetch(key: login, in: service.main) }
        let isEscaped = login == "%2E%2E"
        #expect(
            service.stub.log
                == (isEscaped ? ["GET /users/%252E%252E/repos", "GET /users/%252E%252E", "GET /users/%252E%252E"] : []))
    }

    @Model("/files", key: "path") final class File {
        var identifier: Int?
        @Attribute(isPath: true) var path = ""
        @Relationship("/files/:path/versions", inverse: nil) var versions: [Sticker]
    }

    @Test(arguments: ["/users/octocat/starred", "/5", "https://api.example.com/repos/1", "users/octocat"])
    func `A path or URL instead of a key throws with advice`(_ text: String) async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"id": 5}"#) })
        let author = try await service.imported(Author.self, #"{"id": 1}"#)
        let errors = [
            await failure { _ = try await author.$posts.fetch(text) },
            await failure { _ = try await Post.fetch(key: text, in: service.main) },
        ]
        let places = [("Author.posts", "$posts.fetch(…)"), ("Post", "Post.fetch(key: …)")]
        for (error, place) in zip(errors, places) {
            #expect(
                error?.description == """
                    "\(text)" is a path or a URL, where \(place.0) takes the key of one Post, as in \(place.1). To fetch from \
                    a URL of your own, write Post.fetchAll("\(text)", in: context), or Post.fetch for one object. Nothing was \
                    sent.
                    """)
        }
        #expect(service.stub.log == [])
    }

    @Test func `A key may contain a slash if it can be a key`() async throws {
        let service = try Service(
            GitHub.models + [File.self, Sticker.self], conventions: .github,
            stub: StubTransport { _ in .json(#"{"id": 4, "path": "a/b", "name": "x"}"#) })
        let repository = try await service.imported(Repository.self, #"{"id": 2, "full_name": "a/b"}"#)
        _ = try await repository.$labels.fetch("area/ui")
        _ = try await repository.$labels.fetch("http/2: ui")
        _ = try await File.fetch(key: "a/b", in: service.main)
        #expect(
            service.stub.log == [
                "GET /repos/a/b/labels/area%2Fui", "GET /repos/a/b/labels/http%2F2:%20ui", "GET /files/a/b",
            ])
        for text in ["/area", "/a/b", "https://x", "HTTP://x/y"] {
            let errors = [
                await failure { _ = try await repository.$labels.fetch(text) },
                await failure { _ = try await File.fetch(key: text, in: service.main) },
            ]
            for error in errors {
                guard case .route(.keyExpected)? = error else {
                    Testing.Issue.record("\(error as Any)")
                    continue
                }
            }
        }
    }

    @Test func `A URL instead of a key is shown without its secrets`() async throws {
        let service = try Service(stub: StubTransport { _ in .json("[]") })
        let error = await failure {
            _ = try await Post.fetch(key: "https://me:s3cr3t@x.example/?token=s3cr3t", in: service.main)
        }
        var dumped = ""
        dump(error, to: &dumped)
        #expect(error != nil && !"\(error as Any) \(dumped)".contains("s3cr3t"))
    }

    @Test func `A model without a URL throws with the declaration to add`() async throws {
        let service = try Service([Author.self, Post.self, Picture.self, Remark.self])
        let picture = Picture(in: service.main)
        let post = try await service.imported(Post.self, #"{"id": 5}"#)
        #expect(
            await failure { try await picture.create() }?.description
                == "Picture has no URL: declare a base URL, as in @Model(\"/pictures\").")
        #expect(
            await failure { try await post.$pictures.fetch() }?.description
                == "Post.pictures has no URL: declare its route, as in @Relationship(\"/posts/:id/pictures\").")
        #expect(
            await failure { _ = try await Remark.fetch(key: 5, in: service.main) }?.description == """
                The URL of a Remark, /posts/:post_id/comments/:number, takes more values than were given; fetch it with a \
                template and its values, or through the relationship that it is a member of.
                """)
        #expect(
            await failure { _ = try await Remark.fetchAll(in: service.main) }?.description.contains("more values")
                == true)
    }

    @Test func `Values without a placeholder and placeholders without a value are reported`() async throws {
        let service = try Service()
        let cases: [(template: String, values: [String: any RouteValueConvertible], text: String)] = [
            ("/posts/:nr", [:], #"needs a value for ":nr"; pass it, as in ["nr": …]. Nothing was sent."#),
            (
                "/posts/:nr", ["number": 5],
                #"needs a value for ":nr" and has no place for the value of "number"; pass it, as in ["nr": …]. Nothing was sent."#
            ),
            (
                "/posts", ["page": 2, "sort": "id"],
                """
                has no place for the value of "page" and "sort"; leave it out, or add it as a query. Nothing was sent.
                """
            ),
            ("/posts/:post.id/:nr", ["post.id": 1], #"needs a value for ":nr"; pass"#),
        ]
        for (template, values, text) in cases {
            let error = await failure { _ = try await Post.fetch(URLTemplate(template), values, in: service.main) }
            #expect(error?.description.contains("The route \"\(template)\" \(text)") == true, "\(error as Any)")
        }
        #expect(service.stub.log == [])
        _ = await failure { _ = try await Post.fetch("/posts/:id.json", ["id": 1], in: service.main) }
        #expect(service.stub.log == ["GET /posts/1.json"])
    }

    @Test func `A save before the creation throws with advice to create`() async throws {
        let service = try Service()
        let post = Post(in: service.main)
        post.title = "New"
        for method in [SaveMethod.patch, .put] {
            let error = await failure { try await post.save(using: method) }
            #expect(
                error?.description == """
                    This Post is not at the server yet; send it with create() first, or drop it with context.delete(_:). Nothing \
                    was sent.
                    """)
        }
        #expect(service.stub.log == [] && post.unsentProperties == ["title"])
        // The key of its URL is a text that is empty by default.
        let gitHub = try Service(GitHub.models, conventions: .github)
        let error = await failure { try await User(in: gitHub.main).save() }
        #expect(error?.description.hasPrefix("This User is not at the server yet; send it with create() first") == true)
    }

    @Model final class Category {
        var identifier: Int?
        @Relationship(inverse: nil) var entries: [Category]
    }

    @Test func `Advice uses plurals of the conventions`() async throws {
        let service = try Service([Category.self])
        let category = try await service.imported(Category.self, #"{"id": 5}"#)
        #expect(await failure { try await category.save() }?.description.contains(#"@Model("/categories")"#) == true)
        let error = await failure { try await category.$entries.fetch() }
        #expect(error?.description.contains(#"@Relationship("/categories/:id/entries")"#) == true)
    }

    @Test func `A request of a store without an API throws with advice`() async throws {
        let store = try Store(.temporary, models: Blog.models)
        let post = Post(in: store.main)
        #expect(
            await failure { try await post.create() }?.description
                == "The store was opened without an API; open it with Store(_:models:api:).")
    }

    @Test func `A request about an unknown model throws`() async throws {
        let service = try Service([Sticker.self])
        let post = Post(in: service.main)
        for error in [
            await failure { try await post.create() }, await failure { try await post.save() },
            await failure { try await post.fetch() }, await failure { try await post.delete() },
            await failure { try await post.$comments.fetch() },
            await failure { _ = try await Post.fetch("/posts/1", in: service.main) },
            await failure { _ = try await Post.fetch(key: 1, in: service.main) },
        ] {
            #expect(error?.description.contains("Post is not among the models") == true, "\(error as Any)")
        }
        #expect(service.stub.log == [])
    }
}
