import RestfulData
import RestfulDataTesting
import Testing

/// `validate()` sees an object that is added to a list as a member, on both sides of the relationship.
@MainActor @Suite struct JoiningRulesTests {
    @Model("/rooms") final class Room {
        var identifier: Int?
        var capacity = 2
        var guests: [Guest]
        @Relationship("/rooms/:id/themes", inverse: "rooms") var themes: [Theme]
    }

    @Model("/rooms/:room_id/guests") final class Guest {
        var identifier: Int?
        var name = ""
        var room: Room?

        func validate() throws(ValidationError) {
            try checkAll { check in
                check(\.room, room != nil, "is missing")
                check(\.room, (room?.guests.count ?? 0) <= (room?.capacity ?? 0), "is full")
                check(room?.guests.contains(self) != false, "isn't in the room's list")
            }
        }
    }

    /// Many to many.
    @Model("/themes") final class Theme {
        var identifier: Int?
        var name = ""
        var rooms: [Room]

        func validate() throws(ValidationError) {
            try checkAll { check in
                check(\.rooms, !rooms.isEmpty, "are missing")
                check(\.rooms, rooms.count < 2, "are too many")
            }
        }
    }

    /// Links to the owner without being below its URL.
    @Model("/tickets") final class Ticket {
        var identifier: Int?
        var desk: Desk?

        func validate() throws(ValidationError) {
            let desks = (try? context?.query(Desk.self).fetch()) ?? []
            try checkAll { check in
                check(\.desk, desk?.isOpen == true, "is closed")
                check(\.desk, desks.filter { $0.tickets.contains(self) } == [desk], "isn't the only one")
            }
        }
    }

    @Model("/desks") final class Desk {
        var identifier: Int?
        var isOpen = false
        @Relationship("/desks/:id/tickets", inverse: "desk") var tickets: [Ticket]
    }

    private static let models: [any Model.Type] = [
        Room.self, Guest.self, Theme.self, Ticket.self, Desk.self,
    ]

