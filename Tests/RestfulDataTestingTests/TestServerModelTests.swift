import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Declarations of models other than names: nested and embedded objects, inheritance, singular objects, identities of
/// every kind.
@MainActor @Suite struct TestServerModelTests {
    enum Shop {
        @Model("/orders")
        final class Order {
            var identifier: Int?
            var note = ""
            @Attribute("meta.source") var source: String?
            @Relationship(inverse: nil) var address: Address?
            @Relationship(inverse: nil, sentAs: .nested) var customer: Customer?
            @Relationship(inverse: nil) var products: [Product]
        }

        @Model(embedded: true)
        final class Address {
            var street = ""
            var zip: String?
        }

        @Model("/customers")
        final class Customer {
            var identifier: UUID?
            var name = ""
        }

        @Model("/products", identity: "code")
        final class Product {
            var code: String?
            var price = 0.0
        }

        static let models: [any Model.Type] = [Order.self, Address.self, Customer.self, Product.self]
    }

    @Test func `Nested, embedded and listed objects are created and sent back`() async throws {
        let server = try TestServer(models: Shop.models) {
            try $0.seed(Shop.Product.self, json: #"[{"code": "a", "price": 1.5}, {"code": "b", "price": 2}]"#)
        }
        let store = try Store(.temporary, models: Shop.models, api: API(server))
        let order = Shop.Order(in: store.main)
        (order.note, order.source) = ("n", "web")
        let address = Shop.Address(in: store.main)
        address.street = "Main St 1"
        order.address = address
        let customer = Shop.Customer(in: store.main)
        customer.name = "Ada"
        order.customer = customer
        order.products = try await Shop.Product.fetchAll(in: store.main)
        try await order.create()
        #expect(
            server.objects(Shop.Order.self) == [
                [
                    "id": 1, "note": "n", "meta": ["source": "web"], "address": ["street": "Main St 1"],
                    "customer_id": "00000000-0000-4000-8000-000000000001", "product_ids": ["a", "b"],
                ]
            ])
        #expect(customer.identifier?.uuidString == "00000000-0000-4000-8000-000000000001")
        order.products = [order.products[1]]
        order.address?.zip = "12345"
        try await order.save()
        let other = try Store(.temporary, models: Shop.models, api: API(server))
        _ = try await Shop.Product.fetchAll(in: other.main)
        let same = try await Shop.Order.fetch(key: 1, in: other.main)
        #expect(same.products.map(\.code) == ["b"] && same.address?.zip == "12345" && same.source == "web")
        #expect(same.customer?.name == "Ada")
    }

