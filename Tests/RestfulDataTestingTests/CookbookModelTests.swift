import Foundation
import RestfulData
import RestfulDataTesting
import Testing

extension Cookbook {
    // recipe: Read a value whose key has another name
    @Model("/articles")
    final class Article {
        var identifier: Int?
        @Attribute("description") var summary: String?
        @Attribute("meta.views", access: .readOnly) var views = 0
    }
    // end

    // recipe: Send a field under another key than it is read
    @Model("/reviews")
    final class Review {
        var identifier: Int?
        @Attribute("price_text", sentKey: "price") var price = ""
        @Relationship(json: "author_detail", sentKey: "author") var author: User?
    }
    // end

    @Model("/orders")
    final class Order {
        var identifier: Int?
        var orderNumber = ""
    }

    // recipe: Fetch a resource that exists once
    @Model("/account/preferences", singular: true)
    final class Preferences {
        var theme = "light"
    }
    // end

    @Model("/people")
    final class Contact {
        var identifier: Int?
        var login = ""
    }

    // recipe: Rename a model or property without losing data on the device
    @Model("/people", renamedFrom: "Contact")
    final class Person {
        var identifier: Int?
        @Attribute(renamedFrom: "login") var name = ""
    }
    // end

    /// Models and keys.
    @MainActor @Suite struct ModelRecipes {
        private let printed = Printed()

        private func print(_ values: Any...) { printed.add(values) }

        @Test func `A property is read at the key or key path that it declares`() async throws {
            let server = try TestServer(models: [Article.self]) {
                try $0.seed(Article.self, json: #"{"id": 1, "description": "Short", "meta": {"views": 5}}"#)
            }
            let store = try Store(.temporary, models: [Article.self], api: API(server))
            let article = try await Article.fetch(key: 1, in: store.main)
            #expect(article.summary == "Short" && article.views == 5)
            article.summary = "Long"
            try await article.save()
            #expect(server.log.last == #"PATCH /articles/1 {"description":"Long"}"#)
        }

        @Test func `A property with a sent key is sent under that key`() async throws {
            let server = try TestServer(models: [Review.self, User.self]) {
                try $0.seed(User.self, json: #"[{"id": 1, "name": "Ada"}, {"id": 2, "name": "Grace"}]"#)
                try $0.seed(Review.self, json: #"{"id": 1, "price_text": "5", "author_detail": 1}"#)
            }
            let store = try Store(.temporary, models: [Review.self, User.self], api: API(server))
            let review = try await Review.fetch(key: 1, in: store.main)
            #expect(review.price == "5")
            review.price = "6"
            try await review.save()
            review.author = try await User.fetch(key: 2, in: store.main)
            try await review.save()
            #expect(
                server.log.filter { $0.hasPrefix("PATCH") } == [
                    #"PATCH /reviews/1 {"price":"6"}"#, #"PATCH /reviews/1 {"author":2}"#,
                ])
            #expect(server.object(Review.self, 1)?["price_text"] == "6")
        }

        @Test func `A registered pair of words translates the keys of all models`() async throws {
            // recipe: Translate a word of the server in all models
            let conventions = APIConventions.rails
                .registering(json: "nr", swift: "number")
                .registering(json: "repo", swift: "repository")
            let key = conventions.names.json(for: "orderNumber")  // "order_nr"
            // end
            #expect(key == "order_nr")
            let server = try TestServer(models: [Order.self], conventions: conventions) {
                try $0.seed(Order.self, json: #"{"id": 1, "order_nr": "A1"}"#)
            }
            let store = try Store(.temporary, models: [Order.self], api: API(server))
            #expect(try await Order.fetch(key: 1, in: store.main).orderNumber == "A1")
        }

        @Test func `The explanation of a model shows its URLs, columns and keys`() throws {
            let store = try Cookbook.store(try Cookbook.server())
            let context = store.main
            // recipe: See the URLs, columns and keys of a model
            print(store.explain(Issue.self))  // every column, JSON key and route, and the rule behind it
            print(try context.explain(Issue.self))  // also how much of its lists the store has
            print(store.modelGraph)  // all models as a diagram in the language of Mermaid
            // end
            #expect(printed.lines.count == 3 && printed.lines[0].contains("GET /issues/:id"))
            #expect(printed.lines.allSatisfy { $0.contains("Issue") })
        }

        @Test func `A singular resource is fetched and saved at its own URL`() async throws {
            let server = try TestServer(models: [Preferences.self]) {
                try $0.seed(Preferences.self, json: #"{"theme": "light"}"#)
            }
            let store = try Store(.temporary, models: [Preferences.self], api: API(server))
            let context = store.main
            // recipe: Fetch a resource that exists once
            let preferences = try await Preferences.fetch(in: context)  // GET /account/preferences
            preferences.theme = "dark"
            try await preferences.save()  // PATCH /account/preferences
            // end
            #expect(
                server.log == ["GET /account/preferences", #"PATCH /account/preferences {"theme":"dark"}"#])
        }

        @Test func `A renamed model and property keep their rows and unsent edits`() async throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "cookbook-\(UUID()).sqlite")
            defer {
                for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
            }
            let old = try Store(.file(file), models: [Contact.self])
            let contact = try await old.main.upsert(Contact.self, ["id": 1, "login": "ada"])
            contact.login = "ada_l"
            try await old.main.save()
            old.close()
            let store = try Store(.file(file), models: [Person.self])
            let person = try #require(try store.main.find(Person.self, 1))
            #expect(person.name == "ada_l" && person.unsentProperties == ["name"])
            store.close()
        }
    }
}
