import ObjectStore
import RestfulData
import Testing

/// `validate()` is asked before anything is written.
@MainActor
@Suite struct ValidationTests {
    static let models: [any Model.Type] = [
        Meeting.self, Proviso.self, Paper.self, SignedPaper.self, PlainPaper.self, Vehicle.self, Truck.self,
    ]

    private func errors(_ body: () async throws -> Void) async throws -> [ValidationError] {
        do {
            try await body()
            return []
        } catch StoreError.validation(let errors) {
            return errors
        }
    }

    @Test func `A save throws all validation errors, writes nothing and keeps the edits`() async throws {
        let store = try Store(of: Self.models)
        let (first, second, third) = (Meeting(in: store.main), Meeting(in: store.main), Meeting(in: store.main))
        (first.identifier, first.seats) = (1, 0)
        (second.identifier, second.title) = (2, "Good")
        (third.identifier, third.title, third.start, third.end) = (3, "Late", 5, 4)
        let errors = try await errors { try await store.main.save() }
        #expect(errors.map(\.model) == ["Meeting", "Meeting"])
        #expect(errors.map(\.identity) == [["identifier": "1"], ["identifier": "3"]])
        #expect(errors.map(\.fields) == [["title": ["can't be blank"], "seats": ["must be positive"]], [:]])
        #expect(errors.map(\.objectErrors) == [[], ["can't end before it starts"]])
        #expect(try Database(store.path).value("SELECT count(*) FROM meeting") == "0")
        #expect(first.hasChanges && second.hasChanges && third.title == "Late")
        (first.title, first.seats, third.end) = ("Mended", 1, 6)
        try await store.main.save()
        #expect(try Database(store.path).value("SELECT count(*) FROM meeting") == "3")
    }

    @Test func `A validation error is described in words`() async throws {
        let store = try Store(of: Self.models)
        let meeting = Meeting(in: store.main)
        (meeting.identifier, meeting.seats) = (1, 0)
        let said = await failure { try await store.main.save() }
        #expect(
            said == "Nothing was written or sent: new Meeting 1: seats must be positive; title can't be blank")
    }

    @Test func `Imported and deleted objects aren't validated`() async throws {
        let store = try Store(of: Self.models)
        let meeting = try #require(try await store.main.take(Meeting.self, #"{"id": 1, "title": ""}"#).objects.first)
        #expect(meeting.title == "")
        store.main.delete(meeting)
        try await store.main.save()
        #expect(try store.main.query(Meeting.self).count() == 0)
    }

    @Test func `An edit that makes a valid object invalid is refused`() async throws {
        let store = try Store(of: Self.models)
        let meeting = try #require(try await store.main.take(Meeting.self, #"{"id": 1, "title": "a"}"#).objects.first)
        meeting.title = ""
        let errors = try await errors { try await store.main.save() }
        #expect(errors.first?.fields == ["title": ["can't be blank"]] && meeting.title == "")
        #expect(try Database(store.path).value("SELECT title FROM meeting") == "a")
        meeting.rollback(\.title)
        try await store.main.save()
    }

    @Test func `A background context with an invalid object throws`() async throws {
        let store = try Store(of: Self.models)
        let errors = try await errors { try await store.background { context in _ = Meeting(in: context) } }
        #expect(errors.count == 1)
    }

    @Test func `Embedded objects are validated as well`() async throws {
        let store = try Store(of: Self.models)
        let meeting = Meeting(in: store.main)
        meeting.title = "a"
        meeting.provisos = [Proviso(in: store.main)]
        let errors = try await errors { try await store.main.save() }
        #expect(errors.map(\.model) == ["Proviso"] && errors.first?.fields == ["text": ["can't be blank"]])
    }

    @Test func `A submodel validates by its own rules, which can override its parent's`() async throws {
        let store = try Store(of: Self.models)
        let signed = SignedPaper(in: store.main)
        let plain = PlainPaper(in: store.main)
        let paper = Paper(in: store.main)
        _ = (plain, paper)
        let truck = Truck(in: store.main)
        let errors = try await errors { try await store.main.save() }
        let blank = ["name": ["can't be blank"]]
        let missing = ["name": ["can't be blank"], "signature": ["is missing"]]
        #expect(errors.map(\.fields) == [missing, blank, blank, ["load": ["is too much"], "wheels": ["are missing"]]])
        _ = (signed, truck)
    }
}

@Model
final class Meeting {
    var identifier: Int?
    var title = ""
    var seats = 1
    var start = 0
    var end = 0
    @Relationship(inverse: nil) var provisos: [Proviso]

    func validate() throws(ValidationError) {
        try checkAll { check in
            check(\.title, !title.isEmpty, "can't be blank")
            check(\.seats, seats > 0, "must be positive")
            check(start <= end, "can't end before it starts")
        }
    }
}

@Model(embedded: true)
final class Proviso {
    var text = ""

    func validate() throws(ValidationError) { try check(\.text, !text.isEmpty, "can't be blank") }
}

@Model(discriminator: "kind")
class Paper {
    var identifier: Int?
    var kind = ""
    var name = ""

    func validate() throws(ValidationError) { try check(\.name, !name.isEmpty, "can't be blank") }
}

@Model(inherits: Paper.self)
final class SignedPaper: Paper {
    var signature: String?

    override func validate() throws(ValidationError) {
        try checkAll { check in
            check(\.name, !name.isEmpty, "can't be blank")
            check(\.signature, signature != nil, "is missing")
        }
    }
}

@Model(inherits: Paper.self)
final class PlainPaper: Paper {
    var format = ""
}

/// Free of rules itself.
@Model(discriminator: "kind")
class Vehicle {
    var identifier: Int?
    var kind = ""
    var wheels = 0
}

@Model(inherits: Vehicle.self)
final class Truck: Vehicle {
    var load = 10

    func validate() throws(ValidationError) {
        try checkAll { check in
            check(\.wheels, wheels > 0, "are missing")
            check(\.load, load < 5, "is too much")
        }
    }
}
