import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// An attribute or a link that the server has never sent has its default locally, which is not the server's value. A
/// PUT, which sends a whole object, leaves it out. Values that the server has sent are included, nil too.
@MainActor @Suite struct UnloadedAttributeTests {
    @Model("/houses") final class House {
        var identifier: Int?
        var name = ""
        var floors = 1
        var note: String?
        var isSold = false
        @Attribute("plot.area") var area: Double?
        @Attribute(access: .writeOnly) var code = "none"
        var owner: Person?
        @Relationship(inverse: nil) var keepers: [Person]
        var address: Place?
    }

    @Model("/people") final class Person {
        var identifier: Int?
        var name = ""
        var age = 0
    }

    @Model(embedded: true) final class Place {
        var street = ""
        var number = 1
        var town: String?
        @Relationship(inverse: nil) var mayor: Person?
    }

    private static let models: [any Model.Type] = [House.self, Person.self, Place.self]

    private func service(
        _ saveMethod: API.SaveMethod = .put, at location: Store.Location = .temporary,
        _ reply: StubTransport.Reply = .status(204)
    ) throws -> Service {
        try Service(Self.models, saveMethod: saveMethod, location: location, stub: StubTransport { _ in reply })
    }

    /// The PUT of a house after the import of these bodies, one after the other, and a change of its name.
    private func sent(_ bodies: String...) async throws -> String? {
        let service = try service()
        var house: House?
        for body in bodies { house = try await service.imported(House.self, body) }
        house?.name = "B"
        try await house?.save()
        #expect(house?.unsentProperties == [])
        return service.stub.log.last
    }

    // MARK: Local deletions

