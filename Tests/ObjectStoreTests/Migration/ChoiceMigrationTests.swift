import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Relationships to one of several models in the files of earlier versions.
@MainActor @Suite struct ChoiceMigrationTests {
    enum Plain {
        @Model final class Notice {
            var identifier: Int?
            var text = ""
        }
        @Model final class Post { var identifier: Int? }
        @Model final class Event { var identifier: Int? }
        static let models: [any Model.Type] = [Notice.self, Post.self, Event.self]
    }

    enum OfPosts {
        @Model final class Notice {
            var identifier: Int?
            var text = ""
            var subject: Post?
        }
        @Model final class Post { var identifier: Int? }
        @Model final class Event { var identifier: Int? }
        static let models: [any Model.Type] = [Notice.self, Post.self, Event.self]
    }

    enum Two {
        // The macro's extension doesn't look into the type around the enum.
        @ModelChoice enum Subject {
            typealias Post = ChoiceMigrationTests.Two.Post
            typealias Event = ChoiceMigrationTests.Two.Event

            case post(Post)
            case event(Event)
        }
        @Model final class Notice {
            var identifier: Int?
            var text = ""
            var subject: Subject?
        }
        @Model final class Post { var identifier: Int? }
        @Model final class Event { var identifier: Int? }
        static let models: [any Model.Type] = [Notice.self, Post.self, Event.self]
    }

    /// The relationship, a model and a case have other names; a case was added in front.
    enum Three {
        @ModelChoice enum Item {
            typealias Photo = ChoiceMigrationTests.Three.Photo
            typealias Event = ChoiceMigrationTests.Three.Event
            typealias Article = ChoiceMigrationTests.Three.Article

            case photo(Photo)
            case happening(Event)
            case article(Article)
        }
        @Model final class Notice {
            var identifier: Int?
            var text = ""
            @Relationship(renamedFrom: "subject") var item: Item?
        }
        @Model(renamedFrom: "Post") final class Article { var identifier: Int? }
        @Model final class Event { var identifier: Int? }
        @Model final class Photo { var identifier: Int? }
        static let models: [any Model.Type] = [Notice.self, Article.self, Event.self, Photo.self]
    }

    private let file: TemporaryFile

    init() throws { file = try TemporaryFile() }

    private func open(_ models: [any Model.Type]) throws -> Store { try Store(.file(file.path), models: models) }

    private static let json = """
        [{"id": 1, "text": "a", "subject_type": "post", "subject_id": 7}, {"id": 2, "text": "b", "subject_id": null}]
        """

