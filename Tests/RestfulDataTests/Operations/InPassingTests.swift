import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// What the server makes in passing, as it went out by its own values within another object, and the reply does not name.
@MainActor @Suite struct InPassingTests {
    @Model("/tickets") final class Ticket {
        var identifier: Int?
        var title = ""
        @Relationship(inverse: nil, sentAs: .key("name")) var labels: [Sticker]
        @Relationship(inverse: nil, sentAs: .key("name")) var phase: Sticker?
        @Relationship(inverse: nil, sentAs: .nested) var notes: [Sticker]
        @Relationship(inverse: nil) var detail: Detail?
    }

    @Model("/stickers") final class Sticker {
        var identifier: Int?
        var name: String?
        var color: String?
        @Relationship(inverse: nil) var size: Size?
    }

    @Model(embedded: true) final class Size {
        var width = 0
    }

    @Model(embedded: true) final class Detail {
        var text = ""
        @Relationship(inverse: nil, sentAs: .key("name")) var tags: [Sticker]
    }

    private static let models: [any Model.Type] = [Ticket.self, Sticker.self, Detail.self, Size.self]

    private func service(
        _ reply: StubTransport.Reply, location: Store.Location = .temporary
    ) throws -> Service {
        try Service(Self.models, location: location, stub: StubTransport { _ in reply })
    }

