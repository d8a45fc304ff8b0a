import Foundation
import RestfulData
import RestfulDataTesting
import RestfulDataTestingLoopback
import Synchronization
import Testing

extension Cookbook {
    /// Keeps the largest fraction of a transfer.
    final class ProgressBar: Sendable {
        private let largest = Mutex(0.0)
        var fraction: Double { largest.withLock { $0 } }

        func show(_ fraction: Double) { largest.withLock { $0 = max($0, fraction) } }
    }

    /// Gives an expired token first.
    actor Session {
        private(set) var renewals = 0

        func token(insteadOf rejected: String?) throws -> String {
            guard rejected != nil else { return "old" }
            renewals += 1
            return "new"
        }
    }

    /// Sign-in, files and services. Some need an API with the URL of a server, which listens on loopback.
    @MainActor @Suite(.timeLimit(.minutes(10))) struct FileRecipes {
        private let server: TestServer
        private let folder = FileManager.default.temporaryDirectory.appending(path: "cookbook-\(UUID())")

        init() throws { server = try Cookbook.server() }

        /// Runs the body with the URL of the server, and an empty folder.
        private func listening(_ body: (_ baseURL: String) async throws -> Void) async throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let listening = try await server.listen()
            try await body(listening.baseURL)
            await listening.stop()
        }

        // MARK: Sign-in

        @Test func `A rejected token is renewed once, and the request is sent again`() async throws {
            server.requireToken("new")
            let session = Session()
            try await listening { baseURL in
                // recipe: Renew an expired token
                let api = API(baseURL) {
                    BearerToken { rejected in try await session.token(insteadOf: rejected) }
                }
                // end
                let store = try Store(.temporary, models: models, api: api)
                #expect(try await Issue.fetchAll(in: store.main).count == 3)
                #expect(server.exchanges.map(\.reply.status) == [401, 200])
            }
            #expect(await session.renewals == 1)
        }

        @Test func `Two accounts have separate stores`() async throws {
            try await listening { baseURL in
                // recipe: Keep two accounts apart
                func openStore(for account: String, token: String) throws -> Store {
                    let api = API(baseURL) { BearerToken(token, account: account) }
                    return try Store(.file(folder.appending(path: "\(account).sqlite")), models: models, api: api)
                }
                // end
                let (ada, grace) = (try openStore(for: "ada", token: "a"), try openStore(for: "grace", token: "g"))
                _ = try await Issue.fetchAll(in: ada.main)
                #expect(try ada.main.query(Issue.self).count() == 3 && grace.main.query(Issue.self).count() == 0)
                #expect(server.exchanges.last?.request.headerFields[.authorization] == "Bearer a")
                ada.close()
                grace.close()
            }
        }

        // MARK: Files

        @Test func `An upload of a file reports its progress`() async throws {
            try server.on(.put, "/users/:id/avatar") { request in
                request.body.count == 200_000 ? .json(#"{"id": 1, "name": "Ada"}"#) : .status(400)
            }
            let bar = ProgressBar()
            try await listening { baseURL in
                let store = try Store(.temporary, models: models, api: API(baseURL))
                let user = try await User.fetch(key: 1, in: store.main)
                let photo = folder.appending(path: "photo.png")
                try Data(repeating: 7, count: 200_000).write(to: photo)
                // recipe: Upload an avatar with progress
                try await user.send(.put, "/users/:id/avatar", body: .file(photo)) {
                    $0.progress = { bar.show($0.fraction ?? 0) }
                }
                // end
            }
            #expect(bar.fraction == 1 && server.requests.last == "PUT /users/1/avatar")
        }

        @Test func `A download writes a file and reports its progress`() async throws {
            let film = [UInt8](repeating: 7, count: 200_000)
            try server.on(.get, "/films/:id") { _ in TestServer.Reply(status: 200, body: film) }
            let bar = ProgressBar()
            try await listening { baseURL in
                let api = API(baseURL)
                let file = folder.appending(path: "film.mp4")
                // recipe: Download a file and continue a broken download
                try await api.download("/films/:id", ["id": 7], to: file, resumes: true) {
                    bar.show($0.fraction ?? 0)
                }
                // end
                #expect([UInt8](try Data(contentsOf: file)) == film)
            }
            #expect(bar.fraction == 1)
        }

        @Test func `A service calls the methods that a file describes`() async throws {
            let api = API(server)
            let store = try Store(.temporary, models: models, api: api)
            let context = store.main
            // recipe: Call the methods of a service that a file describes
            let file = """
                {
                  "users": { "request": { "path": "/users" } },
                  "rename": { "request": { "path": "/users/%0", "method": "PATCH", "body": { "name": "%1" } } }
                }
                """
            let service = try WebService(json: file, api: api)
            let users: [User] = try await service.users(in: context)  // GET /users
            try await service.rename(users[0], "Ada L.")  // PATCH /users/1 {"name":"Ada L."}
            // end
            #expect(server.log == ["GET /users", #"PATCH /users/1 {"name":"Ada L."}"#])
        }

        // MARK: Testing

        private func closeAll(in context: ObjectContext) async throws {
            for issue in try await Issue.fetchAll(in: context) {
                issue.state = .closed
                try await issue.save()
            }
        }

        @Test func `A feature is tested with a server of its models`() async throws {
            // recipe: Test a feature without a network
            let server = try TestServer(models: models) {
                try $0.seed(Issue.self, json: #"{"id": 1, "title": "Crash", "state": "open"}"#)
            }
            let store = try Store(.temporary, models: models, api: API(server))
            try await closeAll(in: store.main)  // the feature
            assert(server.log == ["GET /issues", #"PATCH /issues/1 {"state":"closed"}"#])
            assert(server.object(Issue.self, 1)?["state"] == "closed")
            // end
            #expect(server.requests.count == 2 && server.unmatched == [])
        }

        @Test func `A test moves its clock instead of waiting`() async throws {
            // recipe: Test a time limit without waiting
            let clock = TestClock()
            let server = try TestServer(models: models, clock: clock)
            let api = API(server, policy: .ifOlder(than: .seconds(60)))
            let store = try Store(.temporary, models: models, api: api)
            _ = try await Issue.fetchAll(in: store.main)
            _ = try await Issue.fetchAll(in: store.main)  // from the store
            clock.advance(by: .seconds(61))
            _ = try await Issue.fetchAll(in: store.main)  // from the server
            assert(server.requests.count == 2)
            // end
            #expect(server.requests == ["GET /issues", "GET /issues"])
        }

        private func titles(_ api: API) async throws -> [String] {
            let store = try Store(.temporary, models: models, api: api)
            return try await Issue.fetchAll(in: store.main).map(\.title)
        }

        @Test func `A recording of real traffic answers a test`() async throws {
            try await listening { baseURL in
                let file = folder.appending(path: "issues.har")
                // recipe: Test with recorded replies of the real server
                let recorder = RecordingTransport(HTTPTransport.standard)  // once
                let recorded = try await titles(API(baseURL, transport: recorder))
                try recorder.write(to: file)

                let replay = try ReplayTransport(contentsOf: file)  // in each test
                let replayed = try await titles(API(baseURL, transport: replay))
                assert(replayed == recorded && replay.unused == [])
                // end
                #expect(replayed == ["Crash", "Typo", "Slow start"] && replay.unused == [])
                #expect(server.requests == ["GET /issues"])
            }
        }
    }
}