    @Test func `A file gets the relationship`() async throws {
        let first = try open(Plain.models)
        _ = try await first.main.import(Plain.Notice.self, from: Array(#"[{"id": 1, "text": "a"}]"#.utf8))
        _ = try await first.main.import(Plain.Post.self, from: Array(#"[{"id": 7}]"#.utf8))
        first.close()
        let store = try open(Two.models)
        let notice = try #require(try store.main.find(Two.Notice.self, 1))
        #expect(notice.text == "a" && notice.subject == nil && notice.unsentProperties == [])
        notice.subject = try store.main.find(Two.Post.self, 7).map { .post($0) }
        try await store.main.save()
        #expect(notice.subject?.model is Two.Post)
    }

    @Test(arguments: [false, true])
    func `A relationship to one model becomes one to several`(isEdited: Bool) async throws {
        let first = try open(OfPosts.models)
        _ = try await first.main.import(OfPosts.Post.self, from: Array(#"[{"id": 7}, {"id": 8}]"#.utf8))
        let notices = try await first.main.import(OfPosts.Notice.self, from: Array(Self.json.utf8)).objects
        if isEdited {
            notices[0].subject = try first.main.find(OfPosts.Post.self, 8)
            try await first.main.save()
        }
        first.close()
        let store = try open(Two.models)
        let notice = try #require(try store.main.find(Two.Notice.self, 1))
        guard case .post(let post) = notice.subject else {
            Testing.Issue.record("\(String(describing: notice.subject))")
            return
        }
        #expect(post.identifier == (isEdited ? 8 : 7))
        #expect(try store.main.find(Two.Notice.self, 2)?.subject == nil)
        _ = try await store.main.import(Two.Event.self, from: Array(#"[{"id": 3}]"#.utf8))
        _ = try await store.main.import(
            Two.Notice.self, from: Array(#"[{"id": 1, "subject_type": "event", "subject_id": 3}]"#.utf8))
        #expect(isEdited ? notice.subject?.model === post : notice.subject?.model is Two.Event)
        let both = store.main.query(Two.Notice.self).where {
            $0.subject.is(Two.Post.self) && $0.subject.is(Two.Event.self)
        }
        #expect(try both.count() == 0)
    }

    @Test(arguments: [false, true])
    func `Other names and a further case keep the objects`(isEdited: Bool) async throws {
        let first = try open(Two.models)
        _ = try await first.main.import(Two.Post.self, from: Array(#"[{"id": 7}]"#.utf8))
        _ = try await first.main.import(Two.Event.self, from: Array(#"[{"id": 3}]"#.utf8))
        let notices = try await first.main.import(Two.Notice.self, from: Array(Self.json.utf8)).objects
        notices[1].subject = try first.main.find(Two.Event.self, 3).map { .event($0) }
        if isEdited { notices[0].subject = notices[1].subject }
        try await first.main.save()
        first.close()
        let store = try open(Three.models)
        let notice = try #require(try store.main.find(Three.Notice.self, 1))
        #expect(isEdited ? notice.item?.model is Three.Event : notice.item?.model is Three.Article)
        #expect(notice.unsentProperties == (isEdited ? ["item"] : []))
        let other = try #require(try store.main.find(Three.Notice.self, 2))
        guard case .happening(let event) = other.item else {
            Testing.Issue.record("\(String(describing: other.item))")
            return
        }
        #expect(event.identifier == 3 && other.unsentProperties == ["item"])
    }

    // MARK: Refused declarations

    enum Misused {
        @ModelChoice enum Twice {
            typealias Post = ChoiceMigrationTests.Misused.Post
            /// The macro sees two names.
            typealias Same = ChoiceMigrationTests.Misused.Post

            case post(Post)
            case again(Same)
        }
        @ModelChoice enum Inherited {
            typealias Film = ChoiceMigrationTests.Misused.Film
            typealias Medium = ChoiceMigrationTests.Misused.Medium

            case film(Film)
            case medium(Medium)
        }
        @ModelChoice(by: "a..b") enum Keyless {
            typealias Post = ChoiceMigrationTests.Misused.Post
            case post(Post)
        }
        @ModelChoice enum Embedded {
            typealias Part = ChoiceMigrationTests.Misused.Part
            case part(Part)
        }
        @ModelChoice enum Foreign {
            typealias Other = ChoiceMigrationTests.Plain.Post
            case other(Other)
        }
        @ModelChoice enum Fine {
            typealias Post = ChoiceMigrationTests.Misused.Post
            case post(Post)
        }
        @Model final class Notice {
            var identifier: Int?
            var twice: Twice?
            var inherited: Inherited?
            var keyless: Keyless?
            var embedded: Embedded?
            var foreign: Foreign?
            @Relationship("/x", inverse: "notices", sentAs: .key("title"), owns: true) var wild: Fine?
            var part: Part?
        }
        @Model final class Post {
            var identifier: Int?
            @Relationship(inverse: "wild") var notices: [Notice]
        }
        @Model(discriminator: "kind") class Medium {
            var identifier: Int?
            var kind = ""
        }
        @Model(inherits: Medium.self) final class Film: Medium { var minutes = 0 }
        @Model(embedded: true) final class Part { var subject: Fine? }
        static let models: [any Model.Type] = [Notice.self, Post.self, Medium.self, Film.self, Part.self]
    }

    @Test func `A store names each problem of such relationships`() throws {
        let error = try #require(throws: StoreError.self) { try open(Misused.models) }
        guard case .models(let problems) = error else {
            Testing.Issue.record("\(error)")
            return
        }
        let expected = [
            "Notice.twice has the cases post and again for one table",
            "Notice.inherited has the cases film and medium for one table",
            "Notice.keyless: \"a..b\" is no key path", "Notice.embedded may lead to Part, which is embedded",
            "Notice.foreign.Post leads to Post, which is not among the store's models",
            "Notice.wild leads to one of several models, so it has no route",
            "Notice.wild names the inverse \"notices\"",
            "Notice.wild leads to one of several models, so it can't own", "sent by type and identity",
            "Part.subject leads to one of several models, which an embedded model can't",
            "Post.notices names the inverse \"wild\", but Notice.wild leads to one of several models",
        ]
        for text in expected { #expect(problems.contains { $0.contains(text) }, "\(text): \(problems)") }
    }
}
