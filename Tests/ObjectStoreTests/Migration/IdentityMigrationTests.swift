import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Rows that another identity makes the same.
@MainActor
@Suite struct IdentityMigrationTests {
    enum First {
        @Model final class User {
            var identifier: Int?
            var login: String?
            var name: String?
            var bio: String?
            var score = 0
            var boss: User?
            @Relationship(inverse: nil) var friends: [User]
            var posts: [Post]
        }
        @Model(identity: "user", "number") final class Post {
            var number: Int?
            var text: String?
            var user: User?
            var tags: [Tag]
        }
        @Model final class Tag {
            var identifier: Int?
            var posts: [Post]
        }
        static let models: [any Model.Type] = [User.self, Post.self, Tag.self]
    }

    enum ByLogin {
        @Model(identity: "login") final class User {
            var identifier: Int?
            var login: String?
            var name: String?
            var bio: String?
            var score = 0
            var boss: User?
            @Relationship(inverse: nil) var friends: [User]
            var posts: [Post]
        }
        @Model(identity: "user", "number") final class Post {
            var number: Int?
            var text: String?
            var user: User?
            var tags: [Tag]
        }
        @Model final class Tag {
            var identifier: Int?
            var posts: [Post]
        }
        static let models: [any Model.Type] = [User.self, Post.self, Tag.self]
    }

    enum Aged {
        @Model final class Person {
            var identifier: Int?
            var name: String?
            var age: Int?
            var old: Int?
            var new: Int?
        }
        enum ByName {
            @Model(identity: "name") final class Person {
                var identifier: Int?
                var name: String?
                var age: Int?
                var old: Int?
                var new: Int?
            }
        }
    }