    private func makeService() throws -> Service {
        try Service(Self.models, stub: StubTransport { _ in .json(#"{"id": 50}"#, status: 201) })
    }

    @Test func `A validation of a new member sees the owner that it joins`() async throws {
        let service = try makeService()
        let room = try await service.imported(Room.self, #"{"id": 1, "capacity": 1, "guests": []}"#)
        let guest = Guest(in: service.main)
        guest.name = "Ada"
        try await room.$guests.add(guest)
        #expect(service.stub.log == [#"POST /rooms/1/guests {"name":"Ada"}"#])
        #expect(guest.room === room && room.guests == [guest] && !service.main.hasChanges)
    }

    @Test func `A new member that fails validation leaves both sides unchanged`() async throws {
        let service = try makeService()
        let room = try await service.imported(
            Room.self, #"{"id": 1, "capacity": 1, "guests": [{"id": 1, "name": "Ada"}]}"#)
        let guest = Guest(in: service.main)
        guest.name = "Bob"
        let live = try service.main.query(Guest.self).where { $0.room == room }.live()
        let changes = live.changes.makeAsyncIterator()
        #expect(try await changes.next()?.objects.count == 1)
        let error = await failure { try await room.$guests.add(guest) }
        #expect(error?.fields == ["room": ["is full"]])
        #expect(guest.room == nil && room.guests.count == 1 && live.count == 1)
        #expect(guest.changedProperties == ["name"] && !room.hasChanges && guest.unsentProperties == ["name"])
        #expect(service.stub.log.isEmpty)
        // Nothing of the link is left.
        room.capacity = 2
        try await room.$guests.add(guest)
        #expect(service.stub.log == [#"POST /rooms/1/guests {"name":"Bob"}"#] && room.guests.count == 2)
    }

    @Test func `A new member that fails validation keeps its link to another owner`() async throws {
        let service = try makeService()
        let (open, shut) = (
            try await service.imported(Desk.self, #"{"id": 1, "is_open": true}"#),
            try await service.imported(Desk.self, #"{"id": 2, "is_open": false}"#)
        )
        let ticket = Ticket(in: service.main)
        ticket.desk = open
        #expect(await failure { try await shut.$tickets.add(ticket) }?.fields == ["desk": ["is closed"]])
        #expect(ticket.desk === open && open.tickets == [ticket] && shut.tickets.isEmpty)
        #expect(ticket.changedProperties == ["desk"] && service.stub.log.isEmpty)
        try await open.$tickets.add(ticket)
        #expect(ticket.desk === open)
    }

    @Test func `Lists that validation reads first are restored after it fails`() async throws {
        let service = try makeService()
        // No list is read before the rules read it.
        let open = try await service.imported(Desk.self, #"{"id": 1, "is_open": true, "tickets": [{"id": 5}]}"#)
        let shut = try await service.imported(Desk.self, #"{"id": 2, "is_open": false}"#)
        let ticket = try #require(try service.main.query(Ticket.self).fetch().first)
        #expect(await failure { try await shut.$tickets.add(ticket) }?.fields == ["desk": ["is closed"]])
        #expect(ticket.desk === open && open.tickets == [ticket] && shut.tickets.isEmpty)
    }

    @Test func `A many-to-many member is validated with the owner in its own list`() async throws {
        let service = try makeService()
        let rooms = [
            try await service.imported(Room.self, #"{"id": 1, "themes": []}"#),
            try await service.imported(Room.self, #"{"id": 2, "themes": []}"#),
        ]
        let theme = Theme(in: service.main)
        theme.name = "Sea"
        theme.rooms = [rooms[1]]
        #expect(await failure { try await rooms[0].$themes.add(theme) }?.fields == ["rooms": ["are too many"]])
        #expect(theme.rooms == [rooms[1]] && rooms[0].themes.isEmpty && service.stub.log.isEmpty)
    }

    @Test func `A known member is validated with its new owner`() async throws {
        let service = try makeService()
        let ticket = try await service.imported(Ticket.self, #"{"id": 5, "desk": {"id": 1, "is_open": true}}"#)
        let desk = try await service.imported(Desk.self, #"{"id": 2, "is_open": false}"#)
        #expect(await failure { try await desk.$tickets.add(ticket) }?.fields == ["desk": ["is closed"]])
        #expect(ticket.desk?.identifier == 1 && !ticket.hasChanges && ticket.unsentProperties == [])
        #expect(desk.tickets.isEmpty && service.stub.log.isEmpty)
    }

    @Test func `A known member that passes validation with its new owner is linked`() async throws {
        let service = try Service(
            Self.models, stub: StubTransport { _ in .json(#"{"id": 5, "desk": {"id": 2}}"#) })
        let ticket = try await service.imported(Ticket.self, #"{"id": 5, "desk": {"id": 1, "is_open": false}}"#)
        let desk = try await service.imported(Desk.self, #"{"id": 2, "is_open": true}"#)
        try await desk.$tickets.add(ticket)
        #expect(service.stub.log == [#"PATCH /tickets/5 {"desk_id":2}"#])
        #expect(ticket.desk === desk && desk.tickets == [ticket] && !service.main.hasChanges)
    }

    @Test func `A member put into a list sees its owner in the validation of each kind of save`() async throws {
        let service = try makeService()
        let room = try await service.imported(Room.self, #"{"id": 1, "capacity": 1, "guests": []}"#)
        let guest = Guest(in: service.main)
        room.guests.append(guest)
        try await service.main.save()
        let second = Guest(in: service.main)
        room.guests.append(second)
        #expect(await failure { try await second.create() }?.fields == ["room": ["is full"]])
        #expect(second.room === room && room.guests == [guest, second], "the edit stays, as it was the user's")
        let error = await #expect(throws: StoreError.self) { try await service.main.save() }
        #expect("\(try #require(error))".contains("new Guest"))
    }

    @Test func `A member added in a draft is validated with the draft's owner`() async throws {
        let service = try makeService()
        let room = try await service.imported(Room.self, #"{"id": 1, "capacity": 1, "guests": []}"#)
        let draft = try service.main.draft()
        let form = try #require(draft.object(for: room))
        let guest = Guest(in: draft.context)
        form.guests.append(guest)
        try draft.save()
        #expect(room.guests.count == 1)
        form.guests.append(Guest(in: draft.context))
        #expect(throws: StoreError.self) { try draft.save() }
        #expect(room.guests.count == 1 && form.guests.count == 2)
        form.capacity = 2
        try draft.save()
        #expect(room.guests.count == 2)
    }
}
