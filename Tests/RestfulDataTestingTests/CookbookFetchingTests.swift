import Foundation
import RestfulData
import RestfulDataTesting
import Testing

@Model("/photos")
final class Photo {
    var identifier: Int?
    var caption = ""
}

@Model("/episodes")
final class Episode {
    var identifier: Int?
    var title = ""
}

// recipe: Fetch a list that mixes models
@ModelChoice(by: "type")
enum Favourite {
    case photo(Photo)
    case episode(Episode)
}
// end

extension Cookbook {
    /// Fetching and pages.
    @MainActor @Suite(.timeLimit(.minutes(10))) struct FetchingRecipes {
        private let server: TestServer
        private let store: Store
        private var context: ObjectContext { store.main }
        private let api: API

        private let printed = Printed()

        private func print(_ values: Any...) { printed.add(values) }

        init() throws {
            server = try Cookbook.server()
            api = API(server)
            store = try Store(.temporary, models: Cookbook.models, api: api)
        }

        @Test func `A page fetches the next page on demand`() async throws {
            let project = try await Project.fetch(key: 7, in: context)
            server.forgetRequests()
            // recipe: Load the next page when the user scrolls
            let first = try await project.$issues.pages(size: 2).first()
            // … when the user reaches the end of the list:
            let second = try await first?.next()
            let isComplete = second?.hasNext != true
            // end
            #expect(first?.objects.map(\.title) == ["Crash", "Typo"] && first?.hasNext == true)
            #expect(second?.objects.map(\.title) == ["Slow start"] && isComplete)
            #expect(project.issues.count == 3 && server.requests.count == 2)
            #expect(server.requests.last?.hasSuffix("page=2") == true)
        }

        @Test func `A whole list deletes the objects that it omits`() async throws {
            _ = try await Issue.fetchAll(in: context)
            try server.remove(Issue.self, 2)
            // recipe: Delete objects that the server no longer has
            let issues = try await Issue.fetchAllReporting(pages: .all(), prune: .delete, in: context)
            print(issues.report.deleted)  // 1
            if let obstacle = issues.pruned?.obstacle { print("nothing was deleted: \(obstacle)") }
            // end
            #expect(printed.lines == ["1"] && issues.pruned?.deleted == 1)
            #expect(try context.query(Issue.self).fetch().compactMap(\.identifier).sorted() == [1, 3])
        }

        @Test func `A mixed list returns objects of several models in the server's order`() async throws {
            let models: [any Model.Type] = [Photo.self, Episode.self]
            let server = try TestServer(models: models) {
                try $0.on(.get, "/favourites") { _ in
                    .json(
                        """
                        [{"type": "photo", "id": 5, "caption": "Sunset"},
                         {"type": "episode", "id": 1, "title": "Pilot"}]
                        """)
                }
            }
            let store = try Store(.temporary, models: models, api: API(server))
            let context = store.main
            // recipe: Fetch a list that mixes models
            var rows: [String] = []
            for favourite in try await Favourite.fetchAll("/favourites", in: context) {
                switch favourite {
                case .photo(let photo): rows.append(photo.caption)
                case .episode(let episode): rows.append(episode.title)
                }
            }
            // end
            #expect(rows == ["Sunset", "Pilot"])
        }

        @Test func `A report names the values of a reply that were left out`() async throws {
            try server.update(Issue.self, 1, setting: ["version": "new"])
            // recipe: Find out which values of a reply couldn't be read
            let (issues, report) = try await API.reporting { try await Issue.fetchAll(in: context) }
            print("\(issues.count) issues, complete: \(report.isComplete)")  // 3 issues, complete: false
            for mismatch in report.mismatched { print(mismatch) }  // [0].version: …
            // end
            #expect(printed.lines.first == "3 issues, complete: false" && printed.lines.count == 2)
            #expect(printed.lines.last?.hasPrefix("[0].version: ") == true, "\(printed.lines)")
        }

        @Test func `A pushed object is imported unless the store has a newer version`() async throws {
            let issue = try await Issue.fetch(key: 1, in: context)
            // recipe: Import an object from a push message
            @MainActor func receive(_ payload: Data, in context: ObjectContext) async throws {
                try await context.import(Issue.self, from: payload, ifNewer: \.version)
            }
            // end
            try await receive(Data(#"{"id": 1, "title": "Crash at start", "version": 3}"#.utf8), in: context)
            try await receive(Data(#"{"id": 1, "title": "Crash!", "version": 2}"#.utf8), in: context)
            #expect(issue.title == "Crash at start" && issue.version == 3)
        }

        @Test func `A followed stream imports and deletes objects until the server ends it`() async throws {
            try server.on(.get, "/events") { request in
                if let field = HTTPField.Name("Last-Event-ID"), request.headerFields[field] != nil {
                    return .status(204)
                }
                return .events(
                    """
                    retry: 0
                    id: 1
                    event: changed
                    data: {"id": 1, "title": "Crash at start", "version": 2}

                    id: 2
                    event: deleted
                    data: {"id": 2, "version": 2}


                    """)
            }
            let issues = try await Issue.fetchAll(in: context)
            // recipe: Follow the changes that a server sends
            try await context.follow(
                api.stream("/events"),
                .imports(Issue.self, on: "changed", ifNewer: \.version),
                .deletes(Issue.self, on: "deleted", ifNewer: \.version))
            // end
            #expect(issues[0].title == "Crash at start" && issues[1].isDeleted && !issues[2].isDeleted)
        }
    }
}
