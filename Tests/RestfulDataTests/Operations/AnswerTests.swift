import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// A reply to a request of an object's own URL may omit the identity. It is an answer only if it has one of the
/// object's values.
@MainActor @Suite struct AnswerTests {
    @Test(arguments: [
        "{}", #"{"error": "gone"}"#, #"{"status": "ok", "code": 0}"#, #"{"meta": {"request": "x1"}}"#,
        #"{"_links": {"self": "/posts/5"}}"#, #"{"errors": [{"detail": "no"}], "cover_url": null}"#,
    ])
    func `A reply without any property of the model doesn't answer a fetch`(_ body: String) async throws {
        let service = try Service(stub: StubTransport { _ in .json(body) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old", "last_reader_id": 7}"#)
        let before = try await service.store.contents()
        let error = await failure { try await post.fetch() }
        #expect(
            error?.description == "GET https://api.example.com/posts/5: the reply holds no Post; the body: an object "
                + "with nothing of a Post")
        #expect(try await service.store.contents() == before && post.title == "Old")
        let one = await failure { let _: Author? = try await post.$lastReader.fetch() }
        #expect(one?.description.contains("holds no Author") == true)
    }

    @Test(arguments: [false, true]) func `A reply without the object doesn't make a new object the server's`(
        isStrict: Bool
    ) async throws {
        let stub = StubTransport { _ in .json(#"{"error": "no"}"#) }
        let store = try Store(
            .temporary, models: GitHub.models,
            api: API(
                "https://api.example.com", conventions: .github, reports: isStrict ? .strict : .logged, transport: stub
            ))
        let ada = User(in: store.main)
        ada.login = "ada"
        guard case .noObject(model: "User", _, _)? = await failure({ try await ada.fetch() }) else {
            Testing.Issue.record("it was believed")
            return
        }
        #expect(ada.isInserted && ada.changedProperties == ["login"])
        #expect(try await store.contents() == "")
    }

    @Test(arguments: [
        #"{"title": "New"}"#, #"{"Title": "New"}"#, #"{"author_id": 7}"#, #"{"author": null}"#, #"{"comments": []}"#,
        #"{"meta": {"source": "x"}, "error": null}"#, #"{"id": 5}"#, #"{"title": {}}"#, #"{"rating": "good"}"#,
        #"{"pictures": [{"id": 1}]}"#,
    ])
    func `A reply with part of the object answers a fetch`(_ body: String) async throws {
        let service = try Service(stub: StubTransport { _ in .json(body) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        #expect(await failure { try await post.fetch() } == nil)
        #expect(post.title == (body.contains(#""New""#) ? "New" : "Old"))
    }

    @Test func `Any reply answers a fetch of a model with an identity alone`() async throws {
        let service = try Service(Shop.models, stub: StubTransport { _ in .json(#"{"name": "X"}"#) })
        let country = try await service.imported(Country.self, #"{"id": 5}"#)
        #expect(await failure { try await country.fetch() } == nil)
    }

    @Test func `An enveloped reply needs a property of the model to answer a fetch`() async throws {
        var conventions = APIConventions.rails
        conventions.envelopes = .byName
        for (body, isAnswer) in [
            (#"{"post": {"title": "New"}}"#, true), (#"{"post": {}}"#, false), (#"{"post": {"error": 1}}"#, false),
        ] {
            let service = try Service(conventions: conventions, stub: StubTransport { _ in .json(body) })
            let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
            let error = await failure { try await post.fetch() }
            #expect(error?.description.hasSuffix("post: an object with nothing of a Post") != isAnswer)
        }
    }

    @Test func `A JSON:API document needs a member of the resource to answer a fetch`() async throws {
        for (data, isAnswer) in [
            (#"{"type": "articles", "attributes": {"title": "New"}}"#, true),
            (#"{"type": "articles", "id": "1"}"#, true),
            (#"{"type": "articles"}"#, false), ("{}", false), (#"{"attributes": {"error": "x"}}"#, false),
            (#"{"type": "articles", "relationships": {"author": {"data": null}}}"#, true),
        ] {
            let service = try Service(
                Library.models, conventions: .jsonAPI, stub: StubTransport { _ in .json(#"{"data": \#(data)}"#) })
            let article = try await service.imported(Library.Article.self, #"{"type": "articles", "id": "1"}"#)
            let error = await failure { try await article.fetch() }
            #expect((error == nil) == isAnswer, "\(data)")
        }
    }

    @Model("/houses") final class House {
        var identifier: Int?
        @Relationship("/houses/:id/place", inverse: nil) var place: Place?
    }

    @Model(embedded: true) final class Place { var street = "" }

    @Test func `A reply without an embedded object's properties doesn't clear it`() async throws {
        let service = try Service(
            [House.self, Place.self], stub: StubTransport { _ in .json(#"{"error": "try again"}"#) })
        let house = try await service.imported(House.self, #"{"id": 1, "place": {"street": "a"}}"#)
        #expect(await failure { let _: Place? = try await house.$place.fetch() } != nil)
        #expect(house.place?.street == "a")
    }
}