    @Test func `A link to an object that doesn't exist is rejected`() async throws {
        let server = try TestServer(models: Shop.models)
        let body = RequestBody.text(#"{"product_ids": ["x"]}"#, type: "application/json")
        let error = await failure { _ = try await API(server).send(.post, "/orders", body: body) }
        #expect(error?.reply?.fields == ["products": ["must exist"]])
        #expect(server.objects(Shop.Order.self) == [])
    }

    @Test func `New objects have the server's defaults unless the client sends values`() async throws {
        let server = try TestServer(models: Notebook.models) {
            try $0.defaults(Notebook.Note.self, ["stars": 1, "text": "empty"])
        }
        let store = try Store(.temporary, models: Notebook.models, api: API(server))
        let note = Notebook.Note(in: store.main)
        (note.title, note.stars) = ("A", 4)
        try await note.create()
        #expect(note.text == "empty" && note.stars == 4)
    }

    // MARK: Families

    enum Zoo {
        @Model("/animals", discriminator: "type")
        class Animal {
            var identifier: Int?
            var type = ""
            var name = ""
        }

        @Model(inherits: Animal.self, as: "cat")
        final class Cat: Animal {
            var lives = 9
        }

        @Model("/dogs", inherits: Animal.self, as: "dog")
        final class Dog: Animal {
            var tricks: [String] = []
        }

        static let models: [any Model.Type] = [Animal.self, Cat.self, Dog.self]
    }

    @Test func `Models of one class hierarchy are distinguished by their discriminator`() async throws {
        let server = try TestServer(models: Zoo.models) {
            try $0.seed(Zoo.Animal.self, json: #"[{"id": 1, "type": "cat", "lives": 7}, {"id": 2, "type": "dog"}]"#)
        }
        let store = try Store(.temporary, models: Zoo.models, api: API(server))
        let animals = try await Zoo.Animal.fetchAll(in: store.main)
        #expect((animals[0] as? Zoo.Cat)?.lives == 7 && animals[1] is Zoo.Dog)
        let dog = Zoo.Dog(in: store.main)
        (dog.name, dog.tricks) = ("Rex", ["sit"])
        try await dog.create()
        #expect(server.objects(Zoo.Dog.self).last == ["id": 3, "name": "Rex", "tricks": ["sit"], "type": "dog"])
        #expect(try await Zoo.Dog.fetchAll(in: store.main).map(\.identifier) == [2, 3])
        #expect(server.objects(Zoo.Cat.self).count == 1 && server.objects(Zoo.Animal.self).count == 3)
    }

    // MARK: Singular objects, own URLs

    @Model("/account/preferences", singular: true)
    final class Preferences {
        var theme = "light"
    }

    @Model("/people", create: "/signup", update: "/people/:id/edit", creates: .post)
    final class Person {
        var identifier: Int?
        var name = ""
    }

    @Model("/keys", identity: "name", creates: .put)
    final class Key {
        var name: String?
        var value = ""
    }

    @Test func `A singular object is fetched and saved at its URL`() async throws {
        let server = try TestServer(models: [Preferences.self]) {
            try $0.seed(Preferences.self, json: #"{"theme": "dark"}"#)
        }
        let store = try Store(.temporary, models: [Preferences.self], api: API(server))
        let preferences = try await Preferences.fetch(in: store.main)
        #expect(preferences.theme == "dark")
        preferences.theme = "blue"
        try await preferences.save()
        #expect(server.objects(Preferences.self).compactMap { $0["theme"] } == ["blue"])
    }

    @Test func `Write operations have their own URLs, and a PUT creates a missing object`() async throws {
        let models: [any Model.Type] = [Person.self, Key.self]
        let server = try TestServer(models: models)
        let store = try Store(.temporary, models: models, api: API(server))
        let person = Person(in: store.main)
        person.name = "Ada"
        try await person.create()
        person.name = "Ada L."
        try await person.save()
        let key = Key(in: store.main)
        (key.name, key.value) = ("k", "1")
        try await key.create()
        key.value = "2"
        try await key.save()
        #expect(
            server.log == [
                #"POST /signup {"name":"Ada"}"#, #"PATCH /people/1/edit {"name":"Ada L."}"#,
                #"PUT /keys/k {"name":"k","value":"1"}"#, #"PATCH /keys/k {"value":"2"}"#,
            ])
        #expect(server.exchanges.map(\.reply.status) == [201, 200, 201, 200])
        #expect(server.objects(Key.self) == [["name": "k", "value": "2"]])
    }

    @Test func `A PUT with the version of a missing object makes none`() async throws {
        let server = try TestServer(models: [Key.self])
        let request = try APIRequest(
            .put, "https://api.example.com/keys/k", headerFields: [.ifMatch: "\"1\""],
            body: .text(#"{"name": "k", "value": "1"}"#, type: "application/json"))
        #expect(try await server.send(request).status == .preconditionFailed)
        #expect(server.objects(Key.self) == [])
    }

    @Test func `The identity of a deleted object isn't given to a new one`() async throws {
        let server = try Notebook.server()
        try server.remove(Notebook.Note.self, 3)
        let store = try Store(.temporary, models: Notebook.models, api: API(server))
        let note = Notebook.Note(in: store.main)
        note.title = "New"
        try await note.create()
        #expect(note.identifier == 4)
    }

    @Model("/records")
    final class Record {
        var identifier: Int?
        @Relationship(inverse: "record") var tracks: [Track]
    }

    @Model("/records/:record.id/tracks", key: "number", identity: "record", "number")
    final class Track {
        var record: Record?
        var number: Int?
        var title = ""
    }

    @Test func `An identity that includes another object follows it`() throws {
        let server = try TestServer(models: [Record.self, Track.self]) {
            try $0.seed(Record.self, json: #"{"id": 1}"#)
            try $0.seed(Track.self, json: #"{"record_id": 1, "number": 7, "title": "A"}"#)
        }
        try server.update(Record.self, 1, setting: ["id": 2])
        try server.seed(Track.self, json: #"{"record_id": 2, "number": 7, "title": "B"}"#)
        #expect(server.objects(Track.self).map { $0["title"] } == ["B"])
    }

    // MARK: Deletions

    @Model("/parents")
    final class Parent {
        var identifier: Int?
        @Relationship(inverse: "parent", onDelete: .cascade) var children: [Child]
        @Relationship(inverse: nil, onDelete: .deny) var guardian: Person?
    }

    @Model("/children")
    final class Child {
        var identifier: Int?
        @Relationship(inverse: "children", onDelete: .cascade) var parent: Parent?
    }

    @Test func `Objects with cyclic delete rules are deleted once`() async throws {
        let server = try TestServer(models: [Parent.self, Child.self, Person.self]) {
            try $0.seed(Parent.self, json: #"[{"id": 1}, {"id": 2, "guardian_id": 7}]"#)
            try $0.seed(Child.self, json: #"[{"id": 1, "parent_id": 1}, {"id": 2, "parent_id": 1}]"#)
            try $0.seed(Person.self, json: #"{"id": 7}"#)
        }
        _ = try await API(server).send(.delete, "/children/1")
        #expect(server.objects(Child.self) == [] && server.objects(Parent.self).count == 1)
        let error = await failure { _ = try await API(server).send(.delete, "/parents/2") }
        #expect(error?.reply?.status == 409 && error?.reply?.message == "The Parent has guardian")
        #expect(throws: TestServerError.self) { try server.remove(Parent.self, 2) }
    }

    @Test func `A deleted object is gone where the conventions say so`() async throws {
        func statuses(_ tombstones: APIConventions.Tombstones) async throws -> [Int] {
            var conventions = APIConventions.default
            conventions.tombstones = tombstones
            let server = try Notebook.server(conventions)
            func send(_ method: HTTPRequest.Method, _ id: Int) async throws -> Int {
                try await server.send(try APIRequest(method, server.baseURL + "/notes/\(id)")).status.code
            }
            var found: [Int] = []
            found.append(try await send(.delete, 1))
            found.append(try await send(.get, 1))
            found.append(try await send(.get, 9))
            try server.seed(Notebook.Note.self, json: #"{"id": 1}"#)
            found.append(try await send(.get, 1))
            return found
        }
        #expect(try await statuses(["deleted"]) == [204, 410, 404, 200])
        #expect(try await statuses(.none) == [204, 404, 404, 200])
    }

    // MARK: JSON:API

    enum Library {
        @Model("/books")
        final class Book {
            var identifier: Int?
            var title = ""
            @Relationship(inverse: "books") var author: Writer?
            @Relationship(inverse: nil) var subjects: [Subject]
        }

        @Model("/writers")
        final class Writer {
            var identifier: Int?
            var name = ""
            @Relationship("/writers/:id/books", inverse: "author") var books: [Book]
        }

        @Model("/subjects")
        final class Subject {
            var identifier: Int?
            var name = ""
        }

        static let models: [any Model.Type] = [Book.self, Writer.self, Subject.self]
    }

    @Test func `JSON:API documents have linkage and included objects`() async throws {
        let server = try TestServer(models: Library.models, conventions: .jsonAPI) {
            try $0.seed(Library.Writer.self, json: #"{"id": 1, "name": "Ada"}"#)
            try $0.seed(Library.Subject.self, json: #"[{"id": 5, "name": "Engines"}, {"id": 6, "name": "Music"}]"#)
            try $0.seed(Library.Book.self, json: #"{"id": 9, "title": "Notes", "author": 1, "subjects": [5]}"#)
        }
        let store = try Store(.temporary, models: Library.models, api: API(server))
        let book = try await Library.Book.fetchAll(query: ["include": "author,subjects"], in: store.main)[0]
        #expect(book.author?.name == "Ada" && book.subjects.map(\.name) == ["Engines"])
        let music = try await Library.Subject.fetch(key: 6, in: store.main)
        try await book.$subjects.add(music)
        #expect(try server.members(Library.Book.self, 9, of: "subjects") == [5, 6])
        try await book.$subjects.delete(book.subjects[0])
        #expect(try server.members(Library.Book.self, 9, of: "subjects") == [6])
        book.author = nil
        try await book.save()
        #expect(server.object(Library.Book.self, 9) == ["id": 9, "title": "Notes", "author": .null, "subjects": [6]])
        #expect(server.unmatched == [])
    }

    enum Reviews {
        @Model("/reviews")
        final class Review {
            var identifier: Int?
            @Attribute("price_text", sentKey: "price") var price = ""
            @Attribute("note_text", sentKey: "note") var note: String?
            @Relationship(json: "author_detail", sentKey: "author", inverse: nil) var author: Author?
        }

        @Model("/authors")
        final class Author {
            var identifier: Int?
        }

        static let models: [any Model.Type] = [Review.self, Author.self]
    }

    @Test(arguments: [API.SaveMethod.patch, .put, .putChanges, .mergePatch, .jsonPatch, .updateMask])
    func `Values under sent keys come back under the keys that are read`(_ method: API.SaveMethod) async throws {
        var conventions = APIConventions.default
        conventions.saveMethod = method
        let server = try TestServer(models: Reviews.models, conventions: conventions) {
            try $0.seed(Reviews.Author.self, json: #"[{"id": 2}, {"id": 3}]"#)
            try $0.seed(
                Reviews.Review.self, json: #"{"id": 1, "price_text": "5", "note_text": "n", "author_detail": 2}"#)
        }
        let store = try Store(.temporary, models: Reviews.models, api: API(server))
        let authors = try await Reviews.Author.fetchAll(in: store.main)
        let review = try await Reviews.Review.fetch(key: 1, in: store.main)
        #expect(review.author === authors[0])
        (review.price, review.note, review.author) = ("6", nil, authors[1])
        try await review.save()
        #expect(
            server.object(Reviews.Review.self, 1) == ["id": 1, "price_text": "6", "note_text": .null, "author": 3])
        #expect(review.price == "6" && review.note == nil && review.author === authors[1] && !review.hasChanges)
        let new = Reviews.Review(in: store.main)
        (new.price, new.author) = ("7", authors[0])
        try await new.create()
        #expect(server.object(Reviews.Review.self, 2)?["price_text"] == "7")
        #expect(server.unmatched == [])
    }

    enum Tagged {
        @Model("/posts")
        final class Post {
            var identifier: Int?
            @Relationship("/posts/:id/tags", json: "tag_objects", sentKey: "tags", inverse: nil, sentAs: .key("name"))
            var tags: [Tag]
        }

        @Model("/tags")
        final class Tag {
            var identifier: Int?
            var name = ""
        }

        static let models: [any Model.Type] = [Post.self, Tag.self]
    }

    @Test func `A member is added under the sent key of its list`() async throws {
        let server = try TestServer(models: Tagged.models) {
            try $0.seed(Tagged.Tag.self, json: #"{"id": 2, "name": "new"}"#)
            try $0.seed(Tagged.Post.self, json: #"{"id": 1}"#)
        }
        let store = try Store(.temporary, models: Tagged.models, api: API(server))
        let tag = try await Tagged.Tag.fetch(key: 2, in: store.main)
        let post = try await Tagged.Post.fetch(key: 1, in: store.main)
        try await post.$tags.add(tag)
        #expect(try server.members(Tagged.Post.self, 1, of: "tags") == [2])
        #expect(post.tags.map(\.name) == ["new"] && server.unmatched == [])
    }

    enum Board {
        @Model("/boards")
        final class Plank {
            var identifier: Int?
            var isRead = false
            @Relationship("/boards/:id/labels", inverse: nil) var labels: [Label]
        }

        @Model("/labels")
        final class Label {
            var identifier: Int?
        }

        static let models: [any Model.Type] = [Plank.self, Label.self]
    }

    @Test func `Whole lists and collections are replaced, emptied and changed`() async throws {
        let server = try TestServer(models: Board.models) {
            try $0.seed(Board.Label.self, json: #"[{"id": 5}, {"id": 6}]"#)
            try $0.seed(
                Board.Plank.self,
                json: #"[{"id": 1, "is_read": false, "labels": [5]}, {"id": 2, "is_read": false}]"#)
        }
        let store = try Store(.temporary, models: Board.models, api: API(server))
        let labels = try await Board.Label.fetchAll(in: store.main)
        let planks = try await Board.Plank.fetchAll(in: store.main)
        try await planks[0].$labels.replaceAll(with: [labels[1]])
        #expect(try server.members(Board.Plank.self, 1, of: "labels") == [6])
        try await planks[0].$labels.deleteAll()
        #expect(try server.members(Board.Plank.self, 1, of: "labels") == [])
        try await Board.Plank.updateAll(\.isRead, to: true, in: store.main)
        #expect(server.object(Board.Plank.self, 1)?["is_read"] == true)
        #expect(server.object(Board.Plank.self, 2)?["is_read"] == true)
        _ = try await Board.Plank.deleteAll(in: store.main) { $0.query["id"] = 1 }
        #expect(server.objects(Board.Plank.self).count == 1)
        #expect(try await Board.Plank.deleteAll(in: store.main) == 2)
        #expect(server.objects(Board.Plank.self).isEmpty && server.unmatched == [])
    }

    @Test(arguments: [("author", #"{"author": null}"#), ("subjects", #"{"data": null}"#), ("subjects", "{}")])
    func `A document without linkage doesn't empty a relationship`(_ name: String, _ document: String) async throws {
        let server = try TestServer(models: Library.models, conventions: .jsonAPI) {
            try $0.seed(Library.Writer.self, json: #"{"id": 1, "name": "Ada"}"#)
            try $0.seed(Library.Subject.self, json: #"{"id": 5, "name": "Engines"}"#)
            try $0.seed(Library.Book.self, json: #"{"id": 9, "title": "Notes", "author": 1, "subjects": [5]}"#)
        }
        let before = server.objects(Library.Book.self)
        let request = try APIRequest(
            .patch, server.baseURL + "/books/9/relationships/\(name)",
            body: .text(document, type: "application/vnd.api+json"))
        #expect(try await server.send(request).status.code == 400 && server.objects(Library.Book.self) == before)
    }

    @Test func `Documents of JSON API are sorted, and unknown paths refused`() async throws {
        let server = try TestServer(models: Library.models, conventions: .jsonAPI) {
            try $0.seed(Library.Writer.self, json: #"[{"id": 1, "name": "Bob"}, {"id": 2, "name": "Ada"}]"#)
            try $0.seed(
                Library.Book.self,
                json: """
                    [{"id": 2, "title": "C", "author": 1}, {"id": 10, "title": "B", "author": 2},
                     {"id": 9, "title": "A", "author": 2}, {"id": 1, "title": "D"}]
                    """)
        }
        let store = try Store(.temporary, models: Library.models, api: API(server))
        func order(_ sort: String) async throws -> [Int?] {
            try await Library.Book.fetchAll(query: ["sort": sort], in: store.main).map(\.identifier)
        }
        #expect(try await order("title") == [9, 10, 2, 1])
        #expect(try await order("-id") == [10, 9, 2, 1])
        #expect(try await order("author.name,-title") == [10, 9, 2, 1])
        for query: RouteQuery in [["sort": "titel"], ["include": "autor"], ["include": "author.titel"]] {
            let error = await failure { _ = try await Library.Book.fetchAll(query: query, in: store.main) }
            #expect(error?.reply?.status == 400)
        }
    }
}
