import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Each way in which services write lists, changes and errors.
@MainActor @Suite struct TestServerFormatTests {
    // MARK: Paging

    struct Style: Sendable, CustomTestStringConvertible {
        let name: String
        let conventions: APIConventions
        var testDescription: String { name }

        init(_ name: String, _ paging: APIConventions.Paging, in list: String? = nil) {
            self.name = name
            var conventions = APIConventions.default
            conventions.paging = paging
            if let list { conventions.envelopes = .lists(.key(list)) }
            self.conventions = conventions
        }

        init(_ name: String, _ conventions: APIConventions) { (self.name, self.conventions) = (name, conventions) }
    }

    nonisolated static let styles = [
        Style("Link field", .linkHeader), Style("page numbers", .pageNumber()),
        Style("page numbers from 0", .pageNumber(parameter: "p", from: 0)), Style("offsets", .offset()),
        Style("next page in the head", .pageHeader()), Style("cursors", .cursor(at: "next_cursor"), in: "items"),
        Style("flag", .more(), in: "data"), Style("URL in the body", .nextLink(), in: "results"),
        Style("URL in the body, of a bare list", .nextLink()), Style("JSON:API", .jsonAPI), Style("HAL", .hal),
        Style("OData", .oData), Style("Laravel", .laravel), Style("Django REST Framework", .djangoREST),
        Style("Cloudflare", .cloudflare), Style("Strapi", .strapi),
    ]

    @Test(arguments: styles, [2, 3, 7])
    func `A list is paged in each style`(_ style: Style, _ size: Int) async throws {
        let server = try Notebook.server(style.conventions, count: 7)
        server.pageSize = size
        let store = try Store(.temporary, models: Notebook.models, api: API(server))
        let notes = try await Notebook.Note.fetchAll(pages: .all(), in: store.main)
        #expect(notes.map(\.title) == ["n1", "n2", "n3", "n4", "n5", "n6", "n7"])
        #expect(server.requests.count >= (7 + size - 1) / size && server.unmatched == [])
    }

    @Test(arguments: styles)
    func `A request's page size is followed in each style`(_ style: Style) async throws {
        let server = try Notebook.server(style.conventions, count: 5)
        let store = try Store(.temporary, models: Notebook.models, api: API(server))
        var sizes: [Int] = []
        for try await page in Notebook.Note.pages(size: 2, in: store.main) { sizes.append(page.objects.count) }
        #expect(sizes.filter { $0 > 0 } == [2, 2, 1])
    }

    @Test(arguments: styles)
    func `An empty list is answered in each style`(_ style: Style) async throws {
        let server = try Notebook.server(style.conventions, count: 0)
        let store = try Store(.temporary, models: Notebook.models, api: API(server))
        #expect(try await Notebook.Note.fetchAll(in: store.main).count == 0)
    }

    @Test func `A page after an object starts behind it, whether or not the object matches the query`() async throws {
        var conventions = APIConventions.default
        conventions.paging = .more()
        conventions.envelopes = .lists("data")
        let server = try Notebook.server(conventions, count: 4)
        server.pageSize = 1
        for id in [1, 2, 4] { try server.update(Notebook.Note.self, id, setting: ["text": "a"]) }
        func page(after id: Int) async throws -> APIResponse {
            try await server.send(try APIRequest(.get, server.baseURL + "/notes?text=a&starting_after=\(id)"))
        }
        for id in [2, 3] {
            let body: JSONValue? = try await JSONDecoder().decode(JSONValue.self, from: Data(page(after: id).body))
            #expect(body?["data"]?.array?.map { $0["id"]?.integer } == [4])
        }
        try server.remove(Notebook.Note.self, 2)
        #expect(try await page(after: 2).status == .badRequest)
    }

