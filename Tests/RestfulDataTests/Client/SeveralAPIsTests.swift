import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@Model("/people")
private final class Patron {
    var id: Int?
    var fullName = ""
    var portrait: Painting?
    var address: Dwelling?
    @Relationship("/people/:id/favorites", inverse: nil, adds: .post()) var favorites: [Painting]
    var notes: [Jotting]
    @Relationship(inverse: nil, sentAs: .nested) var covers: [Painting]
}

@Model(embedded: true)
private final class Dwelling {
    var streetName = ""
}

@Model("/pictures", api: "media", key: "fileName")
private final class Painting {
    var id: Int?
    var fileName = ""
    var takenAt: Date?
    var frame: Border?
    @Relationship("/pictures/:fileName/owner", inverse: nil) var owner: Patron?
}

@Model(embedded: true)
private final class Border {
    var lineWidth = 0
}

@Model("/people/:person.id/notes", api: "media")
private final class Jotting {
    var id: Int?
    var shortText = ""
    var person: Patron?
}

@ResponseBody(api: "media")
private struct MediaUsage {
    var bytesUsed = 0
    var newest: Painting?
}

@ResponseBody
private struct Statistics {
    var bytesUsed = 0
    var newest: Painting?
}

/// A store with two APIs: snake_case and a bearer token, camelCase, envelopes, seconds since 1970 and a key.
@MainActor private struct TwoServices {
    static let models: [any Model.Type] = [Patron.self, Dwelling.self, Painting.self, Border.self, Jotting.self]
    let people: StubTransport
    let media: StubTransport
    let store: Store
    let (peopleAPI, mediaAPI): (API, API)

    init(
        location: Store.Location = .temporary, people: [String: StubTransport.Reply] = [:],
        media: [String: StubTransport.Reply] = [:]
    ) throws {
        try self.init(location: location, people: StubTransport(people), media: StubTransport(media))
    }

    init(location: Store.Location = .temporary, people: StubTransport, media: StubTransport) throws {
        (self.people, self.media) = (people, media)
        (peopleAPI, mediaAPI) = (Self.people(people), Self.media(media))
        store = try Store(location, models: Self.models, apis: [peopleAPI, mediaAPI])
    }

    static func people(_ transport: any Transport) -> API {
        API("https://api.example.com/v1", conventions: .rails, transport: transport) { BearerToken("people-token") }
    }

    static func media(_ transport: any Transport) -> API {
        var conventions = APIConventions.camelCase
        conventions.envelopes = .keyed("data")
        conventions.values = ValueFormats(dates: .epochSeconds)
        conventions.saveMethod = .put
        return API("https://media.example.com", name: "media", conventions: conventions, transport: transport) {
            APIKey("media-key", in: .header("X-Key"))
        }
    }

    /// The credentials in all requests of a service.
    static func credentials(_ stub: StubTransport) -> Set<String> {
        Set(
            stub.requests.flatMap { request in
                [request.headerFields[.authorization], request.headerFields[.init("X-Key")!]].compactMap(\.self)
            })
    }
}