    @Test func `A column may have a name that the migration uses itself`() async throws {
        let file = try MigratedFile()
        try await file.open([Aged.Person.self]) { store in
            try await store.main.take(
                Aged.Person.self,
                #"[{"id": 1, "name": "ada", "age": 36, "old": 1, "new": 2}, {"id": 2, "name": "ada", "new": 3}]"#)
        }
        try await file.open([Aged.ByName.Person.self]) { store in
            let person = try #require(try store.main.find(Aged.ByName.Person.self, "ada"))
            #expect(person.identifier == 2)
            #expect(person.age == 36)
            #expect(person.old == 1)
            #expect(person.new == 3)
        }
    }

    enum Ages {
        @Model final class Older {
            var identifier: Int?
            var name: String?
            var bio: String?
        }
        enum ByName {
            @Model(identity: "name") final class Older {
                var identifier: Int?
                var name: String?
                var bio: String?
            }
        }
    }

    @Test func `A model may have a name that the migration uses for rows`() async throws {
        let file = try MigratedFile()
        try await file.open([Ages.Older.self]) { store in
            try await store.main.take(
                Ages.Older.self, #"[{"id": 1, "name": "ada", "bio": "kept"}, {"id": 2, "name": "ada"}]"#)
        }
        try await file.open([Ages.ByName.Older.self]) { store in
            let older = try #require(try store.main.find(Ages.ByName.Older.self, "ada"))
            #expect(older.bio == "kept")
        }
    }

    @Test func `Objects whose deletion waits stay hidden from fetches under their new identity`() async throws {
        let file = try MigratedFile()
        try await file.open(First.models) { store in
            try await store.main.take(
                First.User.self,
                #"[{"id": 1, "login": "ada"}, {"id": 2, "login": "bob", "posts": [{"number": 5, "text": "a"}]}]"#)
            let post = try #require(try store.main.query(First.Post.self).fetch().first)
            try await store.main.deleteQueued(post, account: "")
            let user = try #require(try store.main.find(First.User.self, 1))
            try await store.main.deleteQueued(user, account: "")
        }
        let keys = "SELECT key FROM _outbox ORDER BY number"
        #expect(try Database(file.file.path).rows(keys) == [["2/5"], ["1"]])
        try await file.open(ByLogin.models) { store in
            #expect(try Database(file.file.path).rows(keys) == [["bob/5"], ["ada"]])
            try await store.main.take(
                ByLogin.User.self, #"[{"id": 1, "login": "ada"}, {"id": 2, "login": "bob", "name": "b"}]"#)
            #expect(try store.main.query(ByLogin.User.self).fetch().map(\.login) == ["bob"])
        }
    }

    @Test func `Duplicates under a new identity are unified with their links, lists and edits`() async throws {
        let file = try MigratedFile()
        try await file.open(First.models) { store in
            try await store.main.take(
                First.User.self,
                #"""
                [{"id": 1, "login": "ada", "name": "old", "bio": "kept", "score": 1,
                  "posts": [{"number": 1, "text": "older", "tags": [{"id": 1}]}, {"number": 2}]},
                 {"id": 2, "login": "bob", "boss": {"id": 1}, "friends": [{"id": 1}, {"id": 4}]},
                 {"id": 3, "login": "ada", "name": "new", "score": 3, "friends": [{"id": 2}],
                  "posts": [{"number": 1, "tags": [{"id": 2}]}, {"number": 3}]},
                 {"id": 4, "login": "carl", "friends": [{"id": 3}, {"id": 1}]},
                 {"id": 5}, {"id": 6}]
                """#)
            try #require(try store.main.find(First.User.self, 1)).name = "mine"
            try await store.main.save()
        }
        try await file.expect(
            """
            user
              ada identifier=3 name=mine bio=kept score=3 unsent: name
              bob identifier=2 score=0 boss_id=(ada)
              carl identifier=4 score=0
              new 1 identifier=5 score=0
              new 2 identifier=6 score=0
            post
              4/1 text=older user_id=(ada) _user_position=0
              4/2 user_id=(ada) _user_position=3
              4/3 user_id=(ada) _user_position=1
            tag
              1
              2
            user_friends
              (ada) - (bob) 0
              (bob) - (ada) 0
              (bob) - (carl) 1
              (carl) - (ada) 0
            post_tags
              (4/1) - (1) 1 -
              (4/1) - (2) 0 -
            """, of: ByLogin.models)
    }

    enum Before {
        @Model final class Person {
            var identifier: Int?
            var mail: String?
            var badge: Badge?
        }
        @Model final class Badge {
            var identifier: Int?
            var person: Person?
        }
        static let models: [any Model.Type] = [Person.self, Badge.self]
    }

    enum ByMail {
        @Model(identity: "mail") final class Person {
            var identifier: Int?
            var mail: String?
            var badge: Badge?
        }
        @Model final class Badge {
            var identifier: Int?
            var person: Person?
        }
        static let models: [any Model.Type] = [Person.self, Badge.self]
    }

    enum ListedByIdentifier {
        @Model final class Note {
            var identifier: Int?
            @Relationship(inverse: nil) var marks: [Mark]
        }
        @Model final class Mark {
            var identifier: Int?
            var name: String?
        }
        static let models: [any Model.Type] = [Note.self, Mark.self]
    }

    enum ListedByName {
        @Model final class Note {
            var identifier: Int?
            @Relationship(inverse: nil) var marks: [Mark]
        }
        @Model(identity: "name") final class Mark {
            var identifier: Int?
            var name: String?
        }
        static let models: [any Model.Type] = [Note.self, Mark.self]
    }

    @Test func `A member removed by a pending edit stays out after a change of its identity`() async throws {
        let file = try MigratedFile()
        let marks = #"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "name": "c"}]"#
        try await file.open(ListedByIdentifier.models) { store in
            let note = try await store.main.take(
                ListedByIdentifier.Note.self, #"{"id": 1, "marks": \#(marks)}"#
            ).objects[0]
            note.marks.remove(at: 1)
            try await store.main.save()
        }
        try await file.open(ListedByName.models) { store in
            let note = try await store.main.take(ListedByName.Note.self, #"{"id": 1, "marks": \#(marks)}"#).objects[0]
            #expect(note.marks.map(\.name) == ["a", "c"])
            #expect(note.unsentProperties == ["marks"])
        }
    }

    @Test func `Unifying duplicates keeps the newest row's one-to-one partner`() async throws {
        let file = try MigratedFile()
        try await file.open(Before.models) { store in
            try await store.main.take(
                Before.Person.self,
                #"[{"id": 1, "mail": "a", "badge": {"id": 1}}, {"id": 2, "mail": "a", "badge": {"id": 2}}]"#)
            // Waits for an identity that persons have lost.
            try await store.main.take(Before.Badge.self, #"{"id": 3, "person_id": 9}"#)
        }
        try await file.expect(
            """
            person
              a identifier=2 badge_id=(2)
            badge
              1
              2 person_id=(a)
              3
            """, of: ByMail.models)
    }
}
