import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Relationships to one of several models: what is read from JSON, and what is sent.
@MainActor @Suite struct ChoiceRelationshipTests {
    @Model("/posts") final class Post {
        var identifier: Int?
        var title = ""
    }

    @Model("/events", resourceType: "happening") final class Event {
        var identifier: Int?
        var place = ""
    }

    // The macro's extension doesn't look into the type around the enum.
    @ModelChoice enum Subject {
        typealias Post = ChoiceRelationshipTests.Post
        typealias Event = ChoiceRelationshipTests.Event

        case post(Post)
        case event(Event)
    }

    @Model("/notices") final class Notice {
        var identifier: Int?
        var text = ""
        var subject: Subject?
    }

    @Model("/marks") final class Mark {
        var identifier: Int?
        @Relationship(sentKey: "object_id", typeKey: "content_type") var target: Subject?
    }

    @Model("/shares") final class Share {
        var identifier: Int?
        @Relationship(json: "item", sentAs: .identitiesByName) var shared: Subject?
        @Relationship(sentAs: .never) var origin: Subject?
    }

    /// Its key has several spellings.
    @Model("/mentions") final class Mention {
        var identifier: Int?
        @Relationship(sentAs: .identitiesByName) var lastSubject: Subject?
    }

    /// The pair's keys are attributes, too.
    @Model("/votes") final class Vote {
        var identifier: Int?
        var subject: Subject?
        var subjectType: String?
        var subjectID: Int?
    }

    @ModelChoice(by: "meta.kind") enum Kind {
        typealias Post = ChoiceRelationshipTests.Post
        typealias Event = ChoiceRelationshipTests.Event

        case post(Post)
        case event(Event)
    }

    @Model("/pins") final class Pin {
        var identifier: Int?
        var thing: Kind?
    }

    /// Attributes have values within the relationship's own key.
    @Model("/alerts") final class Alert {
        var identifier: Int?
        var subject: Subject?
        @Attribute("subject.title", access: .readOnly) var title: String?
    }

    private static let models: [any Model.Type] = [
        Post.self, Event.self, Notice.self, Mark.self, Share.self, Vote.self, Pin.self, Alert.self,
        Mention.self,
    ]