/// One store, several APIs: a model's requests go to its own, by its own conventions, with its own credentials.
@MainActor @Suite struct SeveralAPIsTests {
    nonisolated private static let ada = StubTransport.Reply.json(
        #"{"id": 1, "full_name": "Ada", "portrait_id": 7, "address": {"street_name": "Main St"}}"#)
    nonisolated private static let cat = StubTransport.Reply.json(
        #"{"data": {"id": 7, "fileName": "cat.png", "takenAt": 86400, "frame": {"lineWidth": 3}}}"#)

    // MARK: Each its own

    @Test func `Objects of one API link to those of another by identity, also after a restart`() async throws {
        try await withTemporaryFolder { folder in
            let location = Store.Location.file(folder.appending(path: "two.sqlite").path)
            do {
                let services = try TwoServices(
                    location: location, people: ["GET /v1/people/1": Self.ada],
                    media: ["GET /pictures/cat.png": Self.cat])
                let ada = try await Patron.fetch(key: 1, in: services.store.main)
                #expect(ada.fullName == "Ada" && ada.portrait == nil && ada.address?.streetName == "Main St")
                let cat = try await Painting.fetch(key: "cat.png", in: services.store.main)
                #expect(ada.portrait === cat && cat.frame?.lineWidth == 3)
                #expect(cat.takenAt == Date(timeIntervalSince1970: 86400))
                #expect(TwoServices.credentials(services.people) == ["Bearer people-token"])
                #expect(TwoServices.credentials(services.media) == ["media-key"])
            }
            let services = try TwoServices(location: location)
            let ada = try #require(try services.store.main.find(Patron.self, 1))
            #expect(ada.portrait?.fileName == "cat.png" && ada.portrait?.frame?.lineWidth == 3)
        }
    }

    @Test func `Saves and creations use the object's own API and its conventions`() async throws {
        let services = try TwoServices(
            people: StubTransport { request in
                request.method == .post
                    ? .json(#"{"id": 2, "full_name": "Alan", "portrait_id": 7}"#, status: 201) : .status(204)
            },
            media: StubTransport { _ in .json(#"{"data": {"id": 7, "fileName": "cat.png", "takenAt": 60}}"#) })
        let main = services.store.main
        let cat = Painting(in: main)
        (cat.fileName, cat.takenAt) = ("cat.png", Date(timeIntervalSince1970: 60))
        cat.frame = Border(in: main)
        cat.frame?.lineWidth = 2
        try await cat.create()
        let alan = Patron(in: main)
        (alan.fullName, alan.portrait) = ("Alan", cat)
        try await alan.create()
        cat.takenAt = Date(timeIntervalSince1970: 61)
        alan.fullName = "Alan T."
        try await cat.save()
        try await alan.save()
        #expect(
            services.media.log.map { $0.prefix(while: { $0 != "{" }) }
                == ["POST /pictures ", "PUT /pictures/cat.png "])
        let put = try #require(services.media.log.last)
        #expect(put.contains(#""takenAt":61"#) && put.contains(#"{"data":{"#) && put.contains(#""fileName":"cat.png""#))
        #expect(services.media.log[0].contains(#""frame":{"lineWidth":2}"#))
        #expect(
            services.people.log == [
                #"POST /v1/people {"full_name":"Alan","portrait_id":7}"#,
                #"PATCH /v1/people/2 {"full_name":"Alan T."}"#,
            ])
    }

    @Test func `A nested object of another API is read and sent with its own keys`() async throws {
        let services = try TwoServices(
            people: [
                "GET /v1/people/1": .json(
                    #"{"id": 1, "portrait": {"id": 7, "fileName": "cat.png", "takenAt": 30}}"#),
                "PATCH /v1/people/1": .status(204),
            ])
        let ada = try await Patron.fetch(key: 1, in: services.store.main)
        let cat = try #require(ada.portrait)
        #expect(cat.fileName == "cat.png" && cat.takenAt == Date(timeIntervalSince1970: 30))
        ada.covers = [cat]
        try await ada.save()
        #expect(services.people.log.last?.contains(#""covers":[{"id":7,"fileName":"cat.png","takenAt":30"#) == true)
        #expect(services.media.requests.isEmpty)
    }

    // MARK: Relationships

    @Test func `A relationship's requests go to the API of its target`() async throws {
        let services = try TwoServices(
            people: ["GET /v1/people/1": Self.ada],
            media: [
                "GET /people/1/favorites": .json(#"{"data": [{"id": 8, "fileName": "dog.png"}]}"#),
                "GET /people/1/notes": .json(#"{"data": [{"id": 3, "shortText": "Hi", "personId": 1}]}"#),
                "POST /people/1/notes": .json(#"{"data": {"id": 4, "shortText": "New", "personId": 1}}"#),
                "DELETE /people/1/notes/3": .status(204),
                "POST /people/1/favorites": .status(204),
                "DELETE /people/1/favorites/dog.png": .status(204),
                "GET /pictures/cat.png": Self.cat,
            ])
        let main = services.store.main
        let ada = try await Patron.fetch(key: 1, in: main)
        let cat = try await Painting.fetch(key: "cat.png", in: main)
        let dogs = try await ada.$favorites.fetch()
        #expect(dogs.map(\.fileName) == ["dog.png"] && ada.$favorites.completeness.extent == .whole)
        try await ada.$favorites.add(cat)
        try await ada.$favorites.delete(dogs[0])
        #expect(ada.favorites.map(\.fileName) == ["cat.png"])
        let notes = try await ada.$notes.fetch()
        let note = Jotting(in: main)
        note.shortText = "New"
        try await ada.$notes.add(note)
        try await ada.$notes.delete(notes[0])
        #expect(ada.notes.map(\.shortText) == ["New"])
        #expect(
            services.media.log == [
                "GET /pictures/cat.png", "GET /people/1/favorites", #"POST /people/1/favorites {"favoriteIds":[7]}"#,
                "DELETE /people/1/favorites/dog.png", "GET /people/1/notes",
                #"POST /people/1/notes {"data":{"shortText":"New"}}"#, "DELETE /people/1/notes/3",
            ])
        #expect(services.people.log == ["GET /v1/people/1"])
        #expect(TwoServices.credentials(services.media) == ["media-key"])
    }

    @Test func `A link's route is at the API of its target, declared or not`() async throws {
        let services = try TwoServices(
            people: [
                "GET /v1/people/1": Self.ada, "GET /v1/pictures/cat.png/owner": Self.ada,
            ], media: ["GET /pictures/cat.png": Self.cat])
        let main = services.store.main
        let cat = try await Painting.fetch(key: "cat.png", in: main)
        let ada = try await cat.$owner.fetch()
        #expect(cat.owner === ada && ada?.fullName == "Ada")
        let again = try await ada?.$portrait.fetch()
        #expect(again === cat)
        #expect(services.media.log == ["GET /pictures/cat.png", "GET /pictures/cat.png"])
        #expect(services.people.log == ["GET /v1/pictures/cat.png/owner"])
    }

    // MARK: Apart from each other

    @Test func `One API's limits don't delay the other's requests`() async throws {
        let spent: HTTPFields = [
            .init("X-RateLimit-Limit")!: "60", .init("X-RateLimit-Remaining")!: "0",
            .init("X-RateLimit-Reset")!: "3600",
        ]
        let services = try TwoServices(
            people: StubTransport { _ in .json("[]", headerFields: spent) },
            media: StubTransport { _ in .json(#"{"data": []}"#) })
        let main = services.store.main
        _ = try await Patron.fetchAll(in: main)
        guard case .transport(let error) = await failure({ _ = try await Patron.fetchAll(in: main) }),
            case .limited = error.reason
        else {
            Testing.Issue.record("it was sent")
            return
        }
        _ = try await Painting.fetchAll(in: main)
        #expect(services.people.requests.count == 1 && services.media.requests.count == 1)
        #expect(services.peopleAPI.limits[""]?.remaining == 0 && services.mediaAPI.limits[""]?.remaining == nil)
    }

    @Test func `A link from one API to the other's server gets no credentials`() async throws {
        let services = try TwoServices(
            people: StubTransport { request in
                request.url.host() == "media.example.com"
                    ? .json("[]")
                    : .json(
                        #"[{"id": 1}]"#,
                        headerFields: [.init("Link")!: #"<https://media.example.com/people?page=2>; rel="next""#])
            }, media: StubTransport { _ in .json("[]") })
        _ = try await Patron.fetchAll(pages: .all(), in: services.store.main)
        #expect(services.people.requests.map { $0.url.host() } == ["api.example.com", "media.example.com"])
        #expect(services.people.requests[1].headerFields[.authorization] == nil)
        #expect(services.media.requests.isEmpty)
    }

    @Test func `Requests to two APIs overlap, and each answer belongs to its own`() async throws {
        let (people, media) = (HeldTransport(), HeldTransport())
        let (peopleAPI, mediaAPI) = (TwoServices.people(people), TwoServices.media(media))
        let store = try Store(.temporary, models: TwoServices.models, apis: [peopleAPI, mediaAPI])
        let patrons = Task { @MainActor in _ = try await Patron.fetchAll("/all", in: store.main) }
        let paintings = Task { @MainActor in _ = try await Painting.fetchAll("/all", in: store.main) }
        await people.wait(for: 1)
        await media.wait(for: 1)
        media.answer(0, .json(#"{"data": [{"id": 1, "fileName": "a.png"}]}"#, headerFields: [.eTag: "\"m\""]))
        people.answer(0, .json(#"[{"id": 1, "full_name": "Ada", "portrait_id": 1}]"#, headerFields: [.eTag: "\"p\""]))
        try await patrons.value
        try await paintings.value
        let ada = try #require(try store.main.find(Patron.self, 1))
        let painting = try #require(ada.portrait)
        #expect(painting.fileName == "a.png")
        // Each has its own validator, and a 304 to one leaves the other unconfirmed.
        func fetch<M: Model>(
            _ type: M.Type, of transport: HeldTransport, _ number: Int, _ reply: StubTransport.Reply
        ) async throws {
            let fetch = Task { @MainActor in _ = try await M.fetchAll("/all", in: store.main) }
            await transport.wait(for: number + 1)
            transport.answer(number, reply)
            try await fetch.value
        }
        try await fetch(
            Painting.self, of: media, 1,
            .json(
                #"{"data": [{"id": 1, "fileName": "a.png"}]}"#, headerFields: [.eTag: "\"m\""]))
        try await fetch(
            Patron.self, of: people, 1,
            .json(
                #"[{"id": 1, "full_name": "Ada", "portrait_id": 1}]"#, headerFields: [.eTag: "\"p\""]))
        try await fetch(Patron.self, of: people, 2, .status(304))
        try await fetch(Painting.self, of: media, 2, .status(304))
        #expect(try await Painting.fetchAll("/all", policy: .offline, in: store.main).first === painting)
        #expect(try await Patron.fetchAll("/all", policy: .offline, in: store.main).first === ada)
        // The saves of the two are independent.
        (ada.fullName, painting.takenAt) = ("Ada L.", Date(timeIntervalSince1970: 5))
        let first = Task { @MainActor in await failure { try await ada.save() } != nil }
        let other = Task { @MainActor in try await painting.save() }
        await people.wait(for: 4)
        await media.wait(for: 4)
        media.answer(3, .status(204))
        try await other.value
        people.answer(3, .status(500))
        #expect(await first.value)
        #expect(ada.hasChanges && !painting.hasChanges)
        #expect(media.log.last == #"PUT /pictures/a.png {"data":{"id":1,"fileName":"a.png","takenAt":5}}"#)
    }

    @Test func `Another context sees objects of both APIs`() async throws {
        let services = try TwoServices(
            people: ["GET /v1/people/1": Self.ada], media: ["GET /pictures/cat.png": Self.cat])
        let ada = try await Patron.fetch(key: 1, in: services.store.main)
        let name = try await services.store.background { context in
            let cat = try await Painting.fetch(key: "cat.png", in: context)
            return try context.find(Patron.self, 1)?.portrait === cat ? cat.fileName : nil
        }
        #expect(name == "cat.png")
        await until { ada.portrait?.fileName == "cat.png" }
    }

    // MARK: Response types and services

    @Test func `A response type uses its own API and conventions`() async throws {
        let body = StubTransport.Reply.json(
            #"{"bytesUsed": 5, "newest": {"id": 7, "fileName": "cat.png"}}"#)
        let other = StubTransport.Reply.json(#"{"bytes_used": 6, "newest": {"id": 7}}"#)
        let services = try TwoServices(people: ["GET /v1/usage": other], media: ["GET /usage": body])
        let usage = try await MediaUsage.fetch("/usage", in: services.store.main)
        let statistics = try await Statistics.fetch("/usage", in: services.store.main)
        #expect(usage.bytesUsed == 5 && statistics.bytesUsed == 6)
        #expect(usage.newest?.fileName == "cat.png" && usage.newest === statistics.newest)
    }

    @Test func `A service's methods return objects of its own API`() async throws {
        let services = try TwoServices(
            media: ["GET /pictures/cat.png": Self.cat, "GET /people": .json(#"{"data": []}"#)])
        let file = """
            {"pictureNamed": {"request": {"path": "/pictures/%0"}}, "people": {"request": {"path": "/people"}}}
            """
        try await withTemporaryFolder { folder in
            let url = folder.appending(path: "media.json")
            try Data(file.utf8).write(to: url)
            let service = try WebService(jsonURL: url, api: services.mediaAPI)
            let cat: Painting = try await service.pictureNamed("cat.png", in: services.store.main)
            #expect(cat.fileName == "cat.png")
            let error = await failure { let _: [Patron] = try await service.people(in: services.store.main) }
            guard case .service(.otherAPI) = error else {
                Testing.Issue.record("\(String(describing: error))")
                return
            }
            #expect(services.media.log == ["GET /pictures/cat.png"] && services.people.requests.isEmpty)
        }
    }

    // MARK: Declarations

    @Test func `Explanations name each model's API and each relationship's`() throws {
        let store = try TwoServices().store
        #expect(store.explanation(of: Patron.self)?.api == "https://api.example.com/v1")
        #expect(store.explanation(of: Border.self)?.api == "https://media.example.com")
        let painting = store.explain(Painting.self)
        #expect(painting.contains("API       https://media.example.com"))
        let person = store.explain(Patron.self)
        #expect(person.contains("registered, at https://media.example.com"))
        #expect(
            "\(TwoServices.media(StubTransport([:])))"
                == "API https://media.example.com (name: media; middleware: APIKey)")
        let one = try Service().store
        #expect(one.explanation(of: Post.self)?.api == nil)
    }

    @Test func `An unnamed or unused API is refused`() throws {
        let stub = StubTransport([:])
        func problem(_ apis: [API], _ models: [any Model.Type] = TwoServices.models) -> String {
            do {
                _ = try Store(.temporary, models: models, apis: apis)
                return "none"
            } catch { return "\(error)" }
        }
        let (people, media) = (TwoServices.people(stub), TwoServices.media(stub))
        #expect(problem([people]).contains(#"Painting is of the API "media", but no API of the store has a name"#))
        let other = API("https://media.example.com", name: "medias", transport: stub)
        #expect(problem([people, other]).contains(#"are named "medias"; did you mean "medias"?"#))
        #expect(problem([API("https://a.example.com", name: "", transport: stub)]).contains("has an empty name"))
        #expect(problem([]).contains("a store needs one at least"))
        #expect(problem([people, people]).contains("has no name"))
        #expect(problem([people, media, media]).contains(#"two of the store's are named "media""#))
    }

    @Test func `A store without an API accepts models of any API`() async throws {
        let store = try Store(.temporary, models: TwoServices.models)
        let cat = try await store.imported(Painting.self, #"{"id": 7, "file_name": "cat.png"}"#)
        #expect(cat.fileName == "cat.png")
        #expect(await failure { _ = try await Painting.fetchAll(in: store.main) } != nil)
    }
}
