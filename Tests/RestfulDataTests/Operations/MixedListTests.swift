import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@Model("/posts")
final class MixedPost {
    var identifier: Int?
    var text = ""
    var author: MixedPerson?
}

@Model("/happenings", resourceType: "event")
final class MixedHappening {
    var identifier: Int?
    var title = ""
}

@Model("/people")
final class MixedPerson {
    var identifier: Int?
    var name = ""
}

@Model("/media", discriminator: "kind")
class MixedMedium {
    var identifier: Int?
    var kind = ""
}

@Model(inherits: MixedMedium.self, as: "film")
final class MixedFilm: MixedMedium {
    var minutes = 0
}

@ModelChoice
enum MixedActivity {
    case entry(MixedPost)
    case happening(MixedHappening)
}

@ModelChoice(by: "meta.kind")
enum MixedWork {
    case film(MixedFilm)
    case medium(MixedMedium)
    case post(MixedPost)
}

/// Lists that mix models, each element of which names its own.
@MainActor @Suite struct MixedListTests {
    private static let models: [any Model.Type] = [
        MixedPost.self, MixedHappening.self, MixedPerson.self, MixedMedium.self, MixedFilm.self,
    ]

    private func service(_ body: String) throws -> Service {
        try Service(Self.models, stub: StubTransport { _ in .json(body) })
    }

    private static let timeline = """
        [{"type": "MixedPost", "id": 1, "text": "a", "author": {"id": 5, "name": "Ada"}},
         {"type": "event", "id": 1, "title": "b"}, {"type": "mixed_posts", "id": 2, "text": "c"}]
        """

    @Test func `A mixed list gives objects of each model in the server's order`() async throws {
        let service = try service(Self.timeline)
        let all = try await service.main.fetchAll(
            "/timeline", of: [MixedPost.self, MixedHappening.self], by: "type", query: ["size": 3])
        #expect(all.map { ($0 as? MixedPost)?.text ?? ($0 as? MixedHappening)?.title } == ["a", "b", "c"])
        #expect((all[0] as? MixedPost)?.author?.name == "Ada")
        #expect(service.stub.log == ["GET /timeline?size=3"])
        #expect(try service.main.query(MixedHappening.self).first()?.title == "b")
    }

    @Test func `A list of an enum of models has a case for each element`() async throws {
        let service = try service(
            """
            [{"type": "happening", "id": 1, "title": "b"}, {"type": "ENTRY", "id": 1, "text": "a"}]
            """)
        let all = try await MixedActivity.fetchAll("/timeline", in: service.main)
        guard case .happening(let happening) = all.first, case .entry(let post) = all.last else {
            Testing.Issue.record("\(all)")
            return
        }
        #expect(happening.title == "b" && post.text == "a" && all.count == 2)
        #expect(all[1].model === post)
    }

    @Test func `Mixed models are distinguished at a key path, including submodels`() async throws {
        let service = try service(
            """
            [{"meta": {"kind": "film"}, "id": 1, "kind": "film", "minutes": 90},
             {"meta": {"kind": "medium"}, "id": 2, "kind": "print"}, {"meta": {"kind": "post"}, "id": 3}]
            """)
        let all = try await MixedWork.fetchAll("/works", in: service.main)
        guard case .film(let film) = all[0], case .medium(let medium) = all[1], case .post = all[2] else {
            Testing.Issue.record("\(all)")
            return
        }
        #expect(film.minutes == 90 && medium.kind == "print" && !(medium is MixedFilm))
    }

