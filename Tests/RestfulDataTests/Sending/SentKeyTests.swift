import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@Model("/reviews")
final class KeyedReview {
    var identifier: Int?
    @Attribute("price_text", sentKey: "price") var price = ""
    @Attribute("body.html", sentKey: "body.markdown") var text: String?
    @Relationship(json: "author_detail", sentKey: "author", inverse: nil) var author: KeyedAuthor?
    @Relationship(json: "tag_objects", sentKey: "tags", inverse: nil) var tags: [KeyedTag]
    @Relationship(json: "notes", sentKey: "notes_attributes", inverse: nil, sentAs: .nested) var notes: [KeyedNote]
    @Relationship(json: "place", sentKey: "place_name", inverse: nil, sentAs: .key("name")) var place: KeyedTag?
}

@Model("/authors")
final class KeyedAuthor {
    var identifier: Int?
    var name = ""
}

@Model("/tags")
final class KeyedTag {
    var identifier: Int?
    var name = ""
}

@Model("/notes")
final class KeyedNote {
    var identifier: Int?
    var text = ""
}

@Model("/reviews")
final class KeyedResource {
    var identifier: Int?
    @Attribute("price-text", sentKey: "price") var price = ""
    @Relationship(json: "author-detail", sentKey: "author", inverse: nil) var author: KeyedAuthor?
}

@Model("/venues")
final class KeyedVenue {
    var identifier: Int?
    @Attribute("license.key", sentKey: "license_key") var licenseKey: String?
    var license: KeyedLicense?
    @Relationship(json: .root) var spot: KeyedSpot?
}

@Model(embedded: true)
final class KeyedLicense {
    var name = ""
}

@Model(embedded: true)
final class KeyedSpot {
    var city: String?
    @Attribute("zip_text", sentKey: "zip") var zip: String?
}

/// Properties that are read from one key and sent under another.
@MainActor @Suite struct SentKeyTests {
    private static let models: [any Model.Type] = [
        KeyedReview.self, KeyedAuthor.self, KeyedTag.self, KeyedNote.self,
    ]
    private static let review = """
        {"id": 1, "price_text": "5 €", "body": {"html": "<p>a</p>"}, "author_detail": {"id": 2, "name": "Ada"},
         "tag_objects": [{"id": 3, "name": "new"}], "notes": [], "place": {"id": 4, "name": "here"}}
        """

    private func service(_ status: Int = 204) throws -> Service {
        try Service(Self.models, stub: StubTransport { _ in .status(status) })
    }

    private func review(_ service: Service) async throws -> KeyedReview {
        try await service.imported(KeyedReview.self, Self.review)
    }

    @Test func `A value is read from one key and sent under another`() async throws {
        let service = try service()
        let review = try await review(service)
        #expect(review.price == "5 €" && review.text == "<p>a</p>")
        review.price = "6"
        review.text = "b"
        try await review.save()
        #expect(service.stub.log == [#"PATCH /reviews/1 {"price":"6","body":{"markdown":"b"}}"#])
        #expect(review.unsentProperties.isEmpty)
    }