    @Test(arguments: [false, true]) func `A PUT omits a link to an object that was deleted locally only`(
        isRestarted: Bool
    ) async throws {
        let file = try TemporaryFile()
        var service = try service(at: .file(file.path))
        let body = #"{"id": 8, "floors": 2, "owner": {"id": 5}}"#
        var house = try await service.imported(House.self, body)
        service.main.delete(try #require(house.owner))
        try await service.main.save()
        #expect(house.owner == nil && house.unsentProperties == [])
        if isRestarted {
            service = try self.service(at: .file(file.path))
            house = try #require(try service.main.find(House.self, 8))
        }
        house.name = "B"
        try await house.save()
        #expect(service.stub.log == [#"PUT /houses/8 {"id":8,"name":"B","floors":2}"#])
        house = try await service.imported(House.self, body)
        house.name = "C"
        try await house.save()
        #expect(service.stub.log.last == #"PUT /houses/8 {"id":8,"name":"C","floors":2,"owner_id":5}"#)
    }

    // MARK: Values of the server

    @Test func `A PUT has the values that the server has sent and no others`() async throws {
        #expect(try await sent(#"{"id": 8}"#) == #"PUT /houses/8 {"id":8,"name":"B"}"#)
        #expect(
            try await sent(#"{"id": 8, "floors": 1, "is_sold": false}"#)
                == #"PUT /houses/8 {"id":8,"name":"B","floors":1,"is_sold":false}"#)
        #expect(
            try await sent(#"{"id": 8, "note": null, "owner": null, "keepers": []}"#)
                == #"PUT /houses/8 {"id":8,"name":"B","note":null,"owner_id":null}"#)
        #expect(
            try await sent(#"{"id": 8, "floors": 3}"#, #"{"id": 8, "note": "x"}"#)
                == #"PUT /houses/8 {"id":8,"name":"B","floors":3,"note":"x"}"#)
    }

    /// The local value is the default, which may not be the server's.
    @Test func `A null for a required attribute is left out of a PUT`() async throws {
        #expect(try await sent(#"{"id": 8, "floors": null}"#) == #"PUT /houses/8 {"id":8,"name":"B"}"#)
        #expect(
            try await sent(#"{"id": 8, "floors": 3}"#, #"{"id": 8, "floors": null}"#)
                == #"PUT /houses/8 {"id":8,"name":"B"}"#)
        #expect(
            try await sent(#"{"id": 8, "floors": 1}"#, #"{"id": 8, "floors": null}"#)
                == #"PUT /houses/8 {"id":8,"name":"B"}"#)
        #expect(
            try await sent(#"{"id": 8, "floors": null}"#, #"{"id": 8, "floors": 1}"#)
                == #"PUT /houses/8 {"id":8,"name":"B","floors":1}"#)
    }

    /// The server's value differs from the stored one, and is unknown.
    @Test(arguments: [#""floors": "many""#, #""floors": {}"#, #""floors": [3]"#, #""floors": 1.5"#])
    func `A PUT omits an attribute whose last value couldn't be read`(_ value: String) async throws {
        #expect(
            try await sent(#"{"id": 8, "floors": 3, "note": "x"}"#, "{\"id\": 8, \(value)}")
                == #"PUT /houses/8 {"id":8,"name":"B","note":"x"}"#)
        #expect(
            try await sent(#"{"id": 8, "floors": 3}"#, "{\"id\": 8, \(value)}", #"{"id": 8, "floors": 4}"#)
                == #"PUT /houses/8 {"id":8,"name":"B","floors":4}"#)
    }

    @Test(arguments: [#""owner": true"#, #""owner_id": "x""#, #""owner": [5]"#])
    func `A PUT omits a link whose last value couldn't be read`(_ value: String) async throws {
        #expect(
            try await sent(#"{"id": 8, "owner": null}"#, "{\"id\": 8, \(value)}")
                == #"PUT /houses/8 {"id":8,"name":"B"}"#)
        #expect(
            try await sent(#"{"id": 8, "owner": null}"#, #"{"id": 8, "owner_id": "x", "owner": {"id": 6}}"#)
                == #"PUT /houses/8 {"id":8,"name":"B","owner_id":6}"#)
    }

    @Test func `A PUT of a model without links omits unreadable values and sends edits`() async throws {
        let service = try service()
        let person = try await service.imported(Person.self, #"{"id": 1, "age": 3}"#)
        _ = try await service.imported(Person.self, #"{"id": 1, "age": "old"}"#)
        #expect(person.age == 3)
        person.name = "B"
        try await person.save()
        person.age = 3
        person.name = "C"
        try await person.save()
        person.age = 4
        _ = try await service.imported(Person.self, #"{"id": 1, "age": "old"}"#)
        try await person.save()
        #expect(
            service.stub.log == [
                #"PUT /people/1 {"id":1,"name":"B"}"#, #"PUT /people/1 {"id":1,"name":"C"}"#,
                #"PUT /people/1 {"id":1,"name":"C","age":4}"#,
            ])
    }

    @Test func `A PUT omits a nested key whose parent is null`() async throws {
        #expect(try await sent(#"{"id": 8, "plot": null}"#) == #"PUT /houses/8 {"id":8,"name":"B"}"#)
        #expect(
            try await sent(#"{"id": 8, "plot": {"area": 2.5}}"#)
                == #"PUT /houses/8 {"id":8,"name":"B","plot":{"area":2.5}}"#)
    }

    @Test func `Which values the server has sent is known after a restart`() async throws {
        let file = try TemporaryFile()
        do {
            let service = try service(at: .file(file.path))
            _ = try await service.imported(House.self, #"{"id": 8, "name": "A", "is_sold": false}"#)
            let report = try await service.main.importReporting(
                House.self, from: Data(#"{"id": 8, "name": "A", "is_sold": false}"#.utf8))
            #expect(report.unchanged == 1 && report.updated == 0)
            service.store.close()
        }
        let service = try service(at: .file(file.path))
        try await service.store.background { context in
            let house = try context.find(House.self, 8)
            house?.name = "B"
            try await house?.save()
        }
        #expect(service.stub.log == [#"PUT /houses/8 {"id":8,"name":"B","is_sold":false}"#])
    }

    // MARK: Local values

    @Test func `A PUT has edited values, also after they were acknowledged`() async throws {
        let service = try service()
        let house = try await service.imported(House.self, #"{"id": 8}"#)
        house.floors = 2
        house.note = nil
        try await house.save()
        house.name = "B"
        try await service.main.save()
        try await house.save()
        #expect(
            service.stub.log == [
                #"PUT /houses/8 {"id":8,"floors":2}"#, #"PUT /houses/8 {"id":8,"name":"B","floors":2}"#,
            ])
    }

    @Test func `A PUT has pending edits after a restart`() async throws {
        let file = try TemporaryFile()
        do {
            let service = try service(at: .file(file.path))
            let house = try await service.imported(House.self, #"{"id": 8}"#)
            house.floors = 2
            try await service.main.save()
            service.store.close()
        }
        let service = try service(at: .file(file.path))
        let house = try #require(try service.main.find(House.self, 8))
        house.name = "B"
        try await house.save()
        #expect(service.stub.log == [#"PUT /houses/8 {"id":8,"name":"B","floors":2}"#])
    }

    @Test func `A PUT of a created object has the sent values and the reply's`() async throws {
        let service = try service(.put, .json(#"{"id": 8, "floors": 4}"#))
        let house = House(in: service.main)
        house.name = "A"
        house.code = "secret"
        try await house.create()
        house.isSold = true
        try await house.save()
        #expect(
            service.stub.log == [
                #"POST /houses {"name":"A","code":"secret"}"#,
                #"PUT /houses/8 {"id":8,"name":"A","floors":4,"is_sold":true}"#,
            ])
    }

    @Test func `A failed PUT acknowledges nothing`() async throws {
        let service = try service(.put, .status(500))
        let house = try await service.imported(House.self, #"{"id": 8}"#)
        house.floors = 2
        for _ in 0..<2 { _ = await failure { try await house.save() } }
        #expect(Set(service.stub.log) == [#"PUT /houses/8 {"id":8,"floors":2}"#])
    }

    @Test func `A PUT has values imported during an earlier request`() async throws {
        let held = HeldTransport()
        let store = try Store(
            .temporary, models: Self.models, api: API("https://api.example.com", saveMethod: .put, transport: held))
        let house = try await store.imported(House.self, #"{"id": 8}"#)
        house.name = "B"
        let saving = Task { try await house.save() }
        await held.wait(for: 1)
        _ = try await store.imported(House.self, #"{"id": 8, "floors": 5}"#)
        house.isSold = true
        held.answer(0, .status(204))
        try await saving.value
        let again = Task { try await house.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await again.value
        #expect(
            held.bodies == [
                #"{"id":8,"name":"B"}"#, #"{"id":8,"name":"B","floors":5,"is_sold":true}"#,
            ])
    }

    // MARK: Within other objects

    @Test func `An embedded object is sent with the server's values and the edited ones`() async throws {
        let service = try service(.patch)
        let house = try await service.imported(House.self, #"{"id": 8, "address": {"street": "a"}}"#)
        house.address?.town = "T"
        try await house.save()
        house.address?.number = 7
        try await service.main.save()
        try await house.save()
        house.address?.street = "b"
        try await house.save()
        #expect(
            service.stub.log == [
                #"PATCH /houses/8 {"address":{"street":"a","town":"T"}}"#,
                #"PATCH /houses/8 {"address":{"street":"a","number":7,"town":"T"}}"#,
                #"PATCH /houses/8 {"address":{"street":"b","number":7,"town":"T"}}"#,
            ])
    }

    @Test func `A null for an embedded required attribute is left out`() async throws {
        let service = try service(.patch)
        let house = try await service.imported(
            House.self, #"{"id": 8, "address": {"street": "a", "number": null, "town": null}}"#)
        house.address?.street = "b"
        try await house.save()
        house.address?.number = 2
        try await house.save()
        #expect(
            service.stub.log == [
                #"PATCH /houses/8 {"address":{"street":"b"}}"#,
                #"PATCH /houses/8 {"address":{"street":"b","number":2}}"#,
            ])
    }

    @Test(arguments: [false, true]) func `A value cleared in an embedded object is sent as null`(isSaved: Bool)
        async throws
    {
        let service = try service(.patch)
        let house = try await service.imported(
            House.self, #"{"id": 8, "address": {"street": "a", "town": "T", "mayor_id": 7}}"#)
        house.address?.street = "b"
        try await house.save()
        house.address?.town = nil
        house.address?.mayor = nil
        if isSaved { try await service.main.save() }
        try await house.save()
        house.address?.street = "c"
        try await house.save()
        #expect(
            service.stub.log == [
                #"PATCH /houses/8 {"address":{"street":"b","town":"T","mayor_id":7}}"#,
                #"PATCH /houses/8 {"address":{"street":"b","town":null,"mayor_id":null}}"#,
                #"PATCH /houses/8 {"address":{"street":"c"}}"#,
            ])
    }

    @Test func `A new embedded object is sent whole, also later`() async throws {
        let service = try service(.patch)
        let house = try await service.imported(House.self, #"{"id": 8}"#)
        let place = Place(in: service.main)
        place.street = "a"
        house.address = place
        try await house.save()
        place.street = "b"
        try await house.save()
        #expect(
            service.stub.log == [
                #"PATCH /houses/8 {"address":{"street":"a","number":1}}"#,
                #"PATCH /houses/8 {"address":{"street":"b","number":1}}"#,
            ])
    }

    @Model("/teams") final class Team {
        var identifier: Int?
        @Relationship(sentAs: .nested) var leader: Member?
    }

    @Model("/members") final class Member {
        var identifier: Int?
        var name = ""
        var points = 0
        var rank: Int?
    }

    @Test func `A nested object known by identity alone is sent with it alone`() async throws {
        let service = try Service([Team.self, Member.self], stub: StubTransport { _ in .status(204) })
        let team = try await service.imported(Team.self, #"{"id": 1}"#)
        team.leader = try await service.imported(Member.self, #"{"id": 2}"#)
        try await team.save()
        team.leader = try await service.imported(Member.self, #"{"id": 3, "points": 0}"#)
        try await team.save()
        #expect(
            service.stub.log == [
                #"PATCH /teams/1 {"leader":{"id":2}}"#, #"PATCH /teams/1 {"leader":{"id":3,"points":0}}"#,
            ])
    }

    @Test func `A value cleared in a nested object is sent as null`() async throws {
        let service = try Service([Team.self, Member.self], stub: StubTransport { _ in .status(204) })
        let team = try await service.imported(Team.self, #"{"id": 1}"#)
        let leader = try await service.imported(Member.self, #"{"id": 2, "name": "n", "rank": 3}"#)
        leader.rank = nil
        team.leader = leader
        try await team.save()
        #expect(service.stub.log == [#"PATCH /teams/1 {"leader":{"id":2,"name":"n","rank":null}}"#])
    }

    @Test(arguments: [false, true])
    func `A new nested object is sent whole, saved before or not`(
        _ isSaved: Bool
    ) async throws {
        let service = try Service([Team.self, Member.self], stub: StubTransport { _ in .status(204) })
        let team = try await service.imported(Team.self, #"{"id": 1}"#)
        let leader = Member(in: service.main)
        leader.name = "n"
        team.leader = leader
        if isSaved { try await service.main.save() }
        try await team.save()
        #expect(service.stub.log == [#"PATCH /teams/1 {"leader":{"name":"n","points":0}}"#])
    }

    // MARK: Two that are one

    @Test func `Values sent of an object that is unified later are known as sent`() async throws {
        let service = try service(.put, .json(#"{"id": 8}"#))
        _ = try await service.imported(House.self, #"{"id": 8, "note": "n"}"#)
        let house = House(in: service.main)
        house.floors = 6
        try await house.create()
        let one = try #require(try service.main.find(House.self, 8))
        one.name = "B"
        try await one.save()
        #expect(service.stub.log.last == #"PUT /houses/8 {"id":8,"name":"B","floors":6,"note":"n"}"#)
    }

    @Test func `Values imported during a pending edit are known as sent`() async throws {
        let service = try service()
        let house = try await service.imported(House.self, #"{"id": 8}"#)
        (house.note, house.floors) = ("x", 7)
        try await service.main.save()
        _ = try await service.imported(House.self, #"{"id": 8, "note": "y", "floors": 1}"#)
        #expect(house.note == "x" && house.floors == 7)
        (house.note, house.floors) = ("y", 1)
        try await service.main.save()
        #expect(house.unsentProperties == [])
        house.name = "B"
        try await house.save()
        #expect(service.stub.log == [#"PUT /houses/8 {"id":8,"name":"B","floors":1,"note":"y"}"#])
    }
}