    private func service(
        saveMethod: API.SaveMethod? = nil, conventions: APIConventions = .default, _ reply: String? = nil
    ) throws -> Service {
        try Service(
            Self.models, conventions: conventions, saveMethod: saveMethod,
            stub: StubTransport { request in
                if let reply { return .json(reply) }
                return request.method == .post ? .json(#"{"id": 50}"#) : .status(204)
            })
    }

    private func notice(_ service: Service, _ subject: String) async throws -> Notice {
        try await service.imported(Notice.self, #"{"id": 1, "text": "n", \#(subject)}"#)
    }

    // MARK: Reading

    @Test func `An object says in its JSON which model it is of`() async throws {
        let service = try service()
        let notice = try await notice(service, #""subject": {"type": "post", "id": 7, "title": "a"}"#)
        guard case .post(let post) = notice.subject else {
            Testing.Issue.record("\(String(describing: notice.subject))")
            return
        }
        #expect(post.title == "a" && post.identifier == 7)
        #expect(try service.main.find(Post.self, 7) === post)
        _ = try await self.notice(service, #""subject": {"id": 7, "place": "b", "type": "Event"}"#)
        guard case .event(let event) = notice.subject else {
            Testing.Issue.record("\(String(describing: notice.subject))")
            return
        }
        #expect(event.place == "b" && notice.$subject.identity?.text == "7")
        _ = try await service.imported(Notice.self, #"{"id": 1, "text": "again"}"#)
        #expect(notice.subject?.model === event && notice.text == "again")
        _ = try await self.notice(service, #""subject": null"#)
        #expect(notice.subject == nil && notice.$subject.typeName == nil)
    }

    @Test(arguments: [
        #""subject_type": "Post", "subject_id": 7"#, #""subject_id": 7, "subject_type": "posts""#,
        #""subjectType": "post", "subjectId": "7""#, #""subject": 7, "subject_type": "POST""#,
        #""subject": null, "subject_type": "Post", "subject_id": 7"#,
    ])
    func `A pair of type and identity leads to an object, also before it is stored`(_ pair: String) async throws {
        let service = try service()
        let notice = try await notice(service, pair)
        #expect(notice.subject == nil && notice.$subject.identity?.text == "7")
        let post = try await service.imported(Post.self, #"{"id": 7, "title": "a"}"#)
        #expect(notice.subject?.model === post)
        _ = try await self.notice(service, #""subject_type": "happening", "subject_id": 8"#)
        #expect(notice.subject == nil && notice.$subject.typeName == "happening")
        let event = try await service.imported(Event.self, #"{"id": 8}"#)
        #expect(notice.subject?.model === event)
        _ = try await self.notice(service, #""subject_type": null, "subject_id": null"#)
        #expect(notice.subject == nil && notice.$subject.identity == nil)
    }

    @Test(arguments: [#""type": "question", "#, ""])
    func `A type beside the object counts if the object's own is no model's name`(_ own: String) async throws {
        let service = try service()
        let notice = try await notice(
            service, #""subject_type": "Post", "subject": {\#(own)"id": 7, "title": "a"}"#)
        let post = try #require(try service.main.find(Post.self, 7))
        #expect(notice.subject?.model === post && post.title == "a" && notice.$subject.typeName == "Post")
    }

    @Test func `The keys of the pair are chosen by the relationship`() async throws {
        let service = try service()
        let mark = try await service.imported(Mark.self, #"{"id": 1, "content_type": "post", "object_id": 7}"#)
        let post = try await service.imported(Post.self, #"{"id": 7}"#)
        #expect(mark.target?.model === post)
        mark.target = nil
        try await mark.save()
        #expect(service.stub.log == [#"PATCH /marks/1 {"content_type":null,"object_id":null}"#])
    }

    @Test func `The type stands at a key path within the object`() async throws {
        let service = try service()
        let pin = try await service.imported(
            Pin.self, #"{"id": 1, "thing": {"id": 3, "meta": {"kind": "event"}, "place": "here"}}"#)
        guard case .event(let event) = pin.thing else {
            Testing.Issue.record("\(String(describing: pin.thing))")
            return
        }
        #expect(event.place == "here")
    }

    @Test func `Attributes may have key paths into the object`() async throws {
        let service = try service()
        let alert = try await service.imported(
            Alert.self, #"{"id": 1, "subject": {"type": "post", "id": 7, "title": "a"}}"#)
        let post = try service.main.find(Post.self, 7)
        #expect(alert.title == "a" && alert.subject?.model === post && post != nil)
        _ = try await service.imported(Alert.self, #"{"id": 1, "subject": null}"#)
        #expect(alert.title == nil && alert.subject == nil)
    }

    @Test func `Attributes may have the keys of the pair, and are read-only then`() async throws {
        let service = try service()
        let vote = try await service.imported(Vote.self, #"{"id": 1, "subject_type": "Post", "subject_id": 7}"#)
        let post = try await service.imported(Post.self, #"{"id": 7}"#)
        let event = try await service.imported(Event.self, #"{"id": 8}"#)
        #expect(vote.subject?.model === post && vote.subjectType == "Post" && vote.subjectID == 7)
        vote.subject = .event(event)
        try await vote.save()
        #expect(service.stub.log == [#"PATCH /votes/1 {"subject_type":"happening","subject_id":8}"#])
    }

    @Test func `Attributes with the keys of the pair can be edited where linkage is sent`() async throws {
        let body = #"{"data": {"type": "votes", "id": "1"}}"#
        let service = try Service(Self.models, conventions: .jsonAPI, stub: StubTransport { _ in .json(body) })
        let vote = try await Vote.fetch("/votes/1", in: service.main)
        vote.subjectType = "post"
        #expect(vote.subjectType == "post" && vote.unsentProperties == ["subjectType"])
    }

    // MARK: What can't be read

    @Test(arguments: [
        (#""subject": {"type": "poll", "id": 3}"#, "an object of type \"poll\""),
        (#""subject_type": "poll", "subject_id": 3"#, "an object of type \"poll\""),
    ])
    func `An unknown type is reported, and the former object is left`(_ json: String, _ found: String) async throws {
        let service = try service(saveMethod: .put)
        let notice = try await notice(service, #""subject": {"type": "post", "id": 7}"#)
        let report = try await service.main.import(Notice.self, from: Array("{\"id\": 1, \(json)}".utf8)).report
        #expect(report.mismatched.map(\.found) == [found])
        #expect(notice.subject == nil && notice.$subject.typeName == "poll")
        notice.text = "m"
        try await notice.save()
        // The relationship is left out, rather than sent as none.
        #expect(service.stub.log == [#"PUT /notices/1 {"id":1,"text":"m"}"#])
    }

    @Test(arguments: [#""subject": {"id": 3}"#, #""subject_id": 3"#, #""subject": true"#, #""subject_type": "post""#])
    func `A value that names no model leaves the stored object`(_ json: String) async throws {
        let service = try service()
        let notice = try await notice(service, #""subject": {"type": "post", "id": 7}"#)
        _ = try await self.notice(service, json)
        #expect(notice.subject?.model === (try service.main.find(Post.self, 7)))
    }

    // MARK: Sending

    @Test func `A new object is sent with the type and identity of the other one`() async throws {
        let service = try service()
        let post = try await service.imported(Post.self, #"{"id": 7}"#)
        let notice = Notice(in: service.main)
        notice.text = "n"
        notice.subject = .post(post)
        #expect(notice.subject?.model === post)
        try await notice.create()
        #expect(service.stub.log == [#"POST /notices {"text":"n","subject_type":"Post","subject_id":7}"#])
        #expect(notice.subject?.model === post && notice.unsentProperties == [] && !notice.hasChanges)
    }

    @Test func `An edit to an object of another model is one change`() async throws {
        let service = try service()
        let notice = try await notice(service, #""subject_type": "post", "subject_id": 7"#)
        let post = try await service.imported(Post.self, #"{"id": 7}"#)
        let other = try await service.imported(Post.self, #"{"id": 9}"#)
        let event = try await service.imported(Event.self, #"{"id": 8}"#)
        notice.subject = .event(event)
        #expect(notice.changedProperties == ["subject"] && notice.unsentProperties == ["subject"])
        try await notice.save()
        notice.subject = nil
        try await notice.save()
        notice.subject = .post(post)
        try await notice.save()
        #expect(
            service.stub.log == [
                #"PATCH /notices/1 {"subject_type":"happening","subject_id":8}"#,
                #"PATCH /notices/1 {"subject_type":null,"subject_id":null}"#,
                #"PATCH /notices/1 {"subject_type":"Post","subject_id":7}"#,
            ])
        #expect(notice.unsentProperties == [] && notice.subject?.model === post)
        // The server's name for the model goes back.
        _ = try await self.notice(service, #""subject_type": "posts", "subject_id": 7"#)
        notice.subject = .post(other)
        try await notice.save()
        #expect(service.stub.log.last == #"PATCH /notices/1 {"subject_type":"posts","subject_id":9}"#)
        try await notice.save()
        #expect(try service.stub.log.count == 4 && service.main.unsent().isEmpty)
    }

    @Test(arguments: ["subject", "subject_id", "subject_type"])
    func `The server's messages about a key of the relationship are about the property`(_ key: String) async throws {
        let service = try Service(
            Self.models, stub: StubTransport { _ in .json("{\"errors\": {\"\(key)\": [\"is gone\"]}}", status: 422) })
        let notice = try await notice(service, #""subject": {"type": "post", "id": 7}"#)
        notice.subject = nil
        let error = await failure { try await notice.save() }
        #expect(error?.messages(for: Notice.properties.subject) == ["is gone"])
    }

    @Test func `A relationship that is sent under its own key is an object with type and identity`() async throws {
        let service = try service()
        let share = try await service.imported(
            Share.self, #"{"id": 1, "item": {"type": "post", "id": 7}, "origin": {"type": "post", "id": 7}}"#)
        let event = try await service.imported(Event.self, #"{"id": 8}"#)
        #expect(share.origin?.model === share.shared?.model && share.origin != nil)
        share.shared = .event(event)
        share.origin = .event(event)
        #expect(share.unsentProperties == ["shared"])
        try await share.save()
        share.shared = nil
        try await share.save()
        #expect(
            service.stub.log == [
                #"PATCH /shares/1 {"item":{"type":"happening","id":8}}"#, #"PATCH /shares/1 {"item":null}"#,
            ])
    }

    @Test func `A relationship is sent under the last spelling of its own key`() async throws {
        let service = try service()
        for key in ["lastSubject", "last_subject"] {
            let mention = try await service.imported(
                Mention.self, #"{"id": 1, "\#(key)": {"type": "post", "id": 7}}"#)
            mention.lastSubject = nil
            try await mention.save()
            #expect(service.stub.log.last == #"PATCH /mentions/1 {"\#(key)":null}"#)
        }
    }

    @Test func `An object that the server doesn't know can't be named`() async throws {
        let service = try service()
        let notice = try await notice(service, #""subject": null"#)
        let post = Post(in: service.main)
        notice.subject = .post(post)
        await #expect(throws: APIError.self) { try await notice.save() }
        #expect(service.stub.log == [] && notice.unsentProperties == ["subject"])
        try await post.create()
        try await notice.save()
        #expect(service.stub.log.last == #"PATCH /notices/1 {"subject_type":"Post","subject_id":50}"#)
        #expect(notice.subject?.model === post && notice.unsentProperties == [])
    }

    @Test func `A whole object is sent with its relationship`() async throws {
        let service = try service(saveMethod: .put)
        let notice = try await notice(service, #""subject_type": "post", "subject_id": 7"#)
        notice.text = "m"
        try await notice.save()
        #expect(
            service.stub.log == [#"PUT /notices/1 {"id":1,"text":"m","subject_type":"post","subject_id":7}"#])
    }

    @Test func `A resource's linkage has the type`() async throws {
        let body = """
            {"data": {"type": "notices", "id": "1", "attributes": {"text": "n"},
              "relationships": {"subject": {"data": {"type": "posts", "id": "7"}}}},
             "included": [{"type": "posts", "id": "7", "attributes": {"title": "a"}}]}
            """
        let service = try Service(
            Self.models, conventions: .jsonAPI,
            stub: StubTransport { request in request.method == .get ? .json(body) : .status(204) })
        let notice = try await Notice.fetch("/notices/1", in: service.main)
        guard case .post(let post) = notice.subject else {
            Testing.Issue.record("\(String(describing: notice.subject))")
            return
        }
        #expect(post.title == "a")
        let event = Event(in: service.main)
        event.identifier = 8
        try await service.main.save()
        notice.subject = .event(event)
        try await notice.save()
        notice.subject = nil
        try await notice.save()
        let start = #"PATCH /notices/1 {"data":{"type":"notices","id":"1","relationships":{"subject":{"data":"#
        #expect(
            service.stub.log.dropFirst() == [
                start + #"{"type":"happening","id":"8"}}}}}"#, start + "null}}}}",
            ])
    }

    @Test func `A resource's linkage may have another spelling of the key`() async throws {
        let body = """
            {"data": {"type": "notices", "id": "1", "attributes": {"text": "n"},
              "relationships": {"Subject": {"data": {"type": "posts", "id": "7"}}}}}
            """
        let service = try Service(Self.models, conventions: .jsonAPI, stub: StubTransport { _ in .json(body) })
        let notice = try await Notice.fetch("/notices/1", in: service.main)
        #expect(notice.$subject.identity?.text == "7" && notice.$subject.typeName == "posts")
    }

    @Test(arguments: [#"{"type": "posts", "id": [7]}"#, #"{"type": "posts", "id": {}}"#])
    func `Linkage with an object or array for its id leaves the stored object`(_ linkage: String) async throws {
        func document(_ data: String) -> Data {
            let relationships = #"{"subject": {"data": \#(data)}}"#
            return Data(#"{"data": {"type": "notices", "id": "1", "relationships": \#(relationships)}}"#.utf8)
        }
        let service = try Service(Self.models, conventions: .jsonAPI, stub: StubTransport { _ in .status(204) })
        let known = document(#"{"type": "posts", "id": "7"}"#)
        let notice = try await service.main.import(Notice.self, from: known).objects[0]
        let report = try await service.main.import(Notice.self, from: document(linkage)).report
        #expect(report.mismatchedCount == 1)
        #expect(notice.$subject.identity?.text == "7")
    }

    // MARK: Descriptions

    @Test func `An explanation and a mirror show one relationship`() async throws {
        let service = try service()
        let notice = try await notice(service, #""subject": {"type": "post", "id": 7}"#)
        let text = "\(service.store.explain(Notice.self))"
        #expect(text.contains("subject_type") && text.contains("Post or Event") && !text.contains("subject.Post"))
        // Descriptions show loaded objects only.
        #expect(notice.subject != nil)
        var dumped = ""
        dump(notice, to: &dumped)
        #expect(dumped.contains("Post 7") && !dumped.contains("subject.Post"))
        #expect("\(notice.$subject)".hasSuffix("subject: Post 7"))
    }

    // MARK: Queries

    @Test func `Queries compare the relationship, and lead into one of the models`() async throws {
        let service = try service()
        let post = try await service.imported(Post.self, #"{"id": 7, "title": "a"}"#)
        let event = try await service.imported(Event.self, #"{"id": 7, "place": "b"}"#)
        for (id, subject) in [(1, Subject.post(post)), (2, .event(event)), (3, nil)] {
            let notice = Notice(in: service.main)
            notice.identifier = id
            notice.subject = subject
        }
        for isSaved in [false, true] {
            if isSaved { try await service.main.save() }
            func found<C: QueryCondition>(_ condition: (Notice.Properties) -> C) throws -> [Int?]
            where C.Root == Notice {
                try service.main.query(Notice.self).where(condition).order(by: \.identifier).fetch().map(\.identifier)
            }
            #expect(try found { $0.subject == .post(post) } == [1])
            #expect(try found { $0.subject != .post(post) } == [2, 3])
            #expect(try found { $0.subject == .event(event) } == [2])
            #expect(try found { $0.subject == nil } == [3])
            #expect(try found { $0.subject != nil } == [1, 2])
            #expect(try found { $0.subject.is(Event.self) } == [2])
            #expect(try found { $0.subject.is(Mark.self) } == [])
            #expect(try found { $0.subject.as(Post.self).title == "a" } == [1])
        }
    }
}