    @Test func `A relationship is read as an object and sent by identity`() async throws {
        let service = try service()
        let review = try await review(service)
        #expect(review.author?.name == "Ada" && review.tags.map(\.name) == ["new"])
        review.author = try await service.imported(KeyedAuthor.self, #"{"id": 7}"#)
        review.tags.append(try await service.imported(KeyedTag.self, #"{"id": 8}"#))
        try await review.save()
        #expect(service.stub.log == [#"PATCH /reviews/1 {"author":7,"tags":[3,8]}"#])
        review.author = nil
        try await review.save()
        #expect(service.stub.log.last == #"PATCH /reviews/1 {"author":null}"#)
    }

    @Test func `Nested objects and other values are sent under the declared key`() async throws {
        let service = try service()
        let review = try await review(service)
        let note = KeyedNote(in: service.main)
        note.text = "n"
        review.notes.append(note)
        review.place = try await service.imported(KeyedTag.self, #"{"id": 9, "name": "there"}"#)
        try await review.save()
        #expect(
            service.stub.log == [#"PATCH /reviews/1 {"notes_attributes":[{"text":"n"}],"place_name":"there"}"#])
    }

    @Test func `A creation sends the declared keys`() async throws {
        let service = try Service(
            Self.models, stub: StubTransport(["POST /reviews": .json(Self.review, status: 201)]))
        let review = KeyedReview(in: service.main)
        review.price = "5"
        review.author = try await service.imported(KeyedAuthor.self, #"{"id": 2}"#)
        try await review.create()
        let body = try #require(service.stub.log.first)
        #expect(body.contains(#""price":"5""#) && body.contains(#""author":2"#) && !body.contains("price_text"))
        #expect(review.price == "5 €" && review.author?.name == "Ada")
    }

    @Test func `Identities under the sent key are read if the other key is absent`() async throws {
        let service = try service()
        let review = try await review(service)
        _ = try await service.imported(KeyedReview.self, #"{"id": 1, "author": 7, "tags": [3, 8], "price": "9"}"#)
        let author = try await service.imported(KeyedAuthor.self, #"{"id": 7}"#)
        _ = try await service.imported(KeyedTag.self, #"{"id": 8}"#)
        #expect(review.author === author && review.tags.map(\.identifier) == [3, 8])
        #expect(review.price == "5 €")
        _ = try await service.imported(
            KeyedReview.self, #"{"id": 1, "author": 2, "author_detail": {"id": 2, "name": "Ada L."}}"#)
        #expect(review.author?.identifier == 2 && review.author?.name == "Ada L.")
    }

    @Test func `A validation error that names the sent key belongs to the property`() async throws {
        let service = try Service(
            Self.models,
            stub: StubTransport { _ in
                .json(#"{"errors": {"author": ["is unknown"], "price": ["is low"]}}"#, status: 422)
            })
        let review = try await review(service)
        review.price = "1"
        let error = await #expect(throws: APIError.self) { try await review.save() }
        #expect(error?.fields == ["author": ["is unknown"], "price": ["is low"]])
    }

    @Test func `An edit survives a restart and is sent under its key`() async throws {
        let stub = StubTransport { _ in .status(204) }
        let api = API("https://api.example.com", transport: stub)
        let file = try TemporaryFile()
        do {
            let store = try Store(.file(file.path), models: Self.models, api: api)
            let review = try await store.imported(KeyedReview.self, Self.review)
            review.price = "7"
            try await store.main.save()
            store.close()
        }
        let store = try Store(.file(file.path), models: Self.models, api: api)
        let review = try #require(try store.main.query(KeyedReview.self).first())
        try await review.save()
        #expect(stub.log == [#"PATCH /reviews/1 {"price":"7"}"#])
    }

    @Test func `A PUT of the whole has each value under its sent key`() async throws {
        let stub = StubTransport { _ in .status(204) }
        let store = try Store(
            .temporary, models: Self.models,
            api: API("https://api.example.com", saveMethod: .put, transport: stub))
        let review = try await store.imported(KeyedReview.self, Self.review)
        review.price = "8"
        try await review.save()
        let line = try #require(stub.log.first)
        #expect(line.contains(#""author":2"#) && line.contains(#""tags":[3]"#) && line.contains(#""price":"8""#))
        #expect(!line.contains("author_detail") && !line.contains("tag_objects") && !line.contains("price_text"))
    }

    @Test func `Flat keys of an embedded object go out under the sent keys, also as null`() async throws {
        let service = try Service(
            [KeyedVenue.self, KeyedLicense.self, KeyedSpot.self], stub: StubTransport { _ in .status(204) })
        let venue = try await service.imported(KeyedVenue.self, #"{"id": 1, "city": "Bonn", "zip_text": "D-1"}"#)
        venue.spot?.zip = "2"
        try await venue.save()
        venue.spot = nil
        try await venue.save()
        #expect(
            service.stub.log == [
                #"PATCH /venues/1 {"city":"Bonn","zip":"2"}"#, #"PATCH /venues/1 {"city":null,"zip":null}"#,
            ])
    }

    @Test func `A PUT has a value that is sent outside the edited object in which it is read`() async throws {
        let service = try Service(
            [KeyedVenue.self, KeyedLicense.self, KeyedSpot.self], saveMethod: .put,
            stub: StubTransport { _ in .status(204) })
        let venue = try await service.imported(
            KeyedVenue.self, #"{"id": 1, "license": {"key": "mit", "name": "MIT"}}"#)
        venue.license?.name = "MIT License"
        try await venue.save()
        let line = try #require(service.stub.log.first)
        #expect(line.contains(#""license_key":"mit""#) && line.contains(#""license":{"name":"MIT License"}"#))
    }

    @Test func `JSON:API resources use the sent key for attributes and linkage`() async throws {
        let stub = StubTransport { _ in .status(204) }
        let store = try Store(
            .temporary, models: [KeyedResource.self, KeyedAuthor.self],
            api: API("https://api.example.com", conventions: .jsonAPI, transport: stub))
        let review = try await store.imported(
            KeyedResource.self, #"{"data": {"type": "reviews", "id": "1", "attributes": {"price-text": "5"}}}"#)
        review.price = "6"
        review.author = try await store.imported(
            KeyedAuthor.self, #"{"data": {"type": "authors", "id": "7", "attributes": {}}}"#)
        try await review.save()
        let line = try #require(stub.log.first)
        #expect(line.contains(#""attributes":{"price":"6"}"#))
        #expect(line.contains(#""relationships":{"author":{"data":{"type":"authors","id":"7"}}}"#))
    }

    @Test func `The explanation names the sent key, whatever the server's spelling of the other`() async throws {
        let service = try service()
        _ = try await service.imported(KeyedReview.self, #"{"id": 1, "priceText": "5 €"}"#)
        let explanation = try #require(service.store.explanation(of: KeyedReview.self))
        let price = try #require(explanation.attributes.first { $0.name == "price" })
        #expect(price.notes == [#"sent as "price""#])
    }

    @Test func `The explanation names both keys`() throws {
        let service = try service()
        let text = "\(service.store.explain(KeyedReview.self))"
        #expect(text.contains(#"sent as "price""#) && text.contains(#"sent as "author""#))
        #expect(text.contains("price_text") && text.contains("author_detail"))
    }
}

@Model("/a") private final class KeyTwice {
    var identifier: Int?
    var price = 0
    @Attribute("price_text", sentKey: "price") var text = ""
}

@Model("/b") private final class KeyMalformed {
    var identifier: Int?
    @Attribute(sentKey: "a..b") var text = ""
}

@Model("/c") private final class KeyUnsent {
    var identifier: Int?
    @Attribute(sentKey: "label", access: .readOnly) var text = ""
}

@Model("/d") private final class KeyOfLink {
    var identifier: Int?
    @Relationship(inverse: nil) var author: KeyedAuthor?
    @Attribute("author_name", sentKey: "author_id") var name = ""
}

@Model("/e") private final class KeyBesideLink {
    var identifier: Int?
    @Relationship(inverse: nil) var author: KeyedAuthor?
    @Attribute("author_name", sentKey: "author") var name = ""
}

@Model("/works", discriminator: "kind")
class KeyedWork {
    var identifier: Int?
    var kind = ""
    var title = ""
}

@Model(inherits: KeyedWork.self, as: "film")
final class KeyedFilm: KeyedWork {
    @Attribute(sentKey: "length") var minutes = 0
}

@Model(inherits: KeyedWork.self, as: "book")
final class KeyedBook: KeyedWork {
    @Attribute(sentKey: "length") var pages = 0
}

@Model(inherits: KeyedWork.self, as: "tape")
final class KeyedTape: KeyedWork {
    @Attribute(sentKey: "title") var label = ""
}

/// Sent keys that can't work are refused when a store opens.
@Suite struct SentKeyProblemTests {
    @Test(arguments: [
        (KeyTwice.self as any Model.Type, "would both be sent as \"price\""),
        (KeyMalformed.self, "which is no key path"), (KeyUnsent.self, "but is never sent"),
    ])
    func `A sent key that conflicts is refused`(_ model: any Model.Type, _ part: String) {
        #expect {
            _ = try Store(.temporary, models: [model])
        } throws: { error in
            guard case StoreError.models(let problems) = error else { return false }
            return problems.count == 1 && problems[0].contains(part)
        }
    }

    private func problems(of models: [any Model.Type]) throws -> [String] {
        do {
            _ = try Store(.temporary, models: models)
            return []
        } catch StoreError.models(let problems) {
            return problems
        }
    }

    @Test func `A relationship that is sent by identity takes the key of its identities, and not its own`() throws {
        let found = try problems(of: [KeyOfLink.self, KeyedAuthor.self])
        #expect(found.count == 1 && found[0].contains("would both be sent as \"author_id\""))
        #expect(try problems(of: [KeyBesideLink.self, KeyedAuthor.self]) == [])
    }

    @Test func `Models that inherit from one model may send under one key, and not under the parent's`() throws {
        #expect(try problems(of: [KeyedWork.self, KeyedFilm.self, KeyedBook.self]) == [])
        let found = try problems(of: [KeyedWork.self, KeyedFilm.self, KeyedTape.self])
        #expect(found.count == 1 && found[0].hasPrefix("KeyedTape.label and KeyedTape.title would both be sent"))
    }
}