    @Test func `An element of an unlisted model is reported, and the others are imported`() async throws {
        let service = try service(
            """
            [{"type": "advert", "id": 9}, {"id": 3}, 7, {"type": "MixedPost", "id": 1}, {"type": "MixedPost"}]
            """)
        let (all, report) = try await API.reporting { () async throws(APIError) in
            try await service.main.fetchAll("/timeline", of: [MixedPost.self, MixedHappening.self], by: "type")
        }
        #expect(all.count == 1)
        let texts = report.rejected.map(\.description)
        #expect(
            texts == [
                "[0]: an object of type \"advert\", which is none of the list's models; add its model to the list",
                "[1]: an object that doesn't say of which model it is (\"type\")",
                "[2]: 7 where a MixedPost was expected", "[4]: a MixedPost without an identity (\"id\")",
            ])
    }

    @Test func `A mixed list of unknown types is empty, and one without objects throws`() async throws {
        let unknown = try service(#"[{"type": "advert", "id": 9}]"#)
        #expect(try await unknown.main.fetchAll("/timeline", of: [MixedPost.self], by: "type").isEmpty)
        let service = try service("[1, 2]")
        await #expect(throws: APIError.self) {
            _ = try await service.main.fetchAll("/timeline", of: [MixedPost.self], by: "type")
        }
        let empty = try self.service("[]")
        #expect(try await empty.main.fetchAll("/timeline", of: [MixedPost.self], by: "type").isEmpty)
    }

    @Test func `A mixed list follows all pages and has each object once`() async throws {
        let stub = StubTransport { request in
            let isFirst = !"\(request.url)".contains("page=2")
            let body =
                isFirst
                ? #"[{"type": "MixedPost", "id": 1}, {"type": "event", "id": 1}]"#
                : #"[{"type": "event", "id": 1}, {"type": "MixedPost", "id": 2}]"#
            var fields = HTTPFields()
            if let link = HTTPField.Name("Link"), isFirst {
                fields[link] = #"<https://api.example.com/timeline?page=2>; rel="next""#
            }
            return .json(body, headerFields: fields)
        }
        let service = try Service(Self.models, stub: stub)
        let all = try await service.main.fetchAll(
            "/timeline", of: [MixedPost.self, MixedHappening.self], by: "type", pages: .all())
        #expect(
            all.map { ($0 as? MixedPost).map { "post \($0.identifier ?? 0)" } ?? "event" } == [
                "post 1", "event", "post 2",
            ])
        #expect(stub.log == ["GET /timeline", "GET /timeline?page=2"])
    }

    @Test func `Pages that repeat the same objects end the walk`() async throws {
        let pages = Box(0)
        let stub = StubTransport { _ in
            pages.value += 1
            var fields = HTTPFields()
            if let link = HTTPField.Name("Link") {
                fields[link] = #"<https://api.example.com/timeline?page=\#(pages.value + 1)>; rel="next""#
            }
            let body =
                #"{"page": \#(pages.value), "items": [{"type": "MixedPost", "id": 1}, {"type": "event", "id": 1}]}"#
            return .json(body, headerFields: fields)
        }
        let service = try Service(Self.models, stub: stub)
        let all = try await service.main.fetchAll(
            "/timeline", of: [MixedPost.self, MixedHappening.self], by: "type", at: "items", pages: .all())
        #expect(all.count == 2)
        #expect(stub.log.count == 11)
    }

    @Test func `An element of a mixed list that changes its type is another object`() async throws {
        let types = Box(["MixedPost", "event"])
        let service = try Service(
            Self.models,
            stub: StubTransport { _ in .json(#"[{"type": "\#(types.value.removeFirst())", "id": 1, "text": "a"}]"#) })
        let models: [any Model.Type] = [MixedPost.self, MixedHappening.self]
        let first = try await service.main.fetchAll("/timeline", of: models, by: "type")
        let second = try await service.main.fetchAll("/timeline", of: models, by: "type")
        #expect((first[0] as? MixedPost)?.text == "a" && second[0] is MixedHappening)
        #expect(try service.main.query(MixedPost.self).count() == 1)
    }

    @Test func `A mixed list in an envelope keeps pending edits`() async throws {
        let service = try service(#"{"items": [{"type": "MixedPost", "id": 1, "text": "server"}]}"#)
        let post = try await service.imported(MixedPost.self, #"{"id": 1, "text": "old"}"#)
        post.text = "mine"
        let all = try await service.main.fetchAll("/timeline", of: [MixedPost.self], by: "type", at: "items")
        #expect(all.count == 1 && all[0] === post && post.text == "mine")
    }

    @Test func `A JSON:API document mixes types without a key`() async throws {
        let stub = StubTransport { _ in
            .json(
                """
                {"data": [{"type": "posts", "id": "1", "attributes": {"text": "a"}},
                          {"type": "event", "id": "1", "attributes": {"title": "b"}}]}
                """)
        }
        let store = try Store(
            .temporary, models: Self.models.prefix(3).map { $0 },
            api: API("https://api.example.com", conventions: .jsonAPI, transport: stub))
        let all = try await store.main.fetchAll("/timeline", of: [MixedPost.self, MixedHappening.self], by: "type")
        #expect(all.map { ($0 as? MixedPost)?.text ?? ($0 as? MixedHappening)?.title } == ["a", "b"])
    }

    @Test func `A mixed list of ambiguous or unknown models is refused`() async throws {
        let service = try service("[]")
        func problem(_ models: [any Model.Type], by key: String = "type") async -> String {
            do {
                _ = try await service.main.fetchAll("/timeline", of: models, by: key)
                return "none"
            } catch {
                guard case .store(.models(let problems)) = error else { return "\(error)" }
                return problems.joined(separator: ", ")
            }
        }
        #expect(await problem([MixedUnknown.self]).contains("none of the store's models"))
        #expect(await problem([]).contains("needs at least one"))
        #expect(await problem([MixedPost.self], by: "a..b").contains("is no key path"))
        #expect(service.stub.log.isEmpty)
    }
}

@Model("/unknown")
final class MixedUnknown {
    var identifier: Int?
}
