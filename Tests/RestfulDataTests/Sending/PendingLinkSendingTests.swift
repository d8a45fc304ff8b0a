import RestfulData
import RestfulDataTesting
import Testing

/// A link to a missing target is still a link, and is sent.
@MainActor @Suite struct PendingLinkSendingTests {
    @Model("/tickets") final class Ticket {
        var identifier: Int?
        var title = ""
        var text: String?
        @Relationship(inverse: nil) var author: Writer?
        @Relationship(inverse: nil) var labels: [Sign]
        @Relationship(inverse: nil, sentAs: .key("name")) var signs: [Sign]
        var project: Project?
    }

    @Model("/poems") final class Poem {
        var identifier: Int?
        var title = ""
        @Relationship(inverse: nil) var author: Writer?
        @Relationship(inverse: nil) var labels: [Sign]
    }

    @Model("/notes", saveMethod: .put) final class Memo {
        var identifier: Int?
        var title = ""
        @Relationship(inverse: nil) var author: Writer?
        var board: Board?
    }

    @Model("/boards") final class Board {
        var identifier: Int?
        var memos: [Memo]
    }

    @Model("/writers") final class Writer {
        var identifier: Int?
        var name: String?
    }

    @Model("/signs") final class Sign {
        var identifier: Int?
        var name: String?
    }

    @Model("/projects") final class Project {
        var identifier: Int?
        @Relationship(inverse: "project") var tickets: [Ticket]
        @Relationship(inverse: "project") var steps: [Step]
    }

    @Model("/projects/:project_id/steps") final class Step {
        var identifier: Int?
        var title = ""
        var project: Project?
    }

    @Model("/crews") final class Crew {
        var identifier: Int?
        @Relationship("/crews/:id/members", inverse: nil) var members: [Writer]
    }

    private static let models: [any Model.Type] = [
        Ticket.self, Memo.self, Board.self, Writer.self, Sign.self, Project.self, Step.self,
    ]

