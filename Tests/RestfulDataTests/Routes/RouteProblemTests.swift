import RestfulData
import RestfulDataTesting
import Testing

/// What is wrong with routes: all that can be seen when the store opens is said then, the rest before anything is sent.
@MainActor @Suite struct RouteProblemTests {
    // What a class itself has not is found when it is compiled; what another class has not, when the store opens.

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

    @Test func `Misspelt routes are listed together, with the nearest names`() throws {
        let error = #expect(throws: StoreError.self) {
            try Store(.temporary, models: [Ticket.self, Project.self, Sticker.self], api: API("ftp://example.com"))
        }
        #expect(
            error?.description == """
                The models contradict each other:
                  - the API's base URL "ftp://example.com" is not an absolute http or https URL
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
    func `A base URL that is none is told when the store opens`(_ url: String, _ reason: String) {
        let error = #expect(throws: StoreError.self) { try Store(.temporary, models: [Sticker.self], api: API(url)) }
        #expect(error?.description.contains(reason) == true)
    }

    @Test func `A missing value is an error before anything is sent`() async throws {
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
        let repository = Repository(in: service.main)
        for error in [
            await failure { try await repository.$issues.fetch() },
            await failure { try await repository.$issues.add(issue) },
        ] {
            #expect(error?.description.contains("needs a value for \":full_name\"") == true, "\(error as Any)")
        }
        #expect(service.stub.log == [])
        #expect(issue.isInserted && repository.isInserted)
    }

    @Test(arguments: ["..", ".", "", "a/../b", "%2E%2E"])
    func `A value can't lead to another resource`(_ login: String) async throws {
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

    @Test func `What has no URL says what to declare`() async throws {
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
                A Remark's URL /posts/:post_id/comments/:number takes more values than were given; fetch it with a \
                template and its values, or through the relationship that it is a member of.
                """)
        #expect(
            await failure { _ = try await Remark.fetchAll(in: service.main) }?.description.contains("more values")
                == true)
        #expect(
            await failure { _ = try await Post.fetch("/posts/:nr", ["number": 5], in: service.main) }?.description
                .contains("the unknown name \":nr\"") == true)
    }

    @Test func `A store without an API says so`() async throws {
        let store = try Store(.temporary, models: Blog.models)
        let post = Post(in: store.main)
        #expect(
            await failure { try await post.create() }?.description
                == "The store was opened without an API; open it with Store(_:models:api:).")
    }

    @Test func `A model that the store does not know says so`() async throws {
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
