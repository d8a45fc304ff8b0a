import RestfulData
import RestfulDataTesting
import Testing

extension Cookbook {
    /// Contexts, drafts, undo, queries and freshness.
    @MainActor @Suite(.timeLimit(.minutes(10))) struct ContextRecipes {
        private let clock = TestClock()
        private let server: TestServer
        private let store: Store
        private let printed = Printed()
        private var context: ObjectContext { store.main }

        private func print(_ values: Any...) { printed.add(values) }

        init() throws {
            server = try Cookbook.server(clock: clock)
            store = try Cookbook.store(server)
        }

        @Test func `A draft's edits are visible in the draft alone until it is saved`() async throws {
            let issue = try await Issue.fetch(key: 1, in: context)
            // recipe: Edit in a form with Save and Cancel
            let draft = try context.draft()
            let form = draft.object(for: issue)
            form?.title = "Crash at start"
            print(issue.title, draft.hasChanges)  // Crash true

            try await form?.save()  // PATCH /issues/1; to cancel, release the draft
            // end
            #expect(printed.lines == ["Crash true"])
            #expect(issue.title == "Crash at start" && !draft.hasChanges)
            #expect(server.log.last == #"PATCH /issues/1 {"title":"Crash at start"}"#)
        }

        @Test func `A recorded edit is undone and redone`() async throws {
            let issue = try await Issue.fetch(key: 1, in: context)
            // recipe: Undo and redo edits
            let history = context.recordUndo()
            history.group("Rename") { issue.title = "Crash at start" }
            history.undo()
            print(issue.title)  // Crash
            history.redo()
            print(issue.title)  // Crash at start
            // end
            #expect(printed.lines == ["Crash", "Crash at start"] && history.undoName == "Rename")
        }

        @Test func `Work in the background is saved and merged into the main context`() async throws {
            let issues = try await Issue.fetchAll(in: context)
            // recipe: Change many objects in the background
            let count = try await store.background { context in
                let closed = try context.query(Issue.self).where { $0.state == .closed }.fetch()
                for issue in closed { issue.title += " (done)" }
                return closed.count  // the edits are saved when the closure returns
            }
            // end
            #expect(count == 1 && issues[1].title == "Typo (done)" && !context.hasChanges)
        }

        @Test func `A search finds objects by the beginning of a word`() async throws {
            _ = try await Issue.fetchAll(in: context)
            let text = "sta"
            // recipe: Search while the user types
            let found = context.query(Issue.self).search(text, asTyped: true)
            for result in try found.limit(20).searchResults(marking: "*", and: "*") {
                print(result.object.state, result.excerpt)  // open Slow *start*
            }
            // end
            #expect(printed.lines == ["open Slow *start*"])
        }

        @Test func `Live sections follow the objects' edits`() async throws {
            let issues = try await Issue.fetchAll(in: context)
            // recipe: Show a list in sections that stay up to date
            let sections = try context.query(Issue.self).order { $0.title }.liveSections(by: { $0.state })
            for section in sections {
                print(section.value, section.map(\.title))  // closed ["Typo"], then open ["Crash", "Slow start"]
            }
            // end
            #expect(printed.lines == [#"closed ["Typo"]"#, #"open ["Crash", "Slow start"]"#])
            issues[1].state = .open
            #expect(sections.map(\.value) == [.open] && sections[0].count == 3)
        }

        @Test func `A live result reports each change of a list`() async throws {
            let issues = try await Issue.fetchAll(in: context)
            let edits = Task { @MainActor in for issue in issues { issue.state = .closed } }
            // recipe: Run code when a list changes
            let open = try context.query(Issue.self).where { $0.state == .open }.live()
            for try await change in open.changes {
                print(change.objects.count, change.insertions, change.removals)
                if change.objects.isEmpty { break }
            }
            // end
            await edits.value
            #expect(printed.lines.last?.hasPrefix("0 ") == true && open.isEmpty)
        }

        // MARK: Freshness

        @Test func `A fetch within the policy's age is answered by the store`() async throws {
            func load() async throws {
                // recipe: Ask the server at most once a minute
                let policy = FetchPolicy.ifOlder(than: .seconds(60))
                let issues = try await Issue.fetchAllReporting(policy: policy, in: context)
                print(issues.objects.count, issues.source == .store)  // 3 false, and within a minute 3 true
                // end
            }
            try await load()
            clock.advance(by: .seconds(59))
            try await load()
            #expect(server.requests.count == 1)
            clock.advance(by: .seconds(2))
            try await load()
            #expect(server.requests.count == 2 && printed.lines == ["3 false", "3 true", "3 false"])
        }

        @Test func `Stored objects come first, then the server's`() async throws {
            _ = try await Issue.fetchAll(in: context)
            try server.insert(Issue.self, ["id": 4, "title": "New"])
            // recipe: Show stored objects at once, then the server's
            for try await issues in Issue.cachedThenFresh(in: context) {
                print(issues.objects.count, issues.source == .store)  // 3 true, then 4 false
            }
            // end
            #expect(printed.lines == ["3 true", "4 false"])
        }
    }
}
