import Foundation
import ObjectStore
import RestfulData
import Testing

/// The kinds of identities, and that each spelling of one value is one object.
@MainActor @Suite struct IdentityKindTests {
    enum Kinds {
        @Model final class Whole { var identifier: Int? }
        @Model final class Unsigned { var identifier: UInt64? }
        @Model final class Named { var identifier: String? }
        @Model final class Universal { var identifier: UUID? }
        @Model(identity: "url") final class Located { @Attribute("url") var url: URL? }
        @Model(identity: "day") final class Daily { var day: Date? }
        @Model(identity: "size") final class Sized {
            enum Size: String { case small, large }
            var size: Size?
        }
        @Model(identity: "host", "port") final class Socket {
            var host: String?
            var port: Int?
            var isOpen = false
        }
    }

    /// Imports each spelling on its own, and returns the number of rows.
    private func rows<M: Model>(_ type: M.Type, _ bodies: [String]) async throws -> Int {
        let store = try Store(of: [type])
        var objects: [M] = []
        for body in bodies { objects += try await store.main.take(type, body).objects }
        let all = try store.main.query(type).fetch()
        #expect(objects.count == bodies.count)
        #expect(objects.allSatisfy { object in all.contains { $0 === object } })
        return all.count
    }

    @Test(arguments: [
        ([#"{"id": 7}"#, #"{"id": "7"}"#, #"{"id": 7.0}"#, #"{"id": 7e0}"#], 1),
        ([#"{"id": 9007199254740993}"#, #"{"id": "9007199254740993"}"#, #"{"id": 9007199254740992}"#], 2),
        ([#"{"id": 0}"#, #"{"id": -1}"#, #"{"id": -9223372036854775808}"#], 3),
    ])
    func `A whole number, as a number and as text, is one identity`(bodies: [String], count: Int) async throws {
        #expect(try await rows(Kinds.Whole.self, bodies) == count)
    }

    @Test func `The greatest unsigned number can be an identity`() async throws {
        let bodies = [#"{"id": 18446744073709551615}"#, #"{"id": "18446744073709551615"}"#, #"{"id": 1}"#]
        #expect(try await rows(Kinds.Unsigned.self, bodies) == 2)
        let store = try Store(of: [Kinds.Unsigned.self])
        let object = try await store.main.take(Kinds.Unsigned.self, bodies[0]).objects[0]
        #expect(try store.main.find(Kinds.Unsigned.self, UInt64.max) === object)
    }

    @Test func `Text and the number that it spells are one identity, and letter case makes two`() async throws {
        #expect(try await rows(Kinds.Named.self, [#"{"id": "42"}"#, #"{"id": 42}"#]) == 1)
        #expect(try await rows(Kinds.Named.self, [#"{"id": "a"}"#, #"{"id": "A"}"#, #"{"id": "ä\u0000"}"#]) == 3)
    }

    @Test func `A UUID is one identity in any letter case`() async throws {
        let text = "a1b2c3d4-0000-4000-8000-00000000abcd"
        let bodies = [#"{"id": "\#(text)"}"#, #"{"id": "\#(text.uppercased())"}"#]
        #expect(try await rows(Kinds.Universal.self, bodies) == 1)
        let store = try Store(of: [Kinds.Universal.self])
        let object = try await store.main.take(Kinds.Universal.self, bodies[0]).objects[0]
        #expect(try store.main.find(Kinds.Universal.self, try #require(UUID(uuidString: text))) === object)
    }

    @Test func `A URL can be the only identity`() async throws {
        let bodies = [#"{"url": "https://x.test/a?b=c"}"#, #"{"url": "https:\/\/x.test\/a?b=c"}"#]
        #expect(try await rows(Kinds.Located.self, bodies) == 1)
        let store = try Store(of: [Kinds.Located.self])
        let object = try await store.main.take(Kinds.Located.self, bodies[0]).objects[0]
        #expect(try store.main.find(Kinds.Located.self, try #require(URL(string: "https://x.test/a?b=c"))) === object)
    }

    @Test func `A date is one identity however it is written`() async throws {
        let bodies = [
            #"{"day": "2014-01-02"}"#, #"{"day": "2014-01-02T02:00:00+02:00"}"#, #"{"day": 1388620800}"#,
            #"{"day": "2014-01-03"}"#,
        ]
        #expect(try await rows(Kinds.Daily.self, bodies) == 2)
    }

    @Test func `An enum is an identity, also with unknown cases`() async throws {
        let bodies = [#"{"size": "small"}"#, #"{"size": "huge"}"#, #"{"size": "small"}"#, #"{"size": "huge"}"#]
        #expect(try await rows(Kinds.Sized.self, bodies) == 2)
        let store = try Store(of: [Kinds.Sized.self])
        let object = try await store.main.take(Kinds.Sized.self, bodies[0]).objects[0]
        #expect(try store.main.find(Kinds.Sized.self, Kinds.Sized.Size.small.rawValue) === object)
    }

    @Test func `Several attributes are one identity together`() async throws {
        let bodies = [
            #"{"host": "a", "port": 80}"#, #"{"host": "a", "port": "80", "is_open": true}"#,
            #"{"host": "b", "port": 80}"#,
            #"{"host": "a", "port": 81}"#,
        ]
        #expect(try await rows(Kinds.Socket.self, bodies) == 3)
        let store = try Store(of: [Kinds.Socket.self])
        let socket = try await store.main.take(Kinds.Socket.self, bodies[1]).objects[0]
        #expect(try store.main.find(Kinds.Socket.self, "a", 80) === socket && socket.isOpen)
        #expect(try store.main.find(Kinds.Socket.self, "a", 82) == nil)
    }

    @Test(arguments: [#"{"host": "a"}"#, #"{"host": "a", "port": null}"#, #"{"host": "a", "port": "http"}"#])
    func `An incomplete identity is rejected, and its missing part is named`(body: String) async throws {
        let store = try Store(of: [Kinds.Socket.self])
        let report = try await store.main.take(Kinds.Socket.self, body).report
        #expect(report.rejected.map(\.reason) == [.noIdentity(missing: "port")] && report.inserted == 0)
    }

    // MARK: Partial identities

    @Test func `Equal numbers in two projects are two tickets, found by project and number`() async throws {
        let store = try Store(of: [Project.self, Ticket.self])
        let projects = try await store.main.take(
            Project.self,
            #"[{"id": 1, "tickets": [{"number": 5, "title": "a"}]}, {"id": 2, "tickets": [{"number": 5, "title": "b"}]}]"#
        ).objects
        #expect(try store.main.find(Ticket.self, projects[0], 5)?.title == "a")
        #expect(try store.main.find(Ticket.self, projects[1], 5)?.title == "b")
        #expect(try store.main.find(Ticket.self, projects[1], "5") === projects[1].tickets[0])
        #expect(try store.main.find(Ticket.self, projects[1], 6) == nil)
    }

    // MARK: Lookups

    @Test func `A lookup with a wrong number of identity parts throws and says how many it needs`() async throws {
        let store = try Store(of: [Project.self, Ticket.self])
        #expect {
            _ = try store.main.find(Ticket.self, 5)
        } throws: { error in
            "\(error)" == "Ticket is found by project and number: 2 values, where 1 was given."
        }
        #expect {
            _ = try store.main.find(Project.self, 1, 2)
        } throws: { error in
            "\(error)" == "Project is found by identifier: 1 value, where 2 were given."
        }
    }

    @Test func `A lookup finds unsaved new objects`() async throws {
        let store = try Store(of: [Project.self, Ticket.self])
        let project = Project(in: store.main)
        project.identifier = 3
        #expect(try store.main.find(Project.self, 3) === project)
        let ticket = Ticket(in: store.main)
        ticket.project = project
        ticket.number = 1
        #expect(try store.main.find(Ticket.self, project, 1) === ticket)
        store.main.delete(ticket)
        #expect(try store.main.find(Ticket.self, project, 1) == nil)
        try await store.main.save()
        #expect(try store.main.find(Project.self, 3) === project)
    }
}
