import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@Model
private final class Contact {
    var identifier: Int?
    var fullName = ""
    var age: Int?
    var home: Home?
}

@Model(embedded: true)
private final class Home {
    var label = ""
}

@Model
private final class ContactCard {
    var identifier: Int?
    @Relationship(inverse: nil) var contact: Contact?
}

extension Contact: ImportReading {
    nonisolated static func read(_ json: JSONValue, into values: inout ImportedValues<Contact>) {
        let names = [json["first"]?.string, json["last"]?.string].compactMap { $0 }
        if !names.isEmpty { values.set(\.fullName, to: names.joined(separator: " ")) }
        if json["age"]?.string == "unknown" { values.set(\.age, to: nil) }
        if let identifier = json["ref"]?.string?.split(separator: "-").last.flatMap({ Int($0) }) {
            values.set(\.identifier, to: identifier)
        }
    }
}

@Model("/members")
private final class Member {
    var identifier: Int?
    var fullName = ""
    var age: Int?
}

extension Member: ImportReading {
    nonisolated static func read(_ json: JSONValue, into values: inout ImportedValues<Member>) {
        if let name = json["first"]?.string { values.set(\.fullName, to: name) }
        if let number = json["number"]?.integer { values.set(\.identifier, to: number) }
    }
}

extension Home: ImportReading {
    nonisolated static func read(_ json: JSONValue, into values: inout ImportedValues<Home>) {
        if let city = json["city"]?.string { values.set(\.label, to: "in \(city)") }
    }
}

/// Models with code of their own for reading JSON.
@MainActor @Suite struct ImportReadingTests {
    private static func context() throws -> ObjectContext {
        try Store(.temporary, models: [Contact.self, Home.self]).main
    }

    private static func contacts(_ json: String, in context: ObjectContext) async throws -> [Contact] {
        try await context.import(Contact.self, from: Data(json.utf8)).objects
    }

    @Test func `A model's own code reads an object's whole JSON`() async throws {
        let context = try Self.context()
        let contacts = try await Self.contacts(
            #"[{"id": 1, "first": "Ada", "last": "Lovelace", "age": 36}, {"id": 2, "full_name": "Eve", "age": "unknown"}]"#,
            in: context)
        #expect(contacts.map(\.fullName) == ["Ada Lovelace", "Eve"] && contacts.map(\.age) == [36, nil])
    }

    @Test(arguments: [
        (#""age": "unknown""#, 0), (#""full_name": {"family": "L"}, "first": "Ada""#, 0),
        (#""age": "old""#, 1), (#""full_name": {"family": "L"}"#, 1),
    ])
    func `A value of the wrong type is reported unless the model's own code reads it`(
        _ members: String, _ count: Int
    ) async throws {
        let body = Data("[{\"id\": 1, \(members)}]".utf8)
        let report = try await Self.context().import(Contact.self, from: body).report
        #expect(report.mismatchedCount == count && report.mismatched.count == count)
    }

    @Test func `A model's own reading code can provide the identity`() async throws {
        let context = try Self.context()
        let first = try await Self.contacts(#"[{"ref": "c-7", "first": "Ada"}]"#, in: context)
        let again = try await Self.contacts(#"[{"ref": "c-7", "first": "Eve"}]"#, in: context)
        #expect(first[0] === again[0] && first[0].identifier == 7 && first[0].fullName == "Eve")
    }

    @Test func `A model's own reading code provides the identity below the depth of an import`() async throws {
        let context = try Store(.temporary, models: [ContactCard.self, Contact.self, Home.self]).main
        let body = Data(#"{"id": 1, "contact": {"ref": "c-7", "first": "Ada"}}"#.utf8)
        let imported = try await context.import(ContactCard.self, from: body, depth: 0)
        #expect(imported.report.isComplete && imported.report.pendingLinks == 1)
        let contacts = try await Self.contacts(#"[{"ref": "c-7", "first": "Eve"}]"#, in: context)
        #expect(imported.objects[0].contact === contacts[0])
    }

    @Test func `A PUT has a value of the model's own reading code whose key is null`() async throws {
        let service = try Service([Member.self], saveMethod: .put, stub: StubTransport { _ in .status(204) })
        let member = try await service.imported(Member.self, #"{"id": 1, "full_name": null, "first": "Ada"}"#)
        member.age = 36
        try await member.save()
        #expect(service.stub.log == [#"PUT /members/1 {"id":1,"full_name":"Ada","age":36}"#])
    }

    @Test func `The reply to a creation may name the object to the model's own reading code alone`() async throws {
        let service = try Service(
            [Member.self], stub: StubTransport { _ in .json(#"{"number": 7, "first": "Ada"}"#) })
        let member = Member(in: service.main)
        member.fullName = "Ada"
        try await member.create()
        #expect(member.identifier == 7)
    }

    @Test func `A model's own reading code works for embedded objects`() async throws {
        let context = try Self.context()
        let contacts = try await Self.contacts(#"[{"id": 1, "home": {"city": "Bonn"}}]"#, in: context)
        #expect(contacts[0].home?.label == "in Bonn")
    }

    @Test func `An unsaved edit survives an import by the model's own code`() async throws {
        let context = try Self.context()
        let contact = try await Self.contacts(#"[{"id": 1, "first": "Ada"}]"#, in: context)[0]
        contact.fullName = "Mine"
        _ = try await Self.contacts(#"[{"id": 1, "first": "Eve"}]"#, in: context)
        #expect(contact.fullName == "Mine")
    }
}
