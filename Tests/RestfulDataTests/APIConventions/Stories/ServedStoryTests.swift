import RestfulData
import RestfulDataTesting
import Testing

/// The same story for each ready-made style, with a server made from the models. A reader of its own parses the
/// library's requests, and the library reads its replies.
@MainActor @Suite struct ServedStoryTests {
    struct Served: Sendable, CustomTestStringConvertible {
        let service: ScriptedService
        /// Another client's change of the album that the story edits.
        let contradiction: @Sendable (TestServer) throws -> Void
        let seed: @Sendable (TestServer) throws -> Void
        let run: @MainActor @Sendable (ObjectContext) async throws -> Void

        var testDescription: String { service.name }

        /// - Parameters:
        ///   - albums: the identities of the three that there are, and of the one that the story makes.
        ///   - identity: the JSON name of it.
        init<Album: StoryAlbum>(
            _ service: ScriptedService, _ type: Album.Type, _ albums: [JSONValue] = [1, 2, 3, 4],
            by identity: String = "id", with extra: @escaping @Sendable (TestServer) throws -> Void = { _ in }
        ) {
            self.service = service
            let titles: [JSONValue] = ["Blue Train", "Giant Steps", "Coltrane's Sound"]
            let made = albums[3]
            seed = { server in
                for (id, title) in zip(albums, titles) {
                    try server.insert(type, .object([identity: id, "title": title]))
                }
                try server.require(type, "title")
                try extra(server)
            }
            contradiction = {
                try $0.update(type, made.string ?? "\(made.integer ?? 0)", setting: ["title": "Meditations"])
            }
            run = AlbumStory<Album>(refusal: "can't be blank").run
        }
    }

    nonisolated static let all = [
        Served(.rails, Numbered.Album.self), Served(.djangoREST, Numbered.Album.self),
        Served(.camelCase, Numbered.Album.self), Served(.jsonAPI, Numbered.Album.self),
        Served(.hal, Numbered.Album.self), Served(.laravel, Numbered.Album.self),
        Served(.oData, Catalogued.Album.self),
        Served(.strapi, Documented.Album.self, ["a1", "a2", "a3", "1"], by: "documentId"),
        Served(.github, Numbered.Album.self), Served(.gitLab, Numbered.Album.self),
        Served(.stripe, Charged.Album.self, ["alb_1", "alb_2", "alb_3", "1"]),
        Served(.google, ResourceNamed.Album.self, ["albums/1", "albums/2", "albums/3", "albums/4"], by: "name"),
        Served(.fhir, Healthy.Library.self, ["a", "b", "c", "1"]),
        Served(.mastodon, Tooting.List.self, ["1", "2", "3", "4"]) {
            try $0.insert(Tooting.Account.self, ["id": "5", "acct": "Wise One"])
        },
        Served(.cloudflare, Numbered.Album.self), Served(.linode, Numbered.Album.self),
    ]

    @Test(arguments: all)
    func `Each style works with a test server of its models`(_ served: Served) async throws {
        let conventions = served.service.conventions
        let server = try TestServer(models: served.service.models, conventions: conventions, served.seed)
        server.onEach { [weak server] request in
            guard let server, request.method != .get,
                String(decoding: request.body, as: UTF8.self).contains("Ascension")
            else { return nil }
            try served.contradiction(server)
            // An unconditional change would be accepted.
            return conventions.conditionalWrites == .never ? .status(409) : nil
        }
        let store = try Store(.temporary, models: served.service.models, api: API(server))
        try await served.run(store.main)
        #expect(server.unmatched == [])
    }
}
