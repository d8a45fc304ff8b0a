import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Notes about a row's properties, its unsent changes and which properties are known, where a step in code sets them.
@MainActor
@Suite struct CustomStepNoteTests {
    enum First {
        @Model final class User {
            var identifier: Int?
            var fullName = ""
            var name: String?
            var boss: User?
        }
    }

    enum Renamed {
        @Model final class User {
            var identifier: Int?
            var name: String?
            @Attribute(renamedFrom: "name") var title: String?
            var boss: User?
        }
    }

    enum Flat {
        @Model final class User {
            var identifier: Int?
            var fullName = ""
            var name: String?
            var boss: String?
        }
    }

    enum Converted {
        @Model final class User {
            var identifier: Int?
            var fullName = ""
            var name: Int?
            var boss: User?
        }
    }

    private func file(_ edit: (First.User) throws -> Void) async throws -> MigratedFile {
        let file = try MigratedFile()
        try await file.open([First.User.self]) { store in
            try await store.main.take(
                First.User.self,
                #"""
                [{"id": 1, "full_name": "Ada Lovelace", "name": "7", "boss": {"id": 2}}, {"id": 2}, {"id": 3, "name": null}]
                """#)
            try edit(try #require(try store.main.find(First.User.self, 1)))
            try await store.main.save()
        }
        return file
    }

    @Test func `A value that a custom step sets is a pending edit of the new property`() async throws {
        let file = try await file { $0.fullName = "Ada King" }
        let step = Migration("names").rows(of: Renamed.User.self, replacing: "fullName") { old, new in
            new.name = old["fullName", as: String.self]
        }
        try await file.open([Renamed.User.self], [step]) { store in
            let ada = try #require(try store.main.find(Renamed.User.self, 1))
            #expect((ada.name, ada.title) == ("Ada King", "7"))
            #expect(ada.unsentProperties == ["name"])
        }
    }

    @Test func `A value that a custom step makes of an edited link is a pending edit`() async throws {
        let file = try await file { $0.boss = nil }
        let step = Migration("flat").rows(of: Flat.User.self, replacing: "boss") { old, new in
            new.boss = old["boss", as: Int.self].map { "\($0)" } ?? "nobody"
        }
        try await file.open([Flat.User.self], [step]) { store in
            let ada = try #require(try store.main.find(Flat.User.self, 1))
            #expect(ada.boss == "nobody")
            #expect(ada.unsentProperties == ["boss"])
        }
    }

    @Test func `A pending edit that a custom step converts keeps the server's value as its base`() async throws {
        let file = try await file { $0.name = "8" }
        let step = Migration("numbers").rows(of: Converted.User.self, replacing: "name") { old, new in
            new.name = old["name", as: String.self].flatMap { Int($0) }
        }
        try await file.open([Converted.User.self], [step]) { store in
            let ada = try #require(try store.main.find(Converted.User.self, 1))
            #expect(ada.name == 8)
            #expect(ada.unsentProperties == ["name"])
            ada.name = 7
            try await store.main.save()
            #expect(ada.unsentProperties == [])
        }
    }

    enum Split {
        @Model final class User {
            var identifier: Int?
            var firstName = ""
            var name: String?
            var boss: User?
        }
    }

    @Test func `A value that a custom step makes of a server's value isn't new to the server`() async throws {
        let file = try await file { _ in }
        let step = Migration("split").rows(of: Split.User.self, replacing: "fullName") { old, new in
            new.firstName = String((old["fullName", as: String.self] ?? "").prefix { $0 != " " })
        }
        try await file.open([Split.User.self], [step]) { store in
            let unloaded = try (1...3).map { id in
                let state = try #require(try store.main.find(Split.User.self, id))._object
                return state.unloadedProperties.map { state.model[$0].name }.sorted()
            }
            #expect(unloaded == [[], ["boss", "firstName", "name"], ["boss", "firstName"]])
        }
    }
}
