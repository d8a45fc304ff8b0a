import RestfulData
import RestfulDataTesting
import Testing

extension Cookbook {
    /// Offline work and the outbox.
    @MainActor @Suite(.timeLimit(.minutes(10))) struct OfflineRecipes {
        private let server: TestServer
        private let store: Store
        private let printed = Printed()
        private var context: ObjectContext { store.main }

        private func print(_ values: Any...) { printed.add(values) }

        init() throws {
            server = try Cookbook.server()
            store = try Cookbook.store(server)
        }

        private func issue(_ id: Int = 1) async throws -> Issue {
            let issue = try await Issue.fetch(key: id, in: context)
            server.forgetRequests()
            return issue
        }

        @Test func `A queued save is sent when the server can be reached again`() async throws {
            let issue = try await issue()
            server.isDown = true
            // recipe: Save without a network
            store.outbox.start()  // once, at launch

            issue.title = "Crash at start"
            try await issue.save(.queued)  // stored; sent as soon as possible, also after a restart
            // end
            #expect(context.outboxCount == 1 && issue.title == "Crash at start")
            server.restart()
            store.outbox.wake()
            for await entries in store.outbox.updates where entries.isEmpty { break }
            store.outbox.stop()
            #expect(server.log == [#"PATCH /issues/1 {"title":"Crash at start"}"#])
        }

        @Test func `The outbox counts and lists the waiting changes`() async throws {
            let issue = try await issue()
            issue.title = "Crash at start"
            try await issue.save(.queued)
            // recipe: Show unsent changes in a badge
            let badge = store.main.outboxCount  // observable: a view that reads it is updated
            for entry in try await store.outbox.entries() {
                print(entry)  // 1 PATCH https://api.example.com/issues/1 (waiting)
            }
            // end
            #expect(badge == 1)
            #expect(printed.lines == ["1 PATCH https://api.example.com/issues/1 (waiting)"])
        }

        @Test func `A rejected change has the server's messages and can be discarded`() async throws {
            try server.require(Issue.self, "title")
            let issue = try await issue()
            issue.title = ""
            try await issue.save(.queued)
            await store.outbox.drain()
            // recipe: Show why the server has rejected a queued change
            if case .rejected(let rejection) = issue.syncState {
                print(rejection.fields["title"]?.first ?? rejection.message)  // can't be blank
            }
            for entry in try await store.outbox.entries() where entry.rejection != nil {
                try await store.outbox.discard(entry)  // or correct the object, and save it again with .queued
            }
            // end
            #expect(printed.lines == ["can't be blank"])
            #expect(issue.title == "Crash" && issue.syncState == .synced && context.outboxCount == 0)
        }

        @Test func `A drain sends the waiting changes and reports the others`() async throws {
            let issues = try await Issue.fetchAll(in: context)
            for issue in issues.prefix(2) {
                issue.title += "!"
                try await issue.save(.queued)
            }
            // recipe: Send waiting changes before the app is suspended
            let report = await store.outbox.drain(deadline: .seconds(25))
            print("\(report.sent) sent, \(report.waiting) left")
            if let problem = report.problem { print(problem) }  // such as a lost connection
            // end
            #expect(printed.lines == ["2 sent, 0 left"])
            #expect(server.objects(Issue.self).map { $0["title"] } == ["Crash!", "Typo!", "Slow start"])
        }

        @Test func `Changes of different properties on two devices are both kept`() async throws {
            // recipe: Merge the changes of two devices
            var conventions = APIConventions.rails
            conventions.conditionalWrites = .entityTags  // the server refuses outdated changes
            conventions.conflicts = .byProperty(otherwise: .serverWins)  // keeps both, unless of one property
            // end
            let server = try Cookbook.server(conventions)
            let store = try Cookbook.store(server)
            let issue = try await Issue.fetch(key: 1, in: store.main)
            issue.title = "Crash at start"
            try await issue.save(.queued)
            try server.update(Issue.self, 1, setting: ["state": "closed"])
            let report = await store.outbox.drain()
            #expect(report.sent == 1 && report.rejected == 0)
            #expect(issue.title == "Crash at start" && issue.state == .closed)
            #expect(server.object(Issue.self, 1)?["title"] == "Crash at start")
            #expect(server.object(Issue.self, 1)?["state"] == "closed")
        }
    }
}
