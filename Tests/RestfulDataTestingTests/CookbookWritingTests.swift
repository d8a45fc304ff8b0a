import RestfulData
import RestfulDataTesting
import Testing

extension Cookbook {
    // recipe: Check an object before it is sent
    @Model("/notes")
    final class Note {
        var identifier: Int?
        var text = ""

        func validate() throws(ValidationError) {
            try check(\.text, !text.isEmpty, "can't be blank")
        }
    }
    // end

    /// Writing, errors and relationships.
    @MainActor @Suite struct WritingRecipes {
        private let server: TestServer
        private let store: Store
        private var context: ObjectContext { store.main }

        private let printed = Printed()

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

        @Test func `A rejected save has the server's messages by property`() async throws {
            try server.require(Issue.self, "title")
            let issue = try await issue()
            // recipe: Show the server's message next to a field
            issue.title = ""
            var problem: String?
            do {
                try await issue.save()
            } catch {
                problem = error.fields["title"]?.first  // "can't be blank"
            }
            // end
            #expect(problem == "can't be blank")
            #expect(issue.title == "" && server.object(Issue.self, 1)?["title"] == "Crash")
        }

        @Test func `An invalid object is refused before a request is sent`() async throws {
            let server = try TestServer(models: [Note.self])
            let store = try Store(.temporary, models: [Note.self], api: API(server))
            let note = Note(in: store.main)
            let error = await failure { try await note.create() }
            #expect((error as? APIError)?.fields == ["text": ["can't be blank"]] && server.requests == [])
            note.text = "Milk"
            try await note.create()
            #expect(server.log == [#"POST /notes {"text":"Milk"}"#])
        }

        @Test func `A call has header fields, parameters and a timeout of its own`() async throws {
            let issue = try await issue()
            // recipe: Set a header field or a timeout for one call
            issue.title = "Crash at start"
            try await issue.save {
                $0.headers[.acceptLanguage] = "de"
                $0.query["notify"] = false
                $0.timeout = .seconds(120)
            }
            // end
            #expect(server.log == [#"PATCH /issues/1?notify=false {"title":"Crash at start"}"#])
            #expect(server.exchanges.last?.request.headerFields[.acceptLanguage] == "de")
        }

        @Test func `A conflict has the local and the server's version`() async throws {
            // recipe: Notice that someone else has changed an object
            var conventions = APIConventions.rails
            conventions.conditionalWrites = .entityTags  // a save carries If-Match with the version that you have
            // end
            let server = try Cookbook.server(conventions)
            let store = try Cookbook.store(server)
            let issue = try await Issue.fetch(key: 1, in: store.main)
            try server.update(Issue.self, 1, setting: ["title": "Crash at start"])
            issue.title = "Crash on launch"
            // recipe: Notice that someone else has changed an object
            do {
                try await issue.save()
            } catch {
                guard case .conflict(let conflict) = error else { throw error }
                let mine = conflict.local[Issue.properties.title]
                let theirs = conflict.server?[Issue.properties.title]
                print("yours: \(mine ?? ""), theirs: \(theirs ?? "")")
            }
            // end
            #expect(printed.lines == ["yours: Crash on launch, theirs: Crash at start"])
            #expect(server.object(Issue.self, 1)?["title"] == "Crash at start")
        }

        // MARK: Relationships

        @Test func `A new object is created in a list of another one`() async throws {
            let issue = try await issue()
            // recipe: Add a new object to a list
            let comment = Comment(in: context)
            comment.text = "Me too"
            try await issue.$comments.add(comment)  // POST /issues/1/comments
            // end
            #expect(server.requests == ["POST /issues/1/comments"])
            #expect(comment.identifier == 1 && issue.comments == [comment])
            #expect(server.object(Comment.self, 1)?["issue_id"] == 1)
        }

        @Test func `A label is added to an issue and removed from it`() async throws {
            let issue = try await issue()
            let bug = try await Label.fetch(key: 20, in: context)
            server.forgetRequests()
            // recipe: Add and remove a label
            try await issue.$labels.add(bug)  // POST /issues/1/labels
            print(issue.labels.map(\.name))  // ["bug"]
            try await issue.$labels.delete(bug)  // DELETE /issues/1/labels/20
            // end
            #expect(server.requests == ["POST /issues/1/labels", "DELETE /issues/1/labels/20"])
            #expect(printed.lines == [#"["bug"]"#])
            #expect(try server.members(Issue.self, 1, of: "labels") == [] && issue.labels == [])
            #expect(server.objects(Label.self).count == 2)
        }

        @Test func `A link has its identity before its object is fetched`() async throws {
            let issue = try await issue()
            #expect(issue.author == nil)
            // recipe: Follow a link to an object that isn't fetched yet
            let identity = issue.$author.identity  // 1, from "author_id"
            let author = try await issue.$author.fetch()  // GET /users/1
            print(author === issue.author)  // true
            // end
            #expect(identity == 1 && printed.lines == ["true"])
            #expect(author?.name == "Ada" && author === issue.author && server.requests == ["GET /users/1"])
        }
    }
}
