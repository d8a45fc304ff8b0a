import RestfulData
import Testing

@testable import ObjectStore

/// A relationship with several possible inverses is a problem when the store opens, with the candidates.
@Suite struct AmbiguousInverseTests {
    enum TwoLinks {
        @Model final class TwoWays {
            var identifier: Int?
            var one: Target?
            var two: Target?
        }
        @Model final class Target {
            var identifier: Int?
            var back: [TwoWays]
        }
    }

    enum TwoLists {
        @Model final class User {
            var identifier: Int?
            var written: [Post]
            var liked: [Post]
        }
        @Model final class Post {
            var identifier: Int?
            var author: User?
        }
    }

    enum ThreeLinks {
        @Model final class Match {
            var identifier: Int?
            var home: Team?
            var guest: Team?
            var winner: Team?
        }
        @Model final class Team {
            var identifier: Int?
            var decider: Match?
        }
    }

    enum BothSides {
        @Model final class Group {
            var identifier: Int?
            var members: [Person]
            var admins: [Person]
        }
        @Model final class Person {
            var identifier: Int?
            var groups: [Group]
            var administered: [Group]
        }
    }

    enum HalfNamed {
        @Model final class User {
            var identifier: Int?
            @Relationship(inverse: "author") var written: [Post]
            var edited: [Post]
        }
        @Model final class Post {
            var identifier: Int?
            var author: User?
            var editor: User?
        }
    }

    enum Inherited {
        @Model(discriminator: "type") class Event {
            var identifier: Int?
            var type = ""
            var actor: User?
        }
        @Model(inherits: Event.self) final class PushEvent: Event {
            var pusher: User?
        }
        @Model final class User {
            var identifier: Int?
            var pushes: [PushEvent]
        }
    }

    enum Embedded {
        @Model final class Customer {
            var identifier: Int?
            var home: Address?
            var work: Address?
        }
        @Model(embedded: true) final class Address {
            var street = ""
            var customer: Customer?
        }
    }

    @Test(
        arguments: [
            (
                [TwoLinks.TwoWays.self, TwoLinks.Target.self],
                """
                Target.back could be the other direction of TwoWays.one or TwoWays.two, and nothing says so: name it, as in \
                `@Relationship(inverse: "one") var back`, or write `inverse: nil` where there is none
                """
            ),
            (
                [TwoLists.User.self, TwoLists.Post.self],
                """
                Post.author could be the other direction of User.written or User.liked, and nothing says so: name it, as in \
                `@Relationship(inverse: "written") var author`, or write `inverse: nil` where there is none
                """
            ),
            (
                [ThreeLinks.Match.self, ThreeLinks.Team.self],
                """
                Team.decider could be the other direction of Match.home, Match.guest or Match.winner, and nothing says so: name \
                it, as in `@Relationship(inverse: "home") var decider`, or write `inverse: nil` where there is none
                """
            ),
            (
                [BothSides.Group.self, BothSides.Person.self],
                """
                Group.members and Group.admins could be the other directions of Person.groups or Person.administered, and \
                nothing says so: name it, as in `@Relationship(inverse: "groups") var members`, or write `inverse: nil` where \
                there is none
                """
            ),
            (
                [HalfNamed.Post.self, HalfNamed.User.self],
                """
                User.edited could be the other direction of Post.editor, and nothing says so: name it, as in \
                `@Relationship(inverse: "editor") var edited`, or write `inverse: nil` where there is none
                """
            ),
            (
                [Inherited.Event.self, Inherited.PushEvent.self, Inherited.User.self],
                """
                User.pushes could be the other direction of PushEvent.pusher, and nothing says so: name it, as in \
                `@Relationship(inverse: "pusher") var pushes`, or write `inverse: nil` where there is none
                """
            ),
            (
                [Embedded.Customer.self, Embedded.Address.self],
                """
                Address.customer could be the other direction of Customer.home or Customer.work, and nothing says so: name \
                it, as in `@Relationship(inverse: "home") var customer`, or write `inverse: nil` where there is none
                """
            ),
        ] as [([any Model.Type], String)])
    func `An ambiguous inverse is reported with the declarations to write`(
        _ models: [any Model.Type], _ problem: String
    ) {
        let error = #expect(throws: StoreError.self) { try Store(.temporary, models: models) }
        guard case .models(let problems)? = error else { return }
        #expect(problems == [problem])
    }

    enum Named {
        @Model final class TwoWays {
            var identifier: Int?
            var one: Target?
            var two: Target?
        }
        @Model final class Target {
            var identifier: Int?
            @Relationship(inverse: "one") var back: [TwoWays]
        }
    }

    enum Apart {
        @Model final class TwoWays {
            var identifier: Int?
            var one: Target?
            var two: Target?
        }
        @Model final class Target {
            var identifier: Int?
            @Relationship(inverse: nil) var back: [TwoWays]
        }
    }

    enum Tree {
        @Model final class Folder {
            var identifier: Int?
            var parent: Folder?
            var children: [Folder]
            var linked: [Folder]
        }
    }

    enum Inferred {
        @Model final class Post {
            var identifier: Int?
            var comments: [Comment]
            @Relationship(inverse: nil) var pinned: Comment?
        }
        @Model final class Comment {
            var identifier: Int?
            var post: Post?
        }
    }

    @Test func `Of two links, only the named inverse has one`() throws {
        let schema = try Store(.temporary, models: [Named.TwoWays.self, Named.Target.self]).schema
        let back = try #require(schema.model(for: Named.Target.self)?.declared.last)
        let links = try #require(schema.model(for: Named.TwoWays.self)?.declared.dropFirst())
        #expect(back.inverse == links.first?.index)
        #expect(links.map { $0.inverse == back.index } == [true, false])
    }

    @Test func `A list and two links may all be without an inverse`() throws {
        let schema = try Store(.temporary, models: [Apart.TwoWays.self, Apart.Target.self]).schema
        #expect(schema.models.flatMap(\.declared).allSatisfy { $0.inverse == nil })
    }

    @Test func `A parent and children of one model have no inferred inverse`() throws {
        let schema = try Store(.temporary, models: [Tree.Folder.self]).schema
        #expect(schema.models.flatMap(\.declared).allSatisfy { $0.inverse == nil })
    }

    @Test func `The only relationship without a declared inverse is inferred as the inverse`() throws {
        let schema = try Store(.temporary, models: [Inferred.Post.self, Inferred.Comment.self]).schema
        let comments = try #require(schema.model(for: Inferred.Post.self)?.declared.first { $0.name == "comments" })
        #expect(comments.inverse == schema.model(for: Inferred.Comment.self)?.declared.last?.index)
    }
}
