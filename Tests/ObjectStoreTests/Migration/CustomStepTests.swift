import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Steps of a migration in code.
@MainActor
@Suite struct CustomStepTests {
    enum First {
        @Model final class User {
            var identifier: Int?
            var fullName = ""
        }
    }

    enum Split {
        @Model final class User {
            var identifier: Int?
            var firstName = ""
            var lastName: String?
        }
    }

    struct Refusal: Error {}

    private let split = Migration("split names").rows(of: Split.User.self, replacing: "fullName") { old, new in
        let words = (old["fullName", as: String.self] ?? "").split(separator: " ")
        new.firstName = String(words.first ?? "")
        new.lastName = words.count > 1 ? String(words[1]) : nil
    }

    private func first() async throws -> MigratedFile {
        let file = try MigratedFile()
        try await file.open([First.User.self]) { store in
            try await store.main.take(
                First.User.self, #"[{"id": 1, "full_name": "Ada Lovelace"}, {"id": 2, "full_name": "Bob"}]"#)
        }
        return file
    }

    @Test func `A custom step reads the old row and sets the new one`() async throws {
        try await first().expect(
            """
            user
              1 first_name=Ada last_name=Lovelace
              2 first_name=Bob
            """, of: [Split.User.self], [split])
    }

    @Test func `A value that a custom step makes of pending edits is pending`() async throws {
        let file = try await first()
        try await file.open([First.User.self]) { store in
            try #require(try store.main.find(First.User.self, 2)).fullName = "Bob Hope"
            try await store.main.save()
        }
        #expect(try await file.refusal([Split.User.self]).count == 1)
        try await file.expect(
            """
            user
              1 first_name=Ada last_name=Lovelace
              2 first_name=Bob last_name=Hope unsent: firstName, lastName
            """, of: [Split.User.self], [split])
    }

    @Test func `A custom step runs once per file`() async throws {
        let file = try await first()
        try await file.open([Split.User.self], [split]) { store in
            try await store.main.take(Split.User.self, #"{"id": 1, "first_name": "Augusta"}"#)
        }
        let shout = Migration("shout").rows(of: Split.User.self) { _, new in new.firstName = new.firstName.uppercased()
        }
        try await file.expect(
            """
            user
              1 first_name=AUGUSTA last_name=Lovelace
              2 first_name=BOB
            """, of: [Split.User.self], [split, shout])
    }

    enum Aside {
        @Model final class Note { var identifier: Int? }
    }

    /// As a part of an app does that needs fewer of the models, and opens the file first.
    @Test func `A custom step waits until its model is among the store's`() async throws {
        let file = try await first()
        try await file.open([Aside.Note.self], [split])
        let before = try file.contents()
        try await file.open([Aside.Note.self], [split])
        #expect(try file.contents() == before)
        try await file.expect(
            """
            user
              1 first_name=Ada last_name=Lovelace
              2 first_name=Bob
            """, of: [Split.User.self], [split])
        try await file.open([Split.User.self, Aside.Note.self], [split])
    }

    @Test func `A custom step of two models is refused if only one is among the store's`() async throws {
        let file = try await first()
        let both = split.rows(of: Aside.Note.self) { _, _ in throw Refusal() }
        #expect(
            try await file.refusal([Aside.Note.self], [both]) == [
                "the migration \"split names\" is of User too, which is not among the store's models: open the file with it, "
                    + "or make two migrations"
            ])
        try await MigratedFile().open([Aside.Note.self], [both])
    }

    @Test func `A new file counts as having run every custom step`() async throws {
        let file = try MigratedFile()
        let fail = Migration("fail").rows(of: Split.User.self) { _, _ in throw Refusal() }
        try await file.open([Split.User.self], [fail]) { try await $0.main.take(Split.User.self, #"{"id": 1}"#) }
        try await file.open([Split.User.self], [fail])
    }

    @Test func `An error in a custom step leaves the old store`() async throws {
        let file = try await first()
        let before = try file.contents()
        let fail = Migration("split names").rows(of: Split.User.self) { old, _ in
            if old["identifier"] == .integer(2) { throw Refusal() }
        }
        for _ in 0..<2 {
            await #expect {
                try await file.open([Split.User.self], [fail])
            } throws: { error in
                guard case .file(.migrationFailed("split names", "Refusal()"), path: _)? = error as? StoreError else {
                    return false
                }
                return true
            }
        }
        #expect(try file.contents() == before)
        try await file.open([First.User.self]) { store in
            let users = try store.main.query(First.User.self).fetch()
            #expect(users.map(\.fullName) == ["Ada Lovelace", "Bob"])
        }
    }

    @Test func `A custom step of a submodel is refused with advice to name the parent`() async throws {
        let file = try MigratedFile()
        let step = Migration("sizes").rows(of: PushEvent.self) { _, _ in throw Refusal() }
        let error = await failure { try await file.open(Activity.models, [step]) }
        let problem =
            "the migration \"sizes\" is of PushEvent, whose rows are Event's: write it with `rows(of: Event.self)`"
        #expect(error == "\(StoreError.models([problem]))")
    }

    enum Counted {
        @Model("/events", discriminator: "type")
        class Event {
            var identifier: Int?
            var type = ""
        }
        @Model("/pushes", inherits: Event.self) final class PushEvent: Event {
            var commits = 0
        }
        @Model("/forks", inherits: Event.self) final class ForkEvent: Event {
            var name = ""
        }
        static let models: [any Model.Type] = [Event.self, ForkEvent.self, PushEvent.self]
    }

    enum Told {
        @Model("/events", discriminator: "type")
        class Event {
            var identifier: Int?
            var type = ""
        }
        @Model("/pushes", inherits: Event.self) final class PushEvent: Event {
            var size = ""
            var note: String?
        }
        @Model("/forks", inherits: Event.self) final class ForkEvent: Event {
            var name = ""
        }
        static let models: [any Model.Type] = [Event.self, PushEvent.self, ForkEvent.self]
    }

    @Test func `A custom step sets an attribute that a submodel declares`() async throws {
        let file = try MigratedFile()
        try await file.open(Counted.models) { store in
            try await store.main.take(
                Counted.Event.self,
                #"""
                [{"id": 1, "type": "PushEvent", "commits": 3}, {"id": 2, "type": "ForkEvent", "name": "x"},
                 {"id": 3, "type": "PushEvent", "commits": 1}]
                """#)
            try #require(try store.main.find(Counted.PushEvent.self, 3)).commits = 9
            try await store.main.save()
        }
        let step = Migration("sizes").rows(of: Told.Event.self, replacing: "commits") { old, new in
            guard new.type == "PushEvent", new[Told.PushEvent.self, \.size].isEmpty else { return }
            new[Told.PushEvent.self, \.size] = "\(old["commits", as: Int.self] ?? 0) commits"
        }
        try await file.open(Told.models, [step]) { store in
            let pushes = try store.main.query(Told.PushEvent.self).order { $0.identifier }.fetch()
            #expect(pushes.map(\.size) == ["3 commits", "9 commits"])
            #expect(pushes.map(\.unsentProperties) == [[], ["size"]])
            let fork = try #require(try store.main.find(Told.ForkEvent.self, 2))
            #expect(fork.name == "x" && fork.unsentProperties == [])
        }
    }

    @Test func `Two custom steps of one name are refused`() async throws {
        let file = try await first()
        let error = await failure { try await file.open([Split.User.self], [split, split]) }
        let problem = "two migrations are called \"split names\"; a file remembers each by its name"
        #expect(error == "\(StoreError.models([problem]))")
    }
}
