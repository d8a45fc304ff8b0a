import Foundation
import RestfulData
import RestfulDataTesting
import RestfulDataXML
import Testing

@Model("/users")
private final class User {
    var identifier: Int?
    var login = ""
    var createdAt: Date?
}

private struct Wrapper: Decodable {
    var status: Int
    var json: String
}

private struct Feed: Codable {
    struct Entry: Codable {
        var id: Int
        var login: String
        var createdAt: Date?

        enum CodingKeys: String, CodingKey {
            case id, login
            case createdAt = "created_at"
        }
    }

    var user: [Entry]
}

/// Replies and bodies in XML.
@MainActor @Suite struct XMLTests {
    private static func store(_ xml: String) throws -> (Store, StubTransport) {
        let stub = StubTransport { request in
            StubTransport.Reply(
                status: xml.isEmpty && request.method == .post ? 204 : 200,
                headerFields: [.contentType: "application/xml"], body: Array(xml.utf8))
        }
        return (
            try Store(.temporary, models: [User.self], api: API("https://api.example.com", transport: stub)), stub
        )
    }

    @Test func `XML around JSON, as by AlamofireCoreData, is imported in one request`() async throws {
        let (store, _) = try Self.store(
            #"<reply><status>1</status><json>[{"id": 7, "login": "ada"}]</json></reply>"#)
        let users = try await User.fetchAll(in: store.main) { $0.reading = .xml(Wrapper.self) { $0.json } }
        #expect(users.map(\.login) == ["ada"])
    }

    @Test func `Elements of XML become objects`() async throws {
        let (store, _) = try Self.store(
            """
            <feed><user><id>7</id><login>ada &amp; co</login><created_at>1970-01-02T00:00:00Z</created_at></user>
            <user><id>8</id><login>eve</login></user></feed>
            """)
        let users = try await User.fetchAll(at: "user", in: store.main) { $0.reading = .xml(Feed.self) }
        #expect(users.map(\.login) == ["ada & co", "eve"])
        #expect(users[0].createdAt == Date(timeIntervalSince1970: 86_400))
    }

    @Test(
        arguments: [
            ("1970-01-02", 86_400), ("1970-01-02T00:00:00.25Z", 86_400.25), ("1970-01-02T01:00:00+01:00", 86_400),
        ] as [(String, Double)])
    func `A date in XML can be a day, or have a fraction or an offset`(_ text: String, _ seconds: Double) async throws {
        let (store, _) = try Self.store(
            "<feed><user><id>7</id><login>ada</login><created_at>\(text)</created_at></user></feed>")
        let users = try await User.fetchAll(at: "user", in: store.main) { $0.reading = .xml(Feed.self) }
        #expect(users.map(\.createdAt) == [Date(timeIntervalSince1970: seconds)])
    }

    @Test(arguments: ["<feed><user>", "", "{}", "<feed><user><id>x</id></user></feed>"])
    func `XML of another form is an error, and nothing is stored`(_ xml: String) async throws {
        let (store, _) = try Self.store(xml)
        let error = await #expect(throws: APIError.self) {
            _ = try await User.fetchAll(at: "user", in: store.main) { $0.reading = .xml(Feed.self) }
        }
        guard case .unread? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try store.main.query(User.self).count() == 0)
    }

    @Test func `A body is sent as XML`() async throws {
        let (store, stub) = try Self.store("")
        let feed = Feed(user: [Feed.Entry(id: 7, login: "a&b")])
        try await store.main.send(.post, "/feed", body: .xml(feed, root: "feed")) { $0.headers[.accept] = "text/xml" }
        let request = try #require(stub.requests.last)
        #expect(request.headerFields[.contentType] == "application/xml")
        #expect(
            stub.log.last
                == #"POST /feed <?xml version="1.0" encoding="UTF-8"?>\#n<feed><user><id>7</id><login>a&amp;b</login></user></feed>"#
        )
    }
}
