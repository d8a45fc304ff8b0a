import Foundation
import RestfulData
import TestSupport
import Testing

/// Attributes that are added, renamed, dropped, converted, and that become required.
@MainActor
@Suite struct ColumnMigrationTests {
    enum First {
        @Model final class Item {
            var identifier: Int?
            var title = ""
            var size: Int?
            var color: String?
            var isOpen = false
        }
        static let models: [any Model.Type] = [Item.self]
    }

    enum Added {
        @Model final class Item {
            var identifier: Int?
            var title = ""
            var size: Int?
            var color: String?
            var isOpen = false
            var shape = "it's round"
            var weight = -1.5
            var count: Int64 = .min
            var flag = true
            var data = Data([0, 255])
            var nothing: Double?
            var nul = "a\0b"
        }
    }

    enum Renamed {
        @Model final class Item {
            var identifier: Int?
            @Attribute(renamedFrom: "title") var name = ""
            // The names of two are exchanged.
            @Attribute(renamedFrom: "color") var tint: String?
            @Attribute(renamedFrom: "size") var length: Int?
            var isOpen = false
        }
    }

    enum Dropped {
        @Model final class Item {
            var identifier: Int?
            var title = ""
        }
    }

    enum Required {
        @Model final class Item {
            var identifier: Int?
            var title = ""
            var size = 7
            var color = "none"
            var isOpen = false
        }
    }

    enum Retyped {
        @Model final class Item {
            var identifier: String?
            var title: String?
            var size: String?
            var color: Int?
            var isOpen = 0
        }
    }

    enum Forgotten {
        @Model final class Item {
            var identifier: Int?
            var title = ""
            var size: Int?
            var color: String?
            var isOpen = false
            var shape: String?
        }
    }

    enum RenamedModel {
        @Model(renamedFrom: "Item") final class Product {
            var identifier: Int?
            var title = ""
            var size: Int?
            var color: String?
            var isOpen = false
        }
    }

