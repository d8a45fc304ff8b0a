import Foundation
import RestfulData
import RestfulDataTesting
import Testing

@Model("/account/preferences", singular: true)
final class Preferences {
    var theme = "light"
    var size: Int?
    var owner: Keeper?
}

@Model("/keepers")
final class Keeper {
    var identifier: Int?
    var name = ""
    @Relationship(inverse: "owner") var preferences: Preferences?
    @Relationship(inverse: "keeper") var page: KeeperPage?
}

@Model("/keepers/:keeper/page", identity: "keeper", singular: true)
final class KeeperPage {
    var keeper: Keeper?
    var text = ""
}

/// Resources with one instance, at a URL that has no key.
@MainActor @Suite struct SingularModelTests {
    private func service(_ replies: [String: StubTransport.Reply]) throws -> Service {
        try Service([Preferences.self, Keeper.self, KeeperPage.self], stub: StubTransport(replies))
    }

    @Test func `A singular resource is fetched, saved and deleted at its base URL`() async throws {
        let service = try service([
            "GET /account/preferences": .json(#"{"theme": "dark", "size": 12}"#),
            "PATCH /account/preferences": .json(#"{"theme": "blue", "size": 12}"#),
            "DELETE /account/preferences": .status(204),
        ])
        #expect(try Preferences.stored(in: service.main) == nil)
        let preferences = try await Preferences.fetch(in: service.main)
        #expect(preferences.theme == "dark" && preferences.isKnownToServer)
        #expect(try Preferences.stored(in: service.main) === preferences)
        preferences.theme = "blue"
        try await preferences.save()
        try await preferences.fetch()
        #expect(try await Preferences.fetch(in: service.main) === preferences)
        try await preferences.delete()
        #expect(preferences.isDeleted)
        #expect(
            service.stub.log == [
                "GET /account/preferences", #"PATCH /account/preferences {"theme":"blue"}"#,
                "GET /account/preferences", "GET /account/preferences", "DELETE /account/preferences",
            ])
    }

    @Test func `Each context has one object of a singular resource, and a restart keeps it`() async throws {
        let service = try service(["GET /account/preferences": .json(#"{"theme": "dark"}"#)])
        let preferences = try await Preferences.fetch(in: service.main)
        try await service.store.background { context in
            let same = try #require(try Preferences.stored(in: context))
            #expect(same.theme == "dark")
            _ = try await Preferences.fetch(in: context)
            #expect(try context.query(Preferences.self).count() == 1)
        }
        #expect(try Preferences.stored(in: service.main) === preferences)
    }

    @Test func `A local singular resource is created without an identity`() async throws {
        let service = try service(["POST /account/preferences": .json(#"{"theme": "dark", "size": 3}"#, status: 201)])
        let preferences = Preferences(in: service.main)
        preferences.theme = "dark"
        try await preferences.create()
        #expect(preferences.size == 3 && preferences.isKnownToServer && preferences.unsentProperties.isEmpty)
        #expect(service.stub.log == [#"POST /account/preferences {"theme":"dark"}"#])
    }

    @Test func `A singular resource is created by a reply without a body`() async throws {
        let service = try service(["POST /account/preferences": .status(204)])
        let preferences = Preferences(in: service.main)
        preferences.theme = "dark"
        try await preferences.create()
        #expect(preferences.isKnownToServer)
        #expect(try await service.store.contents().contains(#"theme = "dark""#))
    }

    @Test func `An unsaved singular resource and a fetched one are the same object`() async throws {
        let service = try service(["GET /account/preferences": .json(#"{"theme": "dark", "size": 12}"#)])
        let made = Preferences(in: service.main)
        made.theme = "mine"
        let fetched = try await Preferences.fetch(in: service.main)
        #expect(fetched === made && made.theme == "mine" && made.size == 12)
    }

    @Test func `A list in the place of a singular resource is an error, and nothing is stored`() async throws {
        let service = try service(["GET /account/preferences": .json(#"[{"theme": "dark"}, {"theme": "blue"}]"#)])
        await #expect {
            _ = try await Preferences.fetch(in: service.main)
        } throws: { error in
            guard case APIError.noObject(let model, let report, _) = error else { return false }
            return model == "Preferences" && report.rejected.map(\.reason) == [.notAnObject(found: "a list")]
        }
        #expect(try service.main.query(Preferences.self).count() == 0)
    }

    @Test func `An error in the place of a singular resource doesn't change it`() async throws {
        let service = try service(["GET /account/preferences": .json(#"{"error": "no"}"#)])
        await #expect(throws: APIError.self) { _ = try await Preferences.fetch(in: service.main) }
        #expect(try service.main.query(Preferences.self).count() == 0)
    }

    @Test func `A singular resource that is gone at the server can be deleted`() async throws {
        let isThere = Box(true)
        let stub = StubTransport { request in
            request.method == .get && isThere.value ? .json(#"{"theme": "dark"}"#) : .json("{}", status: 404)
        }
        let service = try Service([Preferences.self, Keeper.self, KeeperPage.self], stub: stub)
        let preferences = try await Preferences.fetch(in: service.main)
        isThere.value = false
        try await preferences.delete()
        #expect(preferences.isDeleted)
    }

    @Test func `A nested singular resource is the one that the store has, and no body names it`() async throws {
        let service = try service(["POST /keepers": .json(#"{"id": 7, "name": "Ada"}"#, status: 201)])
        let keeper = try await service.imported(
            Keeper.self, #"{"id": 5, "name": "Ada", "preferences": {"theme": "dark"}}"#)
        let preferences = try #require(keeper.preferences)
        #expect(preferences.theme == "dark" && preferences.owner === keeper)
        let other = Keeper(in: service.main)
        other.name = "Ada"
        other.preferences = preferences
        try await other.create()
        #expect(service.stub.log == [#"POST /keepers {"name":"Ada"}"#])
    }

    @Test func `Each parent has a singular resource of its own`() async throws {
        let service = try service([
            "GET /keepers/5/page": .json(#"{"text": "five"}"#), "GET /keepers/6/page": .json(#"{"text": "six"}"#),
            "PATCH /keepers/5/page": .json(#"{"text": "new"}"#), "DELETE /keepers/6/page": .status(204),
        ])
        let five = try await service.imported(Keeper.self, #"{"id": 5}"#)
        let six = try await service.imported(Keeper.self, #"{"id": 6}"#)
        let page = try #require(try await five.$page.fetch())
        let other = try #require(try await six.$page.fetch())
        #expect(page !== other && page.text == "five" && other.text == "six")
        #expect(five.page === page && page.keeper === five)
        page.text = "new"
        try await page.save()
        try await other.delete()
        #expect(six.page == nil)
        #expect(try await five.$page.fetch() === page)
        #expect(
            service.stub.log == [
                "GET /keepers/5/page", "GET /keepers/6/page", #"PATCH /keepers/5/page {"text":"new"}"#,
                "DELETE /keepers/6/page", "GET /keepers/5/page",
            ])
    }

    @Test func `A singular resource is saved by way of the outbox`() async throws {
        let service = try service([
            "GET /account/preferences": .json(#"{"theme": "dark"}"#),
            "PATCH /account/preferences": .json(#"{"theme": "blue"}"#),
            "DELETE /account/preferences": .status(204),
        ])
        let preferences = try await Preferences.fetch(in: service.main)
        preferences.theme = "blue"
        try await preferences.save(.queued)
        await service.store.outbox.drain()
        #expect(preferences.syncState == .synced)
        try await preferences.delete(.queued)
        await service.store.outbox.drain()
        #expect(
            service.stub.log == [
                "GET /account/preferences", #"PATCH /account/preferences {"theme":"blue"}"#,
                "DELETE /account/preferences",
            ])
        #expect(service.main.outboxCount == 0)
    }
}
