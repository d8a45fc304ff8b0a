import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Objects created by the server because their values were sent within another object, and which the reply does not
/// name.
@MainActor @Suite struct NestedCreationTests {
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

    // MARK: Its embedded objects

    @Test(arguments: [false, true]) func `A new object in a saved list is sent with its embedded objects`(_ isNew: Bool)
        async throws
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
    func `A new member gets its identity from the list by its key`(reply: StubTransport.Reply, isSaved: Bool)
        async throws
    {
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

    @Test func `A new member gets its identity after a restart, and unifies with a known one`() async throws {
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

    @Test func `A member with another key or renamed since isn't identified`() async throws {
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

    @Test func `A new member's other properties stay pending`() async throws {
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

    @Test(arguments: [false, true], [false, true])
    func `A nested object's value sent and set back meanwhile is sent again`(
        isAtOnce: Bool, isNamed: Bool
    ) async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Self.models)
        let ticket = try await store.imported(
            Ticket.self, #"{"id": 1, "notes": [{"id": 5, "name": "a"}, {"id": 6, "name": "x"}]}"#)
        let note = ticket.notes[0]
        note.name = "b"
        ticket.notes.reverse()
        let saving = Task { try await ticket.save() }
        await held.wait(for: 1)
        if isAtOnce { note.name = "a" }
        held.answer(
            0, isNamed ? .json(#"{"id": 1, "notes": [{"id": 6, "name": "x"}, {"id": 5, "name": "b"}]}"#) : .status(204))
        try await saving.value
        #expect(isAtOnce || note.unsentProperties == (isNamed ? [] : ["name"]))
        note.name = "a"
        #expect(note.name == "a" && note.unsentProperties == ["name"])
        let mending = Task { try await note.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await mending.value
        #expect(
            held.log == [
                #"PATCH /tickets/1 {"notes":[{"id":6,"name":"x"},{"id":5,"name":"b"}]}"#,
                #"PATCH /stickers/5 {"name":"a"}"#,
            ])
        #expect(note.name == "a" && !store.main.hasChanges && note.unsentProperties == [])
    }

    @Test(arguments: [false, true])
    func `A nested embedded object's value set back meanwhile stays pending`(isNamed: Bool) async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Self.models)
        let ticket = try await store.imported(
            Ticket.self, #"{"id": 1, "notes": [{"id": 5, "size": {"width": 1}}, {"id": 6, "name": "x"}]}"#)
        let note = ticket.notes[0]
        note.size?.width = 2
        ticket.notes.reverse()
        let saving = Task { try await ticket.save() }
        await held.wait(for: 1)
        note.size?.width = 1
        held.answer(
            0, isNamed ? .json(#"{"id": 1, "notes": [{"id": 6}, {"id": 5, "size": {"width": 2}}]}"#) : .status(204))
        try await saving.value
        #expect(held.log == [#"PATCH /tickets/1 {"notes":[{"id":6,"name":"x"},{"id":5,"size":{"width":2}}]}"#])
        #expect(note.size?.width == 1 && note.unsentProperties == ["size"])
    }

    @Test func `A failed save leaves new members new`() async throws {
        let service = try service(.status(500))
        let ticket = try await ticket(service)
        let new = sticker("new", service)
        ticket.labels.append(new)
        #expect(await failure { try await ticket.save() } != nil)
        #expect(new.unsentProperties == ["name"] && new.isInserted)
    }

    @Test(arguments: [false, true], [false, true]) func `New members with equal keys are unified`(
        isNamed: Bool, isKnown: Bool
    ) async throws {
        let body =
            isKnown
            ? #"{"id": 1, "labels": [{"id": 4, "name": "bug"}]}"#
            : #"{"id": 1, "labels": [{"id": 4, "name": "bug"}, {"id": 99, "name": "new"}]}"#
        let service = try service(isNamed ? .json(body) : .status(204))
        let ticket = try await ticket(service)
        let name = isKnown ? "bug" : "new"
        let new = [sticker(name, service), sticker(name, service)]
        ticket.labels += new
        try await ticket.save()
        #expect(service.stub.log == [#"PATCH /tickets/1 {"labels":["bug""# + (isKnown ? "]}" : #","new"]}"#)])
        if !isNamed { _ = try await service.imported(Ticket.self, body) }
        #expect(ticket.labels.map(\.identifier) == (isKnown ? [4] : [4, 99]))
        #expect(new.allSatisfy { $0.identifier == (isKnown ? 4 : 99) && $0.unsentProperties == [] })
        #expect(try service.main.query(Sticker.self).count() == (isKnown ? 1 : 2))
    }

    // MARK: Links

    @Test(arguments: [false, true]) func `The target of a link gets its identity by its key`(isNamed: Bool) async throws
    {
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

    @Test(arguments: [false, true]) func `Nested objects sent whole get their identities by their values`(isNamed: Bool)
        async throws
    {
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

    @Test(arguments: [false, true]) func `A nested object that the server changed gets its identity by its position`(
        isNew: Bool
    ) async throws {
        let service = try service(
            .json(
                #"""
                {"id": 1, "labels": [{"id": 4, "name": "bug"}, {"id": 99, "name": "New"}],
                 "notes": [{"id": 98, "name": "A", "color": "red"}, {"id": 97, "name": "a", "color": "red"}],
                 "phase": {"id": 96, "name": "P"}}
                """#))
        let ticket = isNew ? Ticket(in: service.main) : try await ticket(service)
        let bug = try await service.imported(Sticker.self, #"{"id": 4, "name": "bug"}"#)
        let (new, notes, phase) = (
            sticker("new", service), [sticker("a ", service), sticker("a", service)], sticker("p", service)
        )
        ticket.labels = [bug, new]
        ticket.notes = notes
        ticket.phase = phase
        if isNew { try await ticket.create() } else { try await ticket.save() }
        #expect(ticket.labels.map(\.identifier) == [4, 99] && ticket.labels[1] === new && new.name == "New")
        #expect(
            ticket.notes.map(\.identifier) == [98, 97] && ticket.notes[0] === notes[0] && ticket.notes[1] === notes[1])
        #expect(ticket.phase === phase && phase.identifier == 96 && phase.name == "P")
        #expect(try service.main.query(Sticker.self).count() == 5 && !service.main.hasChanges)
    }

    @Test func `An edit sent within another object is acknowledged by a reply that repeats it`() async throws {
        let service = try service(
            .json(#"{"id": 1, "notes": [{"id": 8, "name": "c", "color": "green"}, {"id": 9, "name": "d"}]}"#))
        let ticket = try await service.imported(
            Ticket.self, #"{"id": 1, "notes": [{"id": 9, "name": "b"}, {"id": 8, "name": "a", "color": "red"}]}"#)
        let (nine, eight) = (ticket.notes[0], ticket.notes[1])
        (eight.name, eight.color) = ("c", "blue")
        try await service.main.save()
        nine.name = "d"
        ticket.notes = [eight, nine]
        try await ticket.save()
        #expect(
            service.stub.log == [
                #"PATCH /tickets/1 {"notes":[{"id":8,"name":"c","color":"blue"},{"id":9,"name":"d"}]}"#
            ])
        // Values of the reply that differ were not stored.
        #expect(eight.unsentProperties == ["color"] && eight.color == "blue" && nine.unsentProperties == [])
        #expect(!service.main.hasChanges && ticket.unsentProperties == [])
    }

    // MARK: Deeper

    @Model("/folders") final class Folder {
        var identifier: Int?
        var name: String?
        @Relationship(inverse: "parent", sentAs: .nested) var folders: [Folder]
        @Relationship(inverse: "folders", sentAs: .nested) var parent: Folder?
        @Relationship(inverse: nil, sentAs: .nested) var other: Folder?
        @Relationship(inverse: nil, sentAs: .key("name")) var labels: [Sticker]
        @Relationship(inverse: nil) var size: Size?
    }

    private func folder(_ name: String, _ service: Service) -> Folder {
        let folder = Folder(in: service.main)
        folder.name = name
        return folder
    }

    @Test(arguments: [false, true]) func `New objects are sent with the new objects in them, without inverse links`(
        isNamed: Bool
    ) async throws {
        let named =
            #"{"id": 1, "folders": [{"id": 2, "name": "b", "folders": [{"id": 3, "name": "c"}], "labels": [{"id": 9, "name": "l"}]}]}"#
        let service = try Service(
            [Folder.self, Sticker.self, Size.self],
            stub: StubTransport { _ in .json(isNamed ? named : #"{"id": 1}"#) })
        let (a, b, c) = (folder("a", service), folder("b", service), folder("c", service))
        let label = sticker("l", service)
        (a.folders, b.folders, b.labels) = ([b], [c], [label])
        b.size = Size(in: service.main)
        b.size?.width = 3
        try await a.create()
        #expect(
            service.stub.log == [
                #"POST /folders {"name":"a","folders":[{"name":"b","size":{"width":3},"#
                    + #""folders":[{"name":"c"}],"labels":["l"]}]}"#
            ])
        #expect(b.parent === a && c.parent === b && b.size?.width == 3)
        for object in [a, b, c] { #expect(object.unsentProperties == []) }
        #expect(label.unsentProperties == [] && b.size?.unsentProperties == [] && !service.main.hasChanges)
        if !isNamed { _ = try await service.imported(Folder.self, named) }
        #expect(b.identifier == 2 && c.identifier == 3 && label.identifier == 9)
        #expect(try service.main.query(Folder.self).count() == 3)
    }

    @Test func `A new object that would contain itself is refused by name`() async throws {
        let service = try Service(
            [Folder.self, Sticker.self, Size.self], stub: StubTransport { _ in .json(#"{"id": 1}"#) })
        let (a, b) = (folder("a", service), folder("b", service))
        (a.other, b.other) = (b, a)
        let error = await failure { try await a.create() }
        guard case .unsendable("Folder", "other", _)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(service.stub.log == [])
    }

    @Test func `A new object in an embedded object's list gets its identity by its key`() async throws {
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
