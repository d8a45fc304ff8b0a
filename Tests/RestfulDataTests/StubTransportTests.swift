import RestfulData
import RestfulDataTesting
import Testing

/// The library's support for its users' tests.
@MainActor @Suite struct StubTransportTests {
    @Test func `A stub transport answers from a table and records requests`() async throws {
        let stub = StubTransport([
            "GET /authors/7?full=1": .json(#"{"id": 7, "name": "Ada"}"#), "PATCH /authors/7": .status(204),
        ])
        let api = API("https://api.example.com", transport: stub) { BearerToken("t0ken") }
        let store = try Store(.temporary, models: Blog.models, api: api)
        let ada = try await Author.fetch("/authors/:id", ["id": 7], query: ["full": 1], in: store.main)
        ada.name = "Ada L."
        try await ada.save()
        #expect(stub.log == ["GET /authors/7?full=1", #"PATCH /authors/7 {"name":"Ada L."}"#])
        #expect(stub.requests.allSatisfy { $0.headerFields[.authorization] == "Bearer t0ken" })
        let error = await failure { try await ada.delete() }
        #expect(error?.description.contains("the stub has no reply to DELETE /authors/7") == true)
        stub.forgetRequests()
        #expect(stub.log == [] && stub.requests.isEmpty)
    }

    @Test func `A stub transport throws the given error`() async throws {
        let stub = StubTransport { request throws(TransportError) in
            throw TransportError(.connectionLost, request)
        }
        let service = try Service(stub: stub)
        guard case .transport(let error) = await failure({ try await Author(in: service.main).create() }) else {
            Testing.Issue.record("created without a connection")
            return
        }
        #expect(error.reason == .connectionLost)
    }

    @Test(arguments: [1000, -1, Int.max, Int.min])
    func `A stub's invalid status is reported`(_ status: Int) async throws {
        let service = try Service(stub: StubTransport { _ in .status(status) })
        guard case .transport(let error) = await failure({ try await Author(in: service.main).create() }) else {
            Testing.Issue.record("created")
            return
        }
        #expect(
            error.reason
                == .other("the stub's reply to POST /authors has the status \(status); a status is 100 to 999"))
    }

    @Test func `A store's contents are described as text`() async throws {
        let service = try Service()
        let author = try await service.imported(
            Author.self,
            #"{"id": 7, "name": "Ada", "posts": [{"id": 5, "title": "A", "comments": [{"number": 1, "text": "First"}]}]}"#
        )
        author.posts[0].text = "Words"
        author.posts[0].author = nil
        let new = Author(in: service.main)
        new.name = "Bob"
        try await service.main.save()
        let contents = try await service.store.contents()
        #expect(
            contents == """
                Post 5
                  identifier = 5
                  title = "A"
                  text = "Words" (unsent)
                  rating = 0.5
                  isPublic = false
                  tags = []
                  author = nil (unsent)
                  comments → Remark Post 5/1
                Author 7
                  identifier = 7
                  name = "Ada"
                Author (new)
                  name = "Bob" (unsent)
                Remark Post 5/1
                  post → Post 5
                  number = 1
                  text = "First"

                """)
    }
}