    private func ticket(_ service: Service) async throws -> Ticket {
        try await service.imported(Ticket.self, #"{"id": 1, "title": "A", "labels": [{"id": 4, "name": "bug"}]}"#)
    }

    private func sticker(_ name: String, _ service: Service) -> Sticker {
        let sticker = Sticker(in: service.main)
        sticker.name = name
        return sticker
    }

    // MARK: What is embedded in it

    @Test(arguments: [false, true]) func `It goes out and stays with what is embedded in it`(_ isNew: Bool) async throws
    {
        let service = try service(.status(204))
        let ticket = isNew ? Ticket(in: service.main) : try await ticket(service)
        let note = sticker("n", service)
        note.size = Size(in: service.main)
        note.size?.width = 3
        ticket.notes = [note]
        if isNew { try await ticket.create() } else { try await ticket.save() }
        #expect(service.stub.log.last?.contains(#""notes":[{"name":"n","size":{"width":3}}]"#) == true)
        #expect(note.size?.width == 3 && !service.main.hasChanges)
    }

    // MARK: Lists

    @Test(
        arguments: [
            StubTransport.Reply.status(204), .json(#"{"id": 1}"#), .json(#"{"id": 1, "title": "A"}"#),
        ], [false, true])
    func `What the reply does not name is named by the list`(reply: StubTransport.Reply, isSaved: Bool) async throws {
        let service = try service(reply)
        let ticket = try await ticket(service)
        let new = sticker("new", service)
        ticket.labels.append(new)
        if isSaved { try await service.main.save() }
        try await ticket.save()
        #expect(service.stub.log == [#"PATCH /tickets/1 {"labels":["bug","new"]}"#])
        #expect(new.unsentProperties == [] && !new.hasChanges && ticket.unsentProperties == [])
        #expect(ticket.labels.map(\.name) == ["bug", "new"])
        _ = try await service.imported(
            Ticket.self, #"{"id": 1, "labels": [{"id": 99, "name": "new", "color": "red"}, {"id": 4, "name": "bug"}]}"#)
        #expect(new.identifier == 99 && new.color == "red" && !new.isDeleted)
        #expect(ticket.labels.map(\.identifier) == [99, 4] && ticket.labels.contains { $0 === new })
        #expect(try service.main.query(Sticker.self).count() == 2)
    }

    @Test func `After a restart too, and where the one of that name is here already`() async throws {
        let file = try TemporaryFile()
        do {
            let service = try service(.status(204), location: .file(file.path))
            let ticket = try await ticket(service)
            ticket.labels.append(sticker("new", service))
            ticket.labels.append(sticker("other", service))
            try await ticket.save()
        }
        let service = try service(.status(204), location: .file(file.path))
        _ = try await service.imported(Sticker.self, #"{"id": 99, "name": "new"}"#)
        let ticket = try await service.imported(
            Ticket.self, #"{"id": 1, "labels": [{"id": 4, "name": "bug"}, {"id": 99, "name": "new"}]}"#)
        #expect(ticket.labels.map(\.name) == ["bug", "new"])
        #expect(try service.main.query(Sticker.self).where { $0.name == "new" }.count() == 1)
    }

    @Test func `What has another name, or was renamed since, is another one`() async throws {
        let service = try service(.status(204))
        let ticket = try await ticket(service)
        let new = sticker("new", service)
        ticket.labels.append(new)
        try await ticket.save()
        new.name = "newer"
        try await service.main.save()
        _ = try await service.imported(Ticket.self, #"{"id": 1, "labels": [{"id": 99, "name": "newer"}]}"#)
        #expect(new.identifier == nil && new.unsentProperties == ["name"])
    }

    @Test func `What was set beside the key is still to be sent`() async throws {
        let service = try service(.status(204))
        let ticket = try await ticket(service)
        let new = sticker("new", service)
        new.color = "blue"
        ticket.labels.append(new)
        try await ticket.save()
        #expect(new.unsentProperties == ["color"])
        _ = try await service.imported(
            Ticket.self, #"{"id": 1, "labels": [{"id": 99, "name": "new", "color": "red"}]}"#)
        #expect(new.identifier == 99 && new.color == "blue" && new.unsentProperties == ["color"])
        try await new.save()
        #expect(service.stub.log.last == #"PATCH /stickers/99 {"color":"blue"}"#)
    }

    @Test func `A failed send leaves it as it was`() async throws {
        let service = try service(.status(500))
        let ticket = try await ticket(service)
        let new = sticker("new", service)
        ticket.labels.append(new)
        #expect(await failure { try await ticket.save() } != nil)
        #expect(new.unsentProperties == ["name"] && new.isInserted)
    }

    // MARK: Links

    @Test(arguments: [false, true]) func `A link's target is named likewise`(isNamed: Bool) async throws {
        let body = #"{"id": 1, "phase": {"id": 99, "name": "new"}}"#
        let service = try service(isNamed ? .json(body) : .status(204))
        let ticket = try await ticket(service)
        let new = sticker("new", service)
        ticket.phase = new
        try await ticket.save()
        #expect(service.stub.log == [#"PATCH /tickets/1 {"phase":"new"}"#])
        _ = try await service.imported(Ticket.self, body)
        #expect(new.identifier == 99 && ticket.phase === new && new.unsentProperties == [])
        #expect(try service.main.query(Sticker.self).count() == 2)
    }

    // MARK: Whole objects

    @Test(arguments: [false, true]) func `What goes out whole is named likewise`(isNamed: Bool) async throws {
        let body = #"{"id": 1, "notes": [{"id": 98, "name": "a", "color": "red"}, {"id": 99, "name": "a"}]}"#
        let service = try service(isNamed ? .json(body) : .status(204))
        let ticket = try await ticket(service)
        let notes = [sticker("a", service), sticker("a", service)]
        notes[0].color = "red"
        ticket.notes = notes
        try await ticket.save()
        #expect(notes.allSatisfy { $0.unsentProperties == [] })
        _ = try await service.imported(Ticket.self, body)
        #expect(notes.map(\.identifier) == [98, 99] && ticket.notes.map(\.identifier) == [98, 99])
        #expect(try service.main.query(Sticker.self).count() == 3)
    }

    @Test func `What an embedded object leads to is named likewise`() async throws {
        let service = try service(.json(#"{"id": 1, "detail": {"text": "x", "tags": [{"id": 99, "name": "new"}]}}"#))
        let ticket = try await ticket(service)
        let new = sticker("new", service)
        let detail = Detail(in: service.main)
        detail.text = "x"
        detail.tags = [new]
        ticket.detail = detail
        try await ticket.save()
        #expect(service.stub.log == [#"PATCH /tickets/1 {"detail":{"text":"x","tags":["new"]}}"#])
        #expect(new.identifier == 99 && ticket.detail?.tags.first === new && new.unsentProperties == [])
        #expect(try service.main.query(Sticker.self).count() == 2)
    }
}