    private func service(_ conventions: APIConventions = .default) throws -> Service {
        try Service(
            Self.models, conventions: conventions,
            stub: StubTransport { request in
                request.method != .get ? .status(204) : .json(#"{"id": 7, "name": "Ada"}"#)
            })
    }

    private static let ticket = #"{"id": 1, "title": "A", "author_id": 7, "label_ids": [1, 3], "project_id": 9}"#

    // MARK: PUT

    @Test func `A PUT sends pending links and no unknown ones`() async throws {
        let service = try service()
        let ticket = try await service.imported(Ticket.self, Self.ticket)
        let memo = try await service.imported(Memo.self, #"{"id": 2, "title": "A", "author_id": "7"}"#)
        ticket.title = "B"
        memo.title = "B"
        try await ticket.save(using: .put)
        try await memo.save()
        ticket.text = "x"
        try await ticket.save()
        ticket.text = nil
        try await ticket.save(using: .put)
        #expect(
            service.stub.log == [
                #"PUT /tickets/1 {"id":1,"title":"B","author_id":7,"label_ids":[1,3],"project_id":9}"#,
                #"PUT /notes/2 {"id":2,"title":"B","author_id":"7"}"#,
                #"PATCH /tickets/1 {"text":"x"}"#,
                #"PUT /tickets/1 {"id":1,"title":"B","text":null,"author_id":7,"label_ids":[1,3],"project_id":9}"#,
            ])
    }

    @Test func `Adding a member by PUT keeps its pending links`() async throws {
        let service = try service()
        let board = try await service.imported(Board.self, #"{"id": 4}"#)
        let memo = try await service.imported(Memo.self, #"{"id": 2, "title": "A", "author_id": 7}"#)
        try await board.$memos.add(memo)
        #expect(service.stub.log == [#"PUT /notes/2 {"id":2,"title":"A","author_id":7,"board_id":4}"#])
    }

    @Test func `A pending member sent by more than its identity is refused by name`() async throws {
        let service = try service()
        let ticket = try await service.imported(Ticket.self, #"{"id": 1, "sign_ids": [5]}"#)
        let two = try await service.imported(Sign.self, #"{"id": 2, "name": "two"}"#)
        ticket.title = "B"
        try await ticket.save()
        ticket.signs.append(two)
        guard
            case .unknownTarget(model: "Ticket", property: "signs", target: "Sign")? = await failure({
                try await ticket.save()
            })
        else {
            Testing.Issue.record("it was sent")
            return
        }
        _ = try await service.imported(Sign.self, #"{"id": 5, "name": "five"}"#)
        try await ticket.save()
        #expect(
            service.stub.log == [#"PATCH /tickets/1 {"title":"B"}"#, #"PATCH /tickets/1 {"signs":["two","five"]}"#])
    }

    // MARK: Lists

    @Test(arguments: [false, true]) func `Pending members are sent with added ones`(isSaved: Bool)
        async throws
    {
        let service = try service()
        let ticket = try await service.imported(Ticket.self, Self.ticket)
        let two = try await service.imported(Sign.self, #"{"id": 2}"#)
        ticket.labels.append(two)
        if isSaved { try await service.main.save() }
        #expect(ticket.$labels.identities == [1, 3, 2])
        try await ticket.save()
        #expect(ticket.unsentProperties == [])
        ticket.labels.append(try await service.imported(Sign.self, #"{"id": 4}"#))
        try await ticket.save()
        _ = try await service.imported(Sign.self, #"{"id": 3}"#)
        ticket.labels.append(try await service.imported(Sign.self, #"{"id": 5}"#))
        try await ticket.save()
        #expect(
            service.stub.log == [
                #"PATCH /tickets/1 {"label_ids":[1,3,2]}"#, #"PATCH /tickets/1 {"label_ids":[1,3,2,4]}"#,
                #"PATCH /tickets/1 {"label_ids":[1,3,2,4,5]}"#,
            ])
    }

    @Test func `Pending members stay when others are added and removed at the server`() async throws {
        let service = try Service([Crew.self, Writer.self], stub: StubTransport { _ in .status(204) })
        let crew = try await service.imported(Crew.self, #"{"id": 1, "member_ids": [8, 9]}"#)
        let ada = try await service.imported(Writer.self, #"{"id": 7}"#)
        try await crew.$members.add(ada)
        #expect(crew.members.map(\.identifier) == [7])
        try await crew.$members.delete(ada)
        #expect(crew.members.isEmpty && crew.$members.identities == [8, 9])
    }

    // MARK: Links

    @Test(arguments: [false, true]) func `A pending link can be cleared`(isSaved: Bool) async throws {
        let service = try service()
        let ticket = try await service.imported(Ticket.self, Self.ticket)
        ticket.author = nil
        #expect(ticket.unsentProperties == ["author"] && ticket.hasChanges)
        ticket.author = nil
        if isSaved { try await service.main.save() }
        #expect(ticket.unsentProperties == ["author"])
        #expect(ticket.$author.identity == nil)
        _ = try await service.imported(Writer.self, #"{"id": 7}"#)
        #expect(ticket.author == nil)
        try await ticket.save()
        #expect(service.stub.log == [#"PATCH /tickets/1 {"author_id":null}"#])
        #expect(ticket.author == nil && ticket.unsentProperties == [] && !ticket.hasChanges)
    }

    @Test func `A link set and cleared is nil, and one removed from a list is pending as before`() async throws {
        let service = try service()
        let ticket = try await service.imported(Ticket.self, Self.ticket)
        ticket.author = try await service.imported(Writer.self, #"{"id": 8}"#)
        ticket.author = nil
        #expect(ticket.unsentProperties == ["author"])
        service.main.rollback()
        #expect(ticket.unsentProperties == [] && ticket.$author.identity == 7)
        let project = try await service.imported(Project.self, #"{"id": 8}"#)
        project.tickets.append(ticket)
        #expect(ticket.$project.identity == 8)
        project.tickets = []
        #expect(ticket.unsentProperties == [] && ticket.$project.identity == 9)
    }

    @Test(arguments: [false, true]) func `A pending link's identity is used in URLs`(isEdited: Bool) async throws {
        let service = try service()
        let step = try await service.imported(Step.self, #"{"id": 3, "title": "A", "project_id": 9}"#)
        if isEdited {
            step.project = nil
            try await service.main.save()
        }
        try await step.delete()
        #expect(service.stub.log == ["DELETE /projects/9/steps/3"])
    }

    @Test func `A pending link's identity can be read, and its target fetched`() async throws {
        let service = try service()
        let ticket = try await service.imported(Ticket.self, Self.ticket)
        #expect(ticket.author == nil && ticket.$author.identity == 7 && ticket.$author.identity == "7")
        #expect(
            ticket.$labels.identities == [1, 3] && ticket.$labels.identity == nil && ticket.$signs.identities == [])
        let ada = try #require(try await ticket.$author.fetch())
        #expect(ticket.author === ada && ada.name == "Ada" && ticket.$author.identity == 7)
        #expect(service.stub.log == ["GET /writers/7"])
    }

    @Test func `A reply about another object than a pending link's target throws`() async throws {
        let service = try Service(Self.models, stub: StubTransport { _ in .json(#"{"id": 8, "name": "Bob"}"#) })
        let ticket = try await service.imported(Ticket.self, Self.ticket)
        let error = await failure { _ = try await ticket.$author.fetch() }
        #expect(error?.description == "GET https://api.example.com/writers/7: the reply holds no Writer")
        #expect(ticket.author == nil && ticket.$author.identity == 7 && ticket.unsentProperties == [])
    }

    // MARK: Embedded objects

    @Model("/stages") final class Stage {
        var identifier: Int?
        var box: Box?
    }

    @Model(embedded: true) final class Box {
        var name = ""
        @Relationship(inverse: nil) var keeper: Writer?
        @Relationship(inverse: nil) var guests: [Writer]
    }

    @Test(arguments: [false, true]) func `Pending links of an embedded object are sent with it and can be cleared`(
        isSaved: Bool
    ) async throws {
        let service = try Service([Stage.self, Box.self, Writer.self], stub: StubTransport { _ in .status(204) })
        let stage = try await service.imported(
            Stage.self, #"{"id": 1, "box": {"name": "A", "keeper_id": 7, "guest_ids": [1, 3]}}"#)
        let two = try await service.imported(Writer.self, #"{"id": 2}"#)
        let edits: [(Box) -> Void] = [
            { $0.name = "B" }, { $0.guests.append(two) }, { $0.keeper = nil }, { $0.guests = [] },
        ]
        for edit in edits {
            edit(try #require(stage.box))
            #expect(stage.unsentProperties == ["box"])
            if isSaved { try await service.main.save() }
            try await stage.save()
            #expect(stage.unsentProperties == [])
        }
        #expect(
            service.stub.log == [
                #"PATCH /stages/1 {"box":{"name":"B","keeper_id":7,"guest_ids":[1,3]}}"#,
                #"PATCH /stages/1 {"box":{"name":"B","keeper_id":7,"guest_ids":[1,3,2]}}"#,
                #"PATCH /stages/1 {"box":{"name":"B","keeper_id":null,"guest_ids":[1,3,2]}}"#,
                #"PATCH /stages/1 {"box":{"name":"B","guest_ids":[]}}"#,
            ])
    }

    // MARK: JSON:API

    @Test func `Linkage to unknown resources is sent as it came`() async throws {
        let service = try Service(
            [Poem.self, Writer.self, Sign.self], conventions: .jsonAPI, stub: StubTransport { _ in .status(204) })
        let poem = try await service.imported(
            Poem.self,
            #"""
            {"data": {"type": "poems", "id": "1", "attributes": {"title": "A"}, "relationships": {
                "author": {"data": {"type": "writers", "id": "7"}},
                "labels": {"data": [{"type": "signs", "id": "1"}, {"type": "signs", "id": "3"}]}}}}
            """#)
        let two = try await service.imported(Sign.self, #"{"data": {"type": "signs", "id": "2"}}"#)
        poem.labels.append(two)
        try await poem.save(using: .put)
        poem.author = nil
        try await poem.save()
        let labels =
            #""labels":{"data":[{"type":"signs","id":"1"},{"type":"signs","id":"3"},{"type":"signs","id":"2"}]}"#
        #expect(
            service.stub.log == [
                #"PUT /poems/1 {"data":{"type":"poems","id":"1","attributes":{"title":"A"},"relationships":{"#
                    + #""author":{"data":{"type":"writers","id":"7"}},"# + labels + "}}}",
                #"PATCH /poems/1 {"data":{"type":"poems","id":"1","relationships":{"author":{"data":null}}}}"#,
            ])
    }

    // MARK: Both sides

    @Test func `A fetched list keeps a pending edit of a member's link`() async throws {
        let service = try Service(
            [Board.self, Memo.self, Writer.self, Noticeboard.self, Notice.self],
            stub: StubTransport { request in request.method == .get ? .json("[]") : .status(204) })
        let first = try await service.imported(
            Noticeboard.self, #"[{"id": 1, "notices": [{"id": 5}]}, {"id": 2, "notices": []}]"#)
        let second = try #require(try service.main.find(Noticeboard.self, 2))
        let notice = try #require(first.notices.first)
        notice.board = second
        try await service.main.save()
        let draft = Notice(in: service.main)
        draft.board = second
        try await service.main.save()
        try await second.$notices.fetch()
        #expect(notice.board === second && draft.board === second)
        #expect(Set(second.notices.map(ObjectIdentifier.init)) == [ObjectIdentifier(notice), ObjectIdentifier(draft)])
        try await notice.save()
        #expect(service.stub.log == ["GET /noticeboards/2/notices", #"PATCH /notices/5 {"board_id":2}"#])
    }
}

@Model("/noticeboards") final class Noticeboard {
    var identifier: Int?
    @Relationship("/noticeboards/:id/notices", inverse: "board") var notices: [Notice]
}

@Model("/notices") final class Notice {
    var identifier: Int?
    var board: Noticeboard?
}
