import RestfulData
import RestfulDataTesting
import Testing

@Model("/events", discriminator: "type")
class Activity {
    var identifier: Int?
    var type = ""
    var reader: Reader?
}

@Model(inherits: Activity.self, as: "push")
final class PushActivity: Activity {
    var size = 0
    @Relationship("/events/:id/commits") var commits: [Commit]
}

@Model("/readers/:reader.id/stars", inherits: Activity.self)
final class StarActivity: Activity {
    @Attribute("rating", access: .readOnly) var stars = 0
}

@Model
final class Commit {
    var identifier: Int?
    var message = ""
}

@Model
final class Reader {
    var identifier: Int?
    @Relationship(inverse: "reader") var activities: [Activity]
    @Relationship("/readers/:id/stars", inverse: nil) var stars: [StarActivity]
}

/// Models that inherit, over HTTP.
@MainActor @Suite struct InheritanceTests {
    private static let models: [any Model.Type] = [
        Activity.self, PushActivity.self, StarActivity.self, Commit.self, Reader.self,
    ]

    private func service(_ replies: [String: StubTransport.Reply]) throws -> Service {
        try Service(Self.models, replies: replies)
    }

    @Test func `A fetched list has objects of several classes`() async throws {
        let service = try service([
            "GET /events": .json(
                #"[{"id": 1, "type": "push", "size": 2}, {"id": 2, "type": "StarActivity"}, {"id": 3}]"#)
        ])
        let all = try await Activity.fetchAll(in: service.main)
        #expect(all.map { "\(Swift.type(of: $0 as AnyObject))" } == ["PushActivity", "StarActivity", "Activity"])
        // An inherited base URL gives all classes; those of other models are reported.
        let pushes = try await PushActivity.fetchAllReporting(in: service.main)
        #expect(pushes.objects.map(\.size) == [2, 0] && pushes.objects.first === all[0])
        #expect(
            pushes.report.rejected.map(\.description) == ["[1]: a StarActivity where a PushActivity was expected"])
        try await expectContents(
            service,
            """
            PushActivity 1
              identifier = 1
              type = "push"
              size = 2
            PushActivity 3
              identifier = 3
              type = "push"
              size = 0
            StarActivity 2
              identifier = 2
              type = "StarActivity"
              stars = 0

            """)
    }

    @Test func `An object fetched by key has its own class`() async throws {
        let service = try service(["GET /events/7": .json(#"{"id": 7, "type": "push", "size": 5}"#)])
        let push = try #require(try await Activity.fetch(key: 7, in: service.main) as? PushActivity)
        #expect(push.size == 5)
        let same: PushActivity = try await PushActivity.fetch(key: 7, in: service.main)
        #expect(same === push)
        let error = await failure { _ = try await StarActivity.fetch("/events/:id", ["id": 7], in: service.main) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("a PushActivity where a StarActivity was expected"))
    }

    @Test func `A new object is sent with its discriminator`() async throws {
        let service = try service([
            "POST /events": .json(#"{"id": 1}"#), "PATCH /events/1": .json("{}"),
            "POST /readers/4/stars": .json(#"{"id": 2, "rating": 3}"#),
        ])
        let push = PushActivity(in: service.main)
        push.size = 4
        try await push.create()
        push.size = 5
        try await push.save()
        let reader = try await service.imported(Reader.self, #"{"id": 4}"#)
        let star = StarActivity(in: service.main)
        star.reader = reader
        try await star.create()
        #expect(
            service.stub.log == [
                #"POST /events {"type":"push","size":4}"#, #"PATCH /events/1 {"size":5}"#,
                #"POST /readers/4/stars {"type":"StarActivity"}"#,
            ])
        #expect(star.identifier == 2 && star.stars == 3 && reader.activities.map { $0 === star } == [true])
        #expect(push.identifier == 1 && push.type == "push" && !push.hasChanges)
    }

    @Test func `A submodel's relationship is fetched from its own route`() async throws {
        let service = try service([
            "GET /events/1/commits": .json(#"[{"id": 8, "message": "a"}]"#),
            "GET /readers/4/stars": .json(#"[{"id": 5, "rating": 2}, {"id": 6, "type": "push"}]"#),
        ])
        let push = try await service.imported(PushActivity.self, #"{"id": 1}"#)
        #expect(try await push.$commits.fetch().map(\.message) == ["a"])
        let reader = try await service.imported(Reader.self, #"{"id": 4}"#)
        let stars = try await reader.$stars.fetchReporting()
        #expect(stars.objects.map(\.stars) == [2] && reader.stars.map(\.identifier) == [5])
        #expect(stars.report.rejected.map(\.description) == ["[1]: a PushActivity where a StarActivity was expected"])
    }

    @Test func `A reply can change an object's class`() async throws {
        let service = try service(["GET /events/1": .json(#"{"id": 1, "type": "StarActivity", "rating": 4}"#)])
        let push = try await service.imported(PushActivity.self, #"{"id": 1, "size": 3}"#)
        try await push.fetch()
        let star = try #require(try service.main.find(StarActivity.self, 1))
        #expect(star.stars == 4 && push.size == 3 && push.type == "StarActivity")
        let error = await failure { try await push.$commits.fetch() }
        guard case .route(.noRoute(of: "StarActivity.commits", needs: _))? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
    }

    @Test func `An edit of a property that a reply's class change removes is reported by the next save`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Self.models)
        let push = try await store.imported(PushActivity.self, #"{"id": 1, "type": "push", "size": 2}"#)
        push.size = 3
        let saving = Task { try await push.save() }
        await held.wait(for: 1)
        push.size = 4
        held.answer(0, .json(#"{"id": 1, "type": "plain", "size": 3}"#))
        try await saving.value
        let error = await #expect(throws: StoreError.self) { try await store.main.save() }
        guard case .changedModel(property: "size", now: "Activity")? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(!store.main.hasChanges)
    }

    @Test func `A new object that is fetched keeps its class if the reply has no discriminator`() async throws {
        let service = try service(["GET /events/1": .json(#"{"id": 1, "size": 3}"#)])
        let push = PushActivity(in: service.main)
        push.identifier = 1
        try await push.fetch()
        #expect(push.size == 3 && push.type == "push")
        #expect(try service.main.find(Activity.self, 1) === push)
    }

    @Test func `The explanation lists the submodels and their discriminators`() throws {
        let store = try service([:]).store
        #expect(
            store.explain(Activity.self).contains(
                """
                  family    by "type": PushActivity for "push", StarActivity for "StarActivity", Activity for anything else
                """))
        let star = store.explain(StarActivity.self)
        #expect(star.hasPrefix("StarActivity\n  table     activity"))
        #expect(star.contains("  family    an Activity whose \"type\" is \"StarActivity\", \"star_activity\", "))
        #expect(
            star.contains("stars") && star.contains("reader") && !star.contains("commits") && !star.contains("size"))
        #expect(star.contains("GET /readers/:reader.id/stars/:id"))
        #expect(store.explain(PushActivity.self).contains("$commits.fetch   GET /events/:id/commits"))
        #expect(store.explain().contains("PushActivity\n  table     activity"))
    }

    private func expectContents(
        _ service: Service, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let contents = try await service.store.contents()
        #expect(contents == expected, "\(contents)", sourceLocation: sourceLocation)
    }
}