    private func first() async throws -> MigratedFile {
        let file = try MigratedFile()
        try await file.open(First.models) { store in
            try await store.main.take(
                First.Item.self,
                #"[{"id": 1, "title": "a", "size": 3, "color": "1"}, {"id": 2, "title": "b", "is_open": true}]"#)
        }
        return file
    }

    @Test func `Added attributes have their defaults`() async throws {
        let file = try await first()
        try await file.open([Added.Item.self]) { store in
            let items = try store.main.query(Added.Item.self).fetch()
            #expect(items.map(\.title) == ["a", "b"] && items.map(\.size) == [3, nil])
            for item in items {
                #expect(item.shape == "it's round" && item.weight == -1.5 && item.count == .min && item.flag)
                #expect(item.data == Data([0, 255]) && item.nothing == nil && item.nul == "a\0b")
            }
        }
    }

    enum Marked {
        @Model final class Item {
            var identifier: Int?
            var title = ""
            var size: Int?
            var color: String?
            var isOpen = false
            var mark: UUID?
        }
        enum Required {
            @Model final class Item {
                var identifier: Int?
                var title = ""
                var size: Int?
                var color: String?
                var isOpen = false
                var mark = UUID()
            }
        }
        enum ByMark {
            @Model(identity: "mark") final class Item {
                var identifier: Int?
                var title = ""
                var size: Int?
                var color: String?
                var isOpen = false
                var mark = UUID()
            }
        }
    }

    @Test func `A default that differs each time is another value in each row`() async throws {
        let file = try await first()
        let added = try await file.open([Marked.Required.Item.self]) { store in
            try store.main.query(Marked.Required.Item.self).fetch().map(\.mark)
        }
        #expect(Set(added).count == 2)
        let again = try await file.open([Marked.Required.Item.self]) { store in
            try store.main.query(Marked.Required.Item.self).fetch().map(\.mark)
        }
        #expect(again == added)

        let other = try await first()
        try await other.open([Marked.Item.self])
        let filled = try await other.open([Marked.Required.Item.self]) { store in
            try store.main.query(Marked.Required.Item.self).fetch().map(\.mark)
        }
        #expect(Set(filled).count == 2)
    }

    @Test func `Rows that get an identity by its default stay apart`() async throws {
        let file = try await first()
        let titles = try await file.open([Marked.ByMark.Item.self]) { store in
            try store.main.query(Marked.ByMark.Item.self).fetch().map(\.title)
        }
        #expect(titles.sorted() == ["a", "b"])
    }

    @Test func `Renamed attributes keep their values and pending edits`() async throws {
        let file = try await first()
        try await file.open(First.models) { store in
            try #require(try store.main.find(First.Item.self, 2)).title = "edited"
            try await store.main.save()
        }
        try await file.expect(
            """
            item
              1 name=a tint=1 length=3 is_open=0
              2 name=edited is_open=1 unsent: name
            """, of: [Renamed.Item.self])
        try await file.open([Renamed.Item.self]) { store in
            // The value is still unknown to the server.
            try await store.main.take(Renamed.Item.self, #"{"id": 2, "name": "from the server", "tint": "red"}"#)
            let item = try #require(try store.main.find(Renamed.Item.self, 2))
            #expect(item.name == "edited" && item.tint == "red")
        }
    }

    @Test func `Removed attributes drop their columns`() async throws {
        let file = try await first()
        try await file.expect(
            """
            item
              1 title=a
              2 title=b
            """, of: [Dropped.Item.self])
        try await file.open([Dropped.Item.self]) { store in
            try await store.main.take(Dropped.Item.self, #"{"id": 2, "title": "c"}"#)
        }
    }

    @Test func `Removing an attribute with pending edits is refused until they are discarded`() async throws {
        let file = try await first()
        try await file.open(First.models) { store in
            let item = try #require(try store.main.find(First.Item.self, 1))
            item.color = "blue"
            item.size = nil
            try await store.main.save()
        }
        let reasons = try await file.refusal([Dropped.Item.self])
        #expect(reasons.count == 2)
        #expect(reasons.first?.hasPrefix("Item.color is gone, and 1 object has a change") ?? false)
        #expect(reasons.last?.hasPrefix("Item.size is gone") ?? false)
        let letGo = Migration("let go").discarding("Item.color", "Item.size")
        try await file.expect(
            """
            item
              1 title=a
              2 title=b
            """, of: [Dropped.Item.self], [letGo])
    }

    @Test func `Nulls of an attribute that becomes required turn into its default`() async throws {
        let file = try await first()
        try await file.expect(
            """
            item
              1 title=a size=3 color=1 is_open=0
              2 title=b size=7 color=none is_open=1
            """, of: [Required.Item.self])
    }

    @Test func `Values are converted to a new type as in an import`() async throws {
        let file = try await first()
        try await file.open(First.models) { store in
            try #require(try store.main.find(First.Item.self, 1)).size = 4
            try await store.main.save()
        }
        try await file.expect(
            """
            item
              1 title=a size=4 color=1 is_open=0 unsent: size
              2 title=b is_open=1
            """, of: [Retyped.Item.self])
        try await file.open([Retyped.Item.self]) { store in
            // 1 and "1" are one identity.
            try await store.main.take(Retyped.Item.self, #"{"id": 1, "title": "c"}"#)
            #expect(try store.main.find(Retyped.Item.self, "1")?.title == "c")
            #expect(try store.main.query(Retyped.Item.self).fetch().count == 2)
        }
    }

    @Test func `A value that can't be converted refuses the migration with an example`() async throws {
        let file = try await first()
        try await file.open(First.models) { store in
            try await store.main.take(
                First.Item.self, #"[{"id": 1, "color": "dark blue"}, {"id": 2, "color": "red"}]"#)
        }
        let reasons = try await file.refusal([Retyped.Item.self])
        #expect(reasons.count == 1)
        #expect(
            reasons.first?.hasPrefix(
                #"Item.color expects a whole number, and 2 rows hold something else, such as "dark blue": set it"#)
                ?? false,
            "\(reasons)")
        let fixed = Migration("colors by number").rows(of: Retyped.Item.self) { old, new in
            new.color = old["color", as: String.self] == "red" ? 1 : 2
        }
        try await file.expect(
            """
            item
              1 title=a size=3 color=2 is_open=0
              2 title=b color=1 is_open=1
            """, of: [Retyped.Item.self], [fixed])
    }

    @Test func `A removed default isn't applied to new rows`() async throws {
        let file = try await first()
        try await file.open([Added.Item.self])
        try await file.open([Forgotten.Item.self]) { store in
            let new = try await store.main.take(Forgotten.Item.self, #"{"id": 3}"#).objects
            #expect(new.map(\.shape) == [nil])
            #expect(try store.main.find(Forgotten.Item.self, 1)?.shape == "it's round")
        }
    }

    @Test func `A renamed model keeps its rows`() async throws {
        let file = try await first()
        try await file.expect(
            """
            product
              1 title=a size=3 color=1 is_open=0
              2 title=b is_open=1
            """, of: [RenamedModel.Product.self])
        #expect(try Database(file.file.path).value("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'item%'") == "0")
    }

    @Test func `Rows of a removed model stay in the file until it is discarded`() async throws {
        let file = try await first()
        try await file.open([Label.self])
        try await file.open(First.models + [Label.self]) { store in
            let items = try store.main.query(First.Item.self).fetch()
            #expect(items.map(\.title) == ["a", "b"])
        }
        try await file.open([Label.self], [Migration("no items").discarding("Item")])
        try await file.open(First.models) { store in
            let items = try store.main.query(First.Item.self).fetch()
            #expect(items.isEmpty)
        }
    }

    enum Names {
        enum First {
            @Model final class User {
                var identifier: Int?
                var login = ""
                var name = ""
            }
        }

        /// Each has the name that another had.
        enum Second {
            @Model(renamedFrom: "User") final class Account {
                var identifier: Int?
                @Attribute(renamedFrom: "login") var name = ""
                @Attribute(renamedFrom: "name") var fullName = ""
            }
            @Model final class User {
                var identifier: Int?
                var account: Account?
            }
        }

        enum Third {
            @Model(renamedFrom: "User") final class Profile {
                var identifier: Int?
                var user: User?
            }
            @Model(renamedFrom: "Account") final class User {
                var identifier: Int?
                var name = ""
                var fullName = ""
            }
        }
    }

    @Test func `A renamed attribute or model keeps its rows when another takes its old name`() async throws {
        let file = try MigratedFile()
        try await file.open([Names.First.User.self]) { store in
            try await store.main.take(Names.First.User.self, #"[{"id": 1, "login": "ada", "name": "Ada Lovelace"}]"#)
            let user = try store.main.find(Names.First.User.self, 1)
            user?.login = "countess"
            try await store.main.save()
        }
        try await file.open([Names.Second.Account.self, Names.Second.User.self]) { store in
            let accounts = try store.main.query(Names.Second.Account.self).fetch()
            #expect(accounts.map(\.name) == ["countess"])
            #expect(accounts.map(\.fullName) == ["Ada Lovelace"])
            #expect(accounts.first?.unsentProperties == ["name"])
            #expect(try store.main.query(Names.Second.User.self).count() == 0)
            try await store.main.take(Names.Second.User.self, #"[{"id": 4, "account": 1}]"#)
        }
        // An earlier rename is ignored the next time.
        try await file.open([Names.Second.Account.self, Names.Second.User.self, Label.self]) { store in
            let user = try store.main.find(Names.Second.User.self, 4)
            #expect(user?.account?.name == "countess")
        }
        // One after the other: profiles go before accounts take the users' name.
        try await file.open([Names.Third.Profile.self, Names.Third.User.self, Label.self]) { store in
            let profiles = try store.main.query(Names.Third.Profile.self).fetch()
            #expect(profiles.map(\.identifier) == [4])
            let users = try store.main.query(Names.Third.User.self).fetch()
            #expect(users.map(\.fullName) == ["Ada Lovelace"])
        }
    }
}
