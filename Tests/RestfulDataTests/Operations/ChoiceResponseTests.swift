import RestfulData
import RestfulDataTesting
import Testing

/// Response types with objects of several models.
@MainActor @Suite struct ChoiceResponseTests {
    @Model("/posts") final class Post {
        var identifier: Int?
        var title = ""
    }

    @Model("/events") final class Event {
        var identifier: Int?
    }

    // The macro's extension doesn't look into the type around the enum.
    @ModelChoice enum Item {
        typealias Post = ChoiceResponseTests.Post
        typealias Event = ChoiceResponseTests.Event

        case post(Post)
        case event(Event)
    }

    @ResponseBody struct Page {
        var total = 0
        var items: [Item]
        @Relationship(json: "meta.newest") var newest: Item?
    }

    @ResponseBody struct Everything {
        @Relationship(json: .root) var items: [Item] = []
    }

    @Test func `A response type has objects of several models`() async throws {
        let body = """
            {"total": 3, "items": [{"type": "post", "id": 1, "title": "a"}, {"type": "event", "id": 1}, {"type": "poll", "id": 2}],
             "meta": {"newest": {"id": 1, "type": "event"}}}
            """
        let service = try Service([Post.self, Event.self], stub: StubTransport { _ in .json(body) })
        let (page, report) = try await API.reporting { () async throws(APIError) in
            try await Page.fetch("/page", in: service.main)
        }
        let (post, event) = (
            try #require(try service.main.find(Post.self, 1)), try #require(try service.main.find(Event.self, 1))
        )
        #expect(
            page.total == 3 && page.items.map { ObjectIdentifier($0.model) } == [ObjectIdentifier(post), .init(event)])
        #expect(page.newest?.model === event && post.title == "a")
        #expect(report.rejected.map(\.path) == ["items[2]"])
    }

    @Test func `The whole body may be a list that mixes models, and a part may be missing`() async throws {
        let service = try Service(
            [Post.self, Event.self],
            replies: [
                "GET /all": .json(#"[{"type": "event", "id": 4}, {"type": "post", "id": 3}]"#),
                "GET /none": .json(#"{"total": 0, "meta": {"newest": null}}"#),
            ])
        let all = try await Everything.fetch("/all", in: service.main)
        #expect(all.items.count == 2 && all.items[0].model is Event)
        let none = try await Page.fetch("/none", in: service.main)
        #expect(none.items.isEmpty && none.newest == nil)
    }
}
