import RestfulData
import RestfulDataTesting
import Testing

/// `validate()` is asked before anything is sent.
@MainActor @Suite struct OwnRulesTests {
    @Model("/events") final class Event {
        var identifier: Int?
        var title = ""
        var guests: [Guest]
        @Relationship(inverse: nil) var place: Place?

        func validate() throws(ValidationError) { try check(\.title, !title.isEmpty, "can't be blank") }
    }

    @Model("/events/:event_id/guests") final class Guest {
        var identifier: Int?
        var name = ""
        var event: Event?

        func validate() throws(ValidationError) { try check(\.name, name != "?", "is nobody's") }
    }

    @Model(embedded: true) final class Place {
        var street = ""

        func validate() throws(ValidationError) { try check(\.street, !street.isEmpty, "is missing") }
    }

    private func makeService(_ answer: StubTransport.Reply = .json(#"{"id": 1}"#, status: 201)) throws -> Service {
        try Service([Event.self, Guest.self, Place.self], stub: StubTransport { _ in answer })
    }

    @Test func `An invalid object isn't sent, and a corrected one is`() async throws {
        let service = try makeService()
        let event = Event(in: service.main)
        let error = await failure { try await event.create() }
        guard case .store(.validation(let errors))? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(errors.map(\.model) == ["Event"] && error?.fields == ["title": ["can't be blank"]])
        #expect(service.stub.log.isEmpty && event.isInserted)
        event.title = "A"
        try await event.create()
        event.title = ""
        #expect(await failure { try await event.save() }?.fields == ["title": ["can't be blank"]])
        #expect(event.title == "" && event.unsentProperties == ["title"])
        #expect(service.stub.log == [#"POST /events {"title":"A"}"#])
        event.rollback(\.title)
        try await event.save()
        #expect(service.stub.log.count == 1)
    }

    @Test func `Embedded objects and new members are validated before sending`() async throws {
        let service = try makeService()
        let event = Event(in: service.main)
        event.title = "A"
        event.place = Place(in: service.main)
        #expect(await failure { try await event.create() }?.fields == ["street": ["is missing"]])
        event.place?.street = "Main Street"
        try await event.create()
        let guest = Guest(in: service.main)
        guest.name = "?"
        #expect(await failure { try await event.$guests.add(guest) }?.fields == ["name": ["is nobody's"]])
        #expect(service.stub.log.count == 1)
    }

    @Test func `The server's validation errors and the model's have the same fields`() async throws {
        let service = try makeService(.json(#"{"errors": {"title": ["is taken"]}}"#, status: 422))
        let event = Event(in: service.main)
        event.title = "A"
        #expect(await failure { try await event.create() }?.fields == ["title": ["is taken"]])
        #expect(APIError.noAPI.fields.isEmpty)
    }

    @Model("/dates") final class Appointment {
        var identifier: Int?
        var title = ""
        @Attribute(access: .readOnly) var slug: String?
        @Attribute(access: .readOnly) var code: String?

        func validate() throws(ValidationError) { try check(\.title, !title.isEmpty, "can't be blank") }
    }

    @Test func `Refused edits are reported together with validation errors`() async throws {
        let service = try Service([Appointment.self], stub: StubTransport { _ in .status(204) })
        let date = try await service.imported(Appointment.self, #"{"id": 1, "title": "A", "slug": "a", "code": "b"}"#)
        (date.title, date.slug, date.code) = ("", "mine", "mine")
        let error = await failure { try await date.save() }
        guard case .store(.several(let errors))? = error, errors.count == 3 else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.fields == ["title": ["can't be blank"]] && date.slug == "a" && service.stub.log.isEmpty)
        date.title = "B"
        try await date.save()
        #expect(service.stub.log == [#"PATCH /dates/1 {"title":"B"}"#])
    }

    @Model("/parties") final class Party {
        var identifier: Int?
        @Relationship(inverse: nil, sentAs: .nested) var guests: [Guest]
    }

    @Test func `A known object that is sent within another is validated`() async throws {
        let service = try Service(
            [Event.self, Guest.self, Place.self, Party.self], stub: StubTransport { _ in .status(204) })
        let party = try await service.imported(
            Party.self, #"{"id": 1, "guests": [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}]}"#)
        party.guests[0].name = "?"
        party.guests.reverse()
        #expect(await failure { try await party.save() }?.fields == ["name": ["is nobody's"]])
        #expect(service.stub.log.isEmpty)
    }
}