    @Test func `A link to another page keeps the other parameters as they are`() async throws {
        let server = try TestServer(models: Notebook.models) {
            try $0.seed(Notebook.Note.self, json: #"[{"id": 1, "title": "a+b"}, {"id": 2, "title": "a+b"}]"#)
            $0.pageSize = 1
        }
        let reply = try await server.send(try APIRequest(.get, server.baseURL + "/notes?page=1&title=a%2Bb"))
        let name = try #require(HTTPField.Name("Link"))
        #expect(
            reply.headerFields[name] == #"<https://api.example.com/notes?title=a%2Bb&page=2>; rel="next""#)
    }

    @Test func `A list of FHIR is a Bundle with the type that FHIR requires`() async throws {
        let server = try Notebook.server(.fhir)
        let reply = try await server.send(try APIRequest(.get, server.baseURL + "/notes"))
        let bundle: JSONValue? = try JSONDecoder().decode(JSONValue.self, from: Data(reply.body))
        #expect(bundle?["resourceType"] == "Bundle" && bundle?["type"] == "searchset")
        #expect(bundle?["entry"]?.array?.count == 3)
    }

    // MARK: Changes

    @Test(arguments: [
        (API.SaveMethod.patch, #"PATCH /notes/1 {"text":null,"title":"B"}"#, "kept"),
        (.putChanges, #"PUT /notes/1 {"text":null,"title":"B"}"#, "kept"),
        (.post, #"POST /notes/1 {"text":null,"title":"B"}"#, "kept"),
        (.mergePatch, #"PATCH /notes/1 {"text":null,"title":"B"}"#, "kept"),
        (.jsonPatch, "", "kept"), (.updateMask, "", "kept"), (.put, "", "kept"),
    ])
    func `Each save method changes only the sent attributes`(
        _ method: API.SaveMethod, _ line: String, _ tag: String
    ) async throws {
        var conventions = APIConventions.default
        conventions.saveMethod = method
        let server = try TestServer(models: Notebook.models, conventions: conventions) {
            try $0.seed(
                Notebook.Note.self,
                json: #"{"id": 1, "title": "A", "text": "t", "stars": 3, "is_done": true, "tags": ["kept"]}"#)
        }
        let store = try Store(.temporary, models: Notebook.models, api: API(server))
        let note = try await Notebook.Note.fetch(key: 1, in: store.main)
        note.title = "B"
        note.text = nil
        try await note.save()
        #expect(
            server.objects(Notebook.Note.self)
                == [["id": 1, "title": "B", "text": .null, "stars": 3, "is_done": true, "tags": ["kept"]]])
        #expect(!note.hasChanges && note.title == "B" && note.text == nil && note.tags == [tag])
        #expect(server.unmatched == [])
        try await note.fetch()
        #expect(note.stars == 3)
    }

    @Test func `A PUT unsets the attributes that it leaves out`() async throws {
        let server = try Notebook.server()
        let body = RequestBody.text(#"{"title": "B"}"#, type: "application/json")
        _ = try await API(server).send(.put, "/notes/1", body: body)
        #expect(
            server.object(Notebook.Note.self, 1)
                == [
                    "id": 1, "title": "B", "text": .null, "stars": .null, "is_done": .null, "tags": .null,
                ])
    }

    @Test func `Texts of a form are converted to the attributes' types`() async throws {
        var conventions = APIConventions.default
        conventions.bodies = .form
        let server = try TestServer(models: Notebook.models, conventions: conventions)
        let store = try Store(.temporary, models: Notebook.models, api: API(server))
        let note = Notebook.Note(in: store.main)
        (note.title, note.stars, note.isDone, note.tags) = ("A & B", 5, true, ["x", "y z"])
        try await note.create()
        #expect(
            server.objects(Notebook.Note.self)
                == [["id": 1, "title": "A & B", "stars": 5, "is_done": true, "tags": ["x", "y z"]]])
        (note.stars, note.tags) = (nil, [])
        try await note.save()
        #expect(
            server.objects(Notebook.Note.self)
                == [["id": 1, "title": "A & B", "stars": .null, "is_done": true, "tags": []]])
    }

    @Test(arguments: [
        (#"[{"op": "test", "path": "/title", "value": "x"}]"#, 409),
        (#"[{"op": "replace", "path": "/nothing", "value": 1}]"#, 422),
        (#"[{"op": "remove", "path": "/tags/3"}]"#, 422), (#"[{"op": "invent", "path": "/title"}]"#, 400),
        (#"[{"path": "/title"}]"#, 400), (#"[{"op": "add", "path": "/title"}]"#, 400), ("{", 400),
        (#"{"title": "B"}"#, 400),
    ])
    func `A JSON Patch that can't be applied changes nothing`(_ patch: String, _ status: Int) async throws {
        let server = try Notebook.server(count: 1)
        let before = server.objects(Notebook.Note.self)
        let error = await failure {
            _ = try await API(server).send(.patch, "/notes/1", body: .text(patch, type: "application/json-patch+json"))
        }
        #expect(error?.reply?.status == status && server.objects(Notebook.Note.self) == before)
    }

    @Test func `A JSON Patch moves, copies and changes elements`() async throws {
        let server = try TestServer(models: Notebook.models) {
            try $0.seed(Notebook.Note.self, json: #"{"id": 1, "title": "A", "text": "t", "tags": ["a", "b"]}"#)
        }
        let patch = """
            [{"op": "test", "path": "/tags/1", "value": "b"}, {"op": "add", "path": "/tags/-", "value": "c"},
             {"op": "remove", "path": "/tags/0"}, {"op": "copy", "from": "/tags/0", "path": "/tags/0"},
             {"op": "move", "from": "/text", "path": "/title"}]
            """
        _ = try await API(server).send(.patch, "/notes/1", body: .text(patch, type: "application/json-patch+json"))
        #expect(
            server.objects(Notebook.Note.self) == [["id": 1, "title": "t", "text": .null, "tags": ["b", "b", "c"]]])
    }

    @Test func `A JSON Patch tests numbers by their value, and knows one form of each index`() async throws {
        let server = try TestServer(models: Notebook.models) {
            try $0.seed(Notebook.Note.self, json: #"{"id": 1, "title": "A", "stars": 3, "tags": ["a", "b"]}"#)
        }
        func status(_ operation: String) async throws -> Int {
            let body = RequestBody.text("[\(operation)]", type: "application/json-patch+json")
            return try await server.send(try APIRequest(.patch, server.baseURL + "/notes/1", body: body)).status.code
        }
        #expect(try await status(#"{"op": "test", "path": "/stars", "value": 3.0}"#) == 200)
        #expect(try await status(#"{"op": "test", "path": "/stars", "value": "3"}"#) == 409)
        #expect(try await status(#"{"op": "replace", "path": "/tags/01", "value": "c"}"#) == 422)
        #expect(try await status(#"{"op": "replace", "path": "/tags/1", "value": "c"}"#) == 200)
        #expect(server.object(Notebook.Note.self, 1)?["tags"] == ["a", "c"])
    }

    // MARK: Errors

    @Test(arguments: [
        TestServer.ErrorFormat.rails, .gitHub, .djangoREST, .jsonAPI, .problemDetails, .stripe, .google, .oData, .fhir,
        .gitLab, .strapi, .laravel, .mastodon,
    ])
    func `A validation error names its property in each format`(_ format: TestServer.ErrorFormat) async throws {
        let server = try Notebook.server()
        server.errorFormat = format
        try server.require(Notebook.Note.self, "title")
        let store = try Store(.temporary, models: Notebook.models, api: API(server))
        let note = try await Notebook.Note.fetch(key: 1, in: store.main)
        note.title = " "
        let error = await failure { try await note.save() }
        #expect(error?.reply?.kind == .validation && error?.reply?.fields == ["title": ["can't be blank"]])
        #expect(server.object(Notebook.Note.self, 1)?["title"] == "n1")
    }

    @Test func `Errors of Laravel and Mastodon are written as theirs`() async throws {
        let bodies: [(APIConventions, String)] = [
            (.laravel, #"{"errors":{"title":["can't be blank"]},"message":"Validation failed"}"#),
            (.mastodon, #"{"error":"Validation failed: Title can't be blank"}"#),
        ]
        for (conventions, expected) in bodies {
            let server = try Notebook.server(conventions)
            try server.require(Notebook.Note.self, "title")
            let body = RequestBody.text(#"{"title": ""}"#, type: "application/json")
            let reply = try await server.send(try APIRequest(.put, server.baseURL + "/notes/1", body: body))
            #expect(reply.status.code == 422 && String(decoding: reply.body, as: UTF8.self) == expected)
        }
    }

    @Test(arguments: styles)
    func `A rule of the test rejects a value`(_ style: Style) async throws {
        let server = try Notebook.server(style.conventions)
        try server.check(Notebook.Note.self, "stars") { ($0?.integer ?? 0) > 5 ? "must be 5 at most" : nil }
        let store = try Store(.temporary, models: Notebook.models, api: API(server))
        let note = Notebook.Note(in: store.main)
        (note.title, note.stars) = ("A", 6)
        let error = await failure { try await note.create() }
        #expect(error?.reply?.fields == ["stars": ["must be 5 at most"]])
        #expect(server.objects(Notebook.Note.self).count == 3)
        note.stars = 5
        try await note.create()
        #expect(server.objects(Notebook.Note.self).count == 4)
    }
}
