import Foundation
import Logging
import RestfulData
import RestfulDataTesting
import Testing

/// Declarations that work but are probably mistakes are logged when the store opens, and explained.
@MainActor @Suite struct ModelWarningTests {
    enum Merged {
        @Model("/repos/:repository.full_name/issues", identity: "number") final class Issue {
            var number: Int?
            var repository: Stock?
        }
        @Model("/groups/:group_id/members", identity: "person") final class Membership {
            var person: Stock?
            var groupID: Int?
        }
        @Model("/projects/:project_id/issues", identity: "iid") final class Ticket {
            var iid: Int?
            var projectID: Int?
        }
        @Model("/buckets/:bucket/objects", key: "name", identity: "kind", "name") final class Item {
            var bucket = ""
            var kind: String?
            var name: String?
        }
        @Model("/repos/:repository.owner/:repository.full_name/labels") final class Mark {
            @Attribute("name") var identifier: String?
            var repository: Stock?
        }
    }

    @Model("/repos", key: "fullName") final class Stock {
        var identifier: Int?
        var fullName = ""
        var owner = ""
    }

    @Test(
        arguments: [
            (
                Merged.Issue.self,
                """
                Issue's identity is "number", and its URL, /repos/:repository.full_name/issues/:number, has "repository" as \
                well: where two parents have an object of the same "number", both become one here. Write identity: \
                "repository", "number" in @Model, or name an attribute there that is unique in the whole service.
                """
            ),
            (Merged.Membership.self, #"Write identity: "groupID", "person" in @Model"#),
            (Merged.Ticket.self, #"Write identity: "projectID", "iid" in @Model"#),
            (Merged.Item.self, #"Write identity: "bucket", "kind", "name" in @Model"#),
            (Merged.Mark.self, #"Write identity: "repository", "identifier" in @Model"#),
        ] as [(any Model.Type, String)])
    func `An identity that is unique only within its parent gives a warning`(
        _ model: any Model.Type, _ words: String
    ) throws {
        let (store, log) = try opened([model, Stock.self])
        let warnings = try #require(store.explanation(of: model)?.warnings)
        #expect(warnings.count == 1 && warnings[0].contains(words), "\(warnings)")
        #expect(log.value == warnings.map { "warning \($0)" })
        #expect(store.explain(model).contains("  Warnings\n    \(warnings[0])\n"))
    }

    enum Whole {
        @Model("/repos/:repository.full_name/issues", key: "number") final class Issue {
            var identifier: Int?
            var number: Int?
            var repository: Stock?
        }
        @Model("/repos/:repository.full_name/pulls", identity: "repository", "number") final class Pull {
            var number: Int?
            var repository: Stock?
        }
        @Model("/posts/:post_id/comments") final class Comment {
            var id: Int?
            var postID: Int?
        }
        @Model("/repos/:repository.full_name/notes", identity: "nodeID") final class Note {
            @Attribute("node_id") var nodeID: String?
            var repository: Stock?
        }
        @Model("/repos/:repository.full_name/files", identity: "place") final class File {
            var place: URL?
            var repository: Stock?
        }
        @Model("/repos/:repository.full_name/runs", identity: "token") final class Run {
            var token: UUID?
            var repository: Stock?
        }
        @Model("/repos/:repository.full_name/tags", object: "/tags/:name", identity: "name") final class Tag {
            var name: String?
            var repository: Stock?
        }
        @Model("/repos/:repository.full_name/hooks", key: "number", identity: "address") final class Hook {
            var address: String?
            var number: Int?
            var repository: Stock?
        }
        @Model("/words?language=:language", identity: "word") final class Word {
            var word: String?
            var language = ""
        }
        @Model("/orgs/:organisation/repos/:repository.full_name/teams", identity: "repository", "slug") final class Team
        {
            var slug: String?
            var organisation = ""
            var repository: Stock?
        }
    }

    @Test(
        arguments: [
            Whole.Issue.self, Whole.Pull.self, Whole.Comment.self, Whole.Note.self, Whole.File.self, Whole.Run.self,
            Whole.Tag.self, Whole.Hook.self, Whole.Word.self, Whole.Team.self,
        ] as [any Model.Type])
    func `An identity that is unique in the service or includes its parent gives no warning`(_ model: any Model.Type)
        throws
    {
        let (store, log) = try opened([model, Stock.self])
        #expect(store.explanation(of: model)?.warnings == [] && log.value == [])
        #expect(!store.explain(model).contains("Warnings"))
    }

    enum Trees {
        @Model final class Folder {
            var identifier: Int?
            var parent: Folder?
            var children: [Folder]
        }
        @Model final class Node {
            var identifier: Int?
            var parent: Node?
            @Relationship(inverse: "parent") var children: [Node]
        }
        @Model final class Person {
            var identifier: Int?
            var manager: Person?
            @Relationship(inverse: nil) var friends: [Person]
        }
    }

    @Test func `A parent and children without an inverse give a warning, with or without an API`() throws {
        let models: [any Model.Type] = [Trees.Folder.self, Trees.Node.self, Trees.Person.self]
        let store = try Store(.temporary, models: models)
        #expect(
            store.explanation(of: Trees.Folder.self)?.warnings == [
                """
                Folder.parent and Folder.children are kept apart, as neither names the other as its inverse. If they are the \
                two directions of one relationship, write @Relationship(inverse: "parent") var children; if not, inverse: nil.
                """
            ])
        #expect(store.explanations.map(\.warnings.count) == [1, 0, 0])
        #expect(try opened(models).log.value.count == 1)
    }

    private func opened(_ models: [any Model.Type]) throws -> (store: Store, log: Box<[String]>) {
        let log = Box<[String]>([])
        let logger = Logger(label: "test") { _ in Lines(log) }
        let api = API(
            "https://api.example.com", reports: .logged(to: logger), transport: StubTransport { _ in .status(204) })
        return (try Store(.temporary, models: models, api: api), log)
    }

    private struct Lines: LogHandler {
        let lines: Box<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(_ lines: Box<[String]>) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.value.append("\(event.level) \(event.message)") }
    }
}
