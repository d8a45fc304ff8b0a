import RestfulData
import RestfulDataTesting
import Testing

/// The declared routes, run backwards.
@MainActor @Suite struct TestServerRouteTests {
    private func tracker() throws -> (server: TestServer, store: Store) {
        let server = try Tracker.server()
        return (server, try Store(.temporary, models: Tracker.models, api: API(server)))
    }

    @Test func `A test server made from models serves a store of the same models`() async throws {
        let (server, store) = try tracker()
        let repository = try await Tracker.Repository.fetch(key: "octocat/Hello", in: store.main)
        let issues = try await repository.$issues.fetch()
        #expect(issues.map(\.title) == ["Crash", "Typo"])
        let issue = Tracker.Issue(in: store.main)
        issue.title = "New"
        try await repository.$issues.add(issue)
        #expect(issue.number == 3 && issue.identifier == 102 && issue.repository === repository)
        issue.title = "Newer"
        try await issue.save()
        try await issues[1].delete()
        #expect(
            server.log == [
                "GET /repos/octocat/Hello", "GET /repos/octocat/Hello/issues",
                #"POST /repos/octocat/Hello/issues {"title":"New"}"#,
                #"PATCH /repos/octocat/Hello/issues/3 {"title":"Newer"}"#, "DELETE /repos/octocat/Hello/issues/2",
            ])
        #expect(server.requests.count == 5 && server.requests[2] == "POST /repos/octocat/Hello/issues")
        #expect(server.objects(Tracker.Issue.self).compactMap { $0["title"]?.string } == ["Crash", "Newer"])
        #expect(server.object(Tracker.Issue.self, 102)?["repository_id"]?.integer == 10)
        #expect(server.exchanges[2].reply.status == 201)
        #expect(
            server.exchanges[2].reply.headerFields[.location]
                == "https://api.example.com/repos/octocat/Hello/issues/3")
        server.forgetRequests()
        #expect(server.log == [] && server.exchanges.isEmpty)
    }

    @Test func `An unchanged object is answered with 304, a changed one with the object`() async throws {
        let (server, store) = try tracker()
        let user = try await Tracker.User.fetch(key: "octocat", in: store.main)
        try await user.fetch()
        #expect(server.exchanges.map(\.reply.status) == [200, 304])
        try server.update(Tracker.User.self, "octocat", setting: ["name": "The Octocat"])
        try await user.fetch()
        #expect(server.exchanges.last?.reply.status == 200 && user.name == "The Octocat")
        try server.remove(Tracker.User.self, "octocat")
        let error = await failure { try await user.fetch() }
        #expect(error?.reply?.status == 404)
        #expect(error?.reply?.message == "There is no User with login \"octocat\"")
    }

    @Test func `An object whose relationships change has another version`() async throws {
        let server = try TestServer(models: TestServerModelTests.Library.models) {
            $0.entityTags = .versions
            try $0.seed(TestServerModelTests.Library.Writer.self, json: #"{"id": 1, "name": "Ada"}"#)
            try $0.seed(TestServerModelTests.Library.Subject.self, json: #"[{"id": 5}, {"id": 6}]"#)
            try $0.seed(
                TestServerModelTests.Library.Book.self, json: #"{"id": 9, "author_id": 1, "subject_ids": [5, 6]}"#)
        }
        func tag() async throws -> String? {
            try await server.send(try APIRequest(.get, server.baseURL + "/books/9")).headerFields[.eTag]
        }
        #expect(try await tag() == "\"1\"")
        try server.remove(TestServerModelTests.Library.Writer.self, 1)
        #expect(try await tag() == "\"2\"")
        try server.remove(TestServerModelTests.Library.Subject.self, 5)
        #expect(try await tag() == "\"3\"")
        try server.update(TestServerModelTests.Library.Book.self, 9, setting: ["subject_ids": []])
        #expect(try await tag() == "\"4\"")
    }

    @Test func `Labels are added to an issue by name and removed by URL`() async throws {
        let (server, store) = try tracker()
        let repository = try await Tracker.Repository.fetch(key: "octocat/Hello", in: store.main)
        let issue = try await repository.$issues.fetch()[0]
        let labels = try await repository.$labels.fetch()
        try await issue.$labels.add(labels[0])
        #expect(issue.labels.map(\.name) == ["bug"])
        #expect(try server.members(Tracker.Issue.self, 100, of: "labels") == [20])
        try await issue.$labels.add(labels[1])
        #expect(try await issue.$labels.fetch().map(\.name) == ["bug", "easy"])
        try await issue.$labels.delete(labels[0])
        #expect(try server.members(Tracker.Issue.self, 100, of: "labels") == [21])
        #expect(server.objects(Tracker.Label.self).count == 2)
        #expect(
            server.log.suffix(4) == [
                #"POST /repos/octocat/Hello/issues/1/labels {"labels":["bug"]}"#,
                #"POST /repos/octocat/Hello/issues/1/labels {"labels":["easy"]}"#,
                "GET /repos/octocat/Hello/issues/1/labels", "DELETE /repos/octocat/Hello/issues/1/labels/bug",
            ])
    }

    @Test func `All members of a list are replaced and removed, and all objects changed`() async throws {
        let (server, store) = try tracker()
        let repository = try await Tracker.Repository.fetch(key: "octocat/Hello", in: store.main)
        let issue = try await repository.$issues.fetch()[0]
        let labels = try await repository.$labels.fetch()
        try await issue.$labels.replaceAll(with: [labels[1], labels[0]])
        #expect(try server.members(Tracker.Issue.self, 100, of: "labels") == [21, 20])
        try await issue.$labels.deleteAll()
        #expect(try server.members(Tracker.Issue.self, 100, of: "labels") == [])
        #expect(server.objects(Tracker.Label.self).count == 2 && issue.labels == [])
        _ = try await Tracker.User.fetchAll(in: store.main)
        try await Tracker.User.updateAll(\.name, to: "Ghost", in: store.main)
        #expect(server.objects(Tracker.User.self).map { $0["name"] } == ["Ghost", "Ghost"])
        #expect(server.unmatched == [])
    }

    @Test func `A query filters what is changed and deleted at once`() async throws {
        let server = try Notebook.server()
        let body = RequestBody.text(#"{"text": "t"}"#, type: "application/json")
        _ = try await API(server).send(.patch, "/notes", query: ["title": "n2"], body: body)
        #expect(server.objects(Notebook.Note.self).map { $0["text"]?.string } == [nil, "t", nil])
        _ = try await API(server).send(.delete, "/notes", query: ["title": "n2"])
        #expect(server.objects(Notebook.Note.self).compactMap { $0["title"]?.string } == ["n1", "n3"])
    }

    @Test func `A deletion of all members of a missing owner is a 404`() async throws {
        let (server, _) = try tracker()
        let error = await failure { _ = try await API(server).send(.delete, "/repos/octocat/Missing/issues") }
        #expect(error?.reply?.status == 404)
        #expect(server.objects(Tracker.Issue.self).count == 2)
    }

    @Test func `A label that doesn't exist is created with the issue`() async throws {
        let (server, store) = try tracker()
        let repository = try await Tracker.Repository.fetch(key: "octocat/Hello", in: store.main)
        let issue = Tracker.Issue(in: store.main)
        issue.title = "New"
        let label = Tracker.Label(in: store.main)
        label.name = "urgent"
        issue.labels = [label]
        try await repository.$issues.add(issue)
        #expect(server.objects(Tracker.Label.self).last == ["id": 22, "name": "urgent", "repository_id": 10])
        #expect(label.identifier == 22 && issue.labels == [label])
    }

    @Test func `A list of links creates members at its own URL`() async throws {
        let (server, store) = try tracker()
        let repository = try await Tracker.Repository.fetch(key: "octocat/Hello", in: store.main)
        let issue = try await repository.$issues.fetch()[0]
        let comment = Tracker.Comment(in: store.main)
        comment.body = "Me too"
        try await issue.$comments.add(comment)
        #expect(server.objects(Tracker.Comment.self) == [["id": 1, "body": "Me too", "issue_id": 100]])
        #expect(try await issue.$comments.fetch() == [comment])
        try await comment.delete()
        #expect(server.objects(Tracker.Comment.self) == [])
    }

    @Test func `A deletion also deletes objects by the models' delete rules`() async throws {
        let (server, store) = try tracker()
        try await Tracker.Repository.fetch(key: "octocat/Hello", in: store.main).delete()
        #expect(server.objects(Tracker.Repository.self) == [] && server.objects(Tracker.Issue.self) == [])
        // A rule of nothing leaves them.
        #expect(server.object(Tracker.Label.self, 20) == ["id": 20, "name": "bug", "repository_id": .null])
    }

    @Test func `A query filters by attributes and by identities of linked objects`() async throws {
        let (server, store) = try tracker()
        let repository = try await Tracker.Repository.fetch(key: "octocat/Hello", in: store.main)
        let open = try await repository.$issues.fetch(query: ["state": "open", "direction": "asc"])
        #expect(open.map(\.title) == ["Crash"])
        #expect(try await Tracker.Repository.fetchAll(query: ["owner_id": 1], in: store.main).count == 1)
        #expect(try await Tracker.Repository.fetchAll(query: ["owner_id": 2], in: store.main).count == 0)
        #expect(server.unmatched == [])
    }

    @Model("/leaves")
    final class Leaf {
        var identifier: Int?
        var page: Int?
    }

    @Test func `The number of a page isn't a filter, even if an attribute has its name`() async throws {
        let server = try TestServer(models: [Leaf.self]) {
            $0.pageSize = 2
            try $0.seed(Leaf.self, json: #"[{"id": 1, "page": 7}, {"id": 2, "page": 7}, {"id": 3, "page": 8}]"#)
        }
        let store = try Store(.temporary, models: [Leaf.self], api: API(server))
        #expect(try await Leaf.fetchAll(pages: .all(), in: store.main).map(\.identifier) == [1, 2, 3])
        #expect(server.requests == ["GET /leaves", "GET /leaves?page=2"])
    }

    @Test func `Linked objects are nested in replies if the test says so`() async throws {
        let (server, store) = try tracker()
        try server.nest(Tracker.Repository.self, "owner")
        let repository = try await Tracker.Repository.fetch(key: "octocat/Hello", in: store.main)
        #expect(repository.owner?.login == "octocat")
    }

    @Test func `A password is accepted and never sent back`() async throws {
        let (server, store) = try tracker()
        let user = Tracker.User(in: store.main)
        (user.login, user.password) = ("ada", "secret")
        try await user.create()
        #expect(server.object(Tracker.User.self, "ada")?["password"] == "secret")
        #expect(String(decoding: server.exchanges[0].reply.body, as: UTF8.self).contains("secret") == false)
    }

    // MARK: Requests that no route matches

    @Test(arguments: [
        ("GET", "/user", "the nearest is GET /users: \"user\" is not \"users\""),
        ("PUT", "/comments", "that path takes DELETE, GET, PATCH, POST"),
        ("GET", "/users/octocat/gists", "the nearest is GET /users/:login: \"/gists\" is more than it has"),
        ("GET", "/repos", nil),
    ])
    func `An unmatched request is an error that names the nearest route`(
        _ method: String, _ path: String, _ nearest: String?
    ) async throws {
        let server = try Tracker.server()
        let request = try APIRequest(.init(method) ?? .get, server.baseURL + path)
        guard let nearest else {
            _ = try await server.send(request)
            return #expect(server.unmatched == [])
        }
        let text = "the test server has no route for \(method) \(path); \(nearest)"
        await #expect(throws: TransportError(.other(text), request)) { try await server.send(request) }
        #expect(server.unmatched == [text])
    }

    @Test func `A request beside the base URL's path has no route of a model`() async throws {
        let server = try TestServer(models: Notebook.models, at: "https://api.example.com/v1") {
            try $0.seed(Notebook.Note.self, json: #"{"id": 1}"#)
            try $0.on(.post, "/token") { _ in .json(#"{"access_token": "t"}"#) }
        }
        func send(_ method: HTTPRequest.Method, _ path: String) async throws -> Int {
            try await server.send(try APIRequest(method, "https://api.example.com" + path)).status.code
        }
        #expect(try await send(.get, "/v1/notes/1") == 200)
        #expect(try await send(.post, "/token") == 200)
        let error = await failure { _ = try await send(.get, "/notes/1") } as? TransportError
        #expect(
            error?.reason == .other("the test server has no route for GET /notes/1; its routes are below /v1"))
        #expect(server.unmatched.count == 1)
    }

    // MARK: Handlers

    @Test func `A handler answers its requests and leaves the others to the models`() async throws {
        let (server, store) = try tracker()
        try server.on(.put, "/repos/:owner/:name/issues/:number/lock") { [weak server] request in
            guard let server, request.json?["reason"] == "spam" else { return .status(400) }
            try server.update(
                Tracker.Issue.self, 100, setting: ["state": .string("locked \(request.parameters["number"] ?? "")")])
            return .status(204)
        }
        try server.on(.get, "/users/:login") { $0.parameters["login"] == "ghost" ? .status(410) : nil }
        let api = API(server)
        let reply = try await api.send(
            .put, "/repos/octocat/Hello/issues/1/lock", body: .text(#"{"reason": "spam"}"#, type: "application/json"))
        #expect(reply.status == .noContent)
        #expect(server.object(Tracker.Issue.self, 100)?["state"] == "locked 1")
        #expect(try await Tracker.User.fetch(key: "octocat", in: store.main).identifier == 1)
        let error = await failure { _ = try await Tracker.User.fetch(key: "ghost", in: store.main) }
        #expect(error?.reply?.status == 410)
    }

    @Test func `A reply to HEAD has no body, and each reply has all fields of the server`() async throws {
        let server = try Tracker.server()
        server.headerFields = [.setCookie: "a=1"]
        server.headerFields.append(HTTPField(name: .setCookie, value: "b=2"))
        for path in ["/users/octocat", "/users/nobody"] {
            let head = try await server.send(try APIRequest(.head, server.baseURL + path))
            let get = try await server.send(try APIRequest(.get, server.baseURL + path))
            #expect(head.body == [] && !get.body.isEmpty && head.status == get.status)
            #expect(get.headerFields[values: .setCookie] == ["a=1", "b=2"])
        }
    }

    @Test func `A handler's error names its handler`() async throws {
        struct Broken: Error {}
        let server = try Tracker.server()
        try server.on(.get, "/users/:login") { _ in throw Broken() }
        let error = await failure { _ = try await API(server).send(.get, "/users/octocat") }
        #expect(error?.lost == .other("the handler of GET /users/:login threw Broken()"))
    }

    // MARK: A test's mistakes

    @Test func `A mistake in the test is an error that explains its fix`() throws {
        let server = try Tracker.server()
        func text(_ body: () throws -> Void) -> String? {
            do { try body() } catch { return "\(error)" }
            return nil
        }
        #expect(
            text { try server.seed(Tracker.User.self, json: "[1]") }
                == "the JSON for User is neither an object nor an array of objects")
        #expect(
            text { try server.seed(Notebook.Note.self, json: "[]") } == nil,
            "There is nothing to seed, so nothing is wrong.")
        #expect(
            text { try server.seed(Notebook.Note.self, json: "{}") }
                == "Note is not one of the test server's models; add it to models:")
        #expect(
            text { try server.require(Tracker.Issue.self, "titel") }
                == "Issue has no property \"titel\"; did you mean \"title\"?")
        #expect(
            text { try server.update(Tracker.User.self, "nobody", setting: ["name": "x"]) }
                == "the test server has no User with the key \"nobody\"; seed it first")
        #expect(
            text { try server.update(Tracker.User.self, "hubot", setting: ["id": 1]) }
                == "the test server refuses the User: id has already been taken")
        #expect(text { try server.on(.get, "users") { _ in nil } }?.contains("\"users\" is no template") == true)
        #expect(
            text { try server.fail(.lostReply, at: "/users?page=2") }
                == "the route \"/users?page=2\" is no template: it is a path below the base URL, without a host or "
                + "query")
        #expect(
            text { _ = try TestServer(models: [Tracker.Comment.self]) }?.contains("is not among the store's models")
                == true)
    }

    @Test func `Of several objects to seed, all are added or none`() throws {
        let server = try Tracker.server()
        #expect(throws: TestServerError.self) {
            try server.seed(Tracker.Issue.self, json: #"[{"id": 200, "number": 9}, {"id": 201, "labels": "bug"}]"#)
        }
        #expect(server.objects(Tracker.Issue.self).count == 2)
    }

    @Test func `Linked objects may be seeded later or nested`() throws {
        let server = try TestServer(models: Tracker.models) {
            try $0.seed(Tracker.Comment.self, json: #"{"id": 1, "body": "First", "issue_id": 100}"#)
            #expect($0.objects(Tracker.Issue.self) == [])
            try $0.seed(
                Tracker.Issue.self, json: #"{"id": 100, "number": 1, "repository": {"id": 10, "full_name": "a/b"}}"#)
        }
        #expect(server.objects(Tracker.Repository.self).map { $0["full_name"] } == ["a/b"])
        #expect(server.object(Tracker.Comment.self, 1)?["issue_id"] == 100)
        #expect(try server.members(Tracker.Issue.self, 100, of: "comments") == [1])
    }
}
