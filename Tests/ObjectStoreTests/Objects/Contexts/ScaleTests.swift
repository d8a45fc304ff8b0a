import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Four times as many objects cost four times as much. The cost of one object is independent of the number of others.
@MainActor
@Suite struct ScaleTests {
    private func users(_ numbers: some Sequence<Int>) -> String {
        "[" + numbers.map { #"{"id": \#($0)}"# }.joined(separator: ",") + "]"
    }

    // MARK: Lists and links

    @Test func `Adding a member to a list costs the same however many it has`() async throws {
        let growth = try await growth { count in
            let store = try Store(of: World.models)
            let topic = try await store.main.take(Topic.self, #"{"name": "a"}"#).objects[0]
            #expect(topic.repositories.isEmpty)
            return try await store.work {
                for number in 1...count {
                    let repository = Repository(in: store.main)
                    repository.identifier = number
                    repository.topics = [topic]
                }
                #expect(topic.repositories.map(\.identifier) == Array(1...count))
                try await store.main.save()
            }
        }
        #expect(growth <= 1.5)
    }

    @Test func `Removing a member from a list costs the same however many it has`() async throws {
        let growth = try await growth { count in
            let store = try Store(of: World.models)
            let body = (1...count).map { #"{"id": \#($0), "topics": [{"name": "a"}]}"# }.joined(separator: ",")
            let repositories = try await store.main.take(Repository.self, "[\(body)]").objects
            let topic = try #require(try store.main.find(Topic.self, "a"))
            #expect(topic.repositories.count == count)
            return try await store.work {
                for repository in repositories.dropLast() { repository.topics = [] }
                #expect(topic.repositories.map(\.identifier) == [count])
                try await store.main.save()
            }
        }
        #expect(growth <= 1.5)
    }

    @Test func `A member of an edited list finds its owner at constant cost`() async throws {
        let growth = try await growth { count in
            let store = try Store(of: World.models)
            let topic = try await store.main.take(Topic.self, #"{"name": "a"}"#).objects[0]
            let repositories = try await store.main.take(Repository.self, users(1...count)).objects
            return try await store.work {
                topic.repositories = repositories
                for repository in repositories { #expect(repository.topics.count == 1) }
            }
        }
        #expect(growth <= 1.5)
    }

    @Test func `A new row with a link to one object costs the same however many link to it`() async throws {
        let growth = try await growth { count in
            let store = try Store(of: World.models)
            let user = try await store.main.take(User.self, #"{"id": 1}"#).objects[0]
            return try await store.work {
                for number in 1...count {
                    let repository = Repository(in: store.main)
                    repository.identifier = number
                    repository.owner = user
                    #expect(repository.issues.isEmpty)
                }
                #expect(user.repositories.count == count)
                try await store.main.save()
            }
        }
        #expect(growth <= 1.5)
    }

    // MARK: Identities

    @Test func `Finding or inserting an object costs the same however many are new`() async throws {
        let growth = try await growth { count in
            let store = try Store(of: World.models)
            return try await store.work {
                for number in 1...count {
                    let found = try store.main.find(User.self, number)
                    if found == nil { User(in: store.main).identifier = number }
                    #expect(found == nil)
                }
                try await store.main.save()
            }
        }
        #expect(growth <= 1.5)
    }

    @Test func `Unifying new objects with imported rows has a constant cost each`() async throws {
        let growth = try await growth { count in
            let store = try Store(of: World.models)
            let owner = User(in: store.main)
            let made = (1...count).map { number in
                let repository = Repository(in: store.main)
                repository.identifier = number
                repository.owner = number % 2 == 0 ? owner : nil
                return repository
            }
            let topic = Topic(in: store.main)
            topic.repositories = made
            let work = try await store.work { try await store.takeElsewhere(Repository.self, users(1...count)) }
            #expect(made.allSatisfy { !$0.isInserted })
            #expect(topic.repositories.map(\.identifier) == Array(1...count))
            #expect(owner.repositories.count == count / 2)
            return work
        }
        #expect(growth <= 1.5)
    }

    @Test func `A commit of one row costs the same however many objects are unsaved`() async throws {
        let growth = try await growthOfWhole { count in
            let store = try Store(of: World.models)
            for number in 1...count { User(in: store.main).identifier = number }
            try await store.takeElsewhere(User.self, users([count + 1]))
            return try await store.work { try await store.takeElsewhere(User.self, users([count + 2])) }
        }
        #expect(growth <= 1.5)
    }

    // MARK: Deletions

    @Test(arguments: ["chain", "fan"])
    func `A cascade has a constant cost per deleted object`(_ shape: String) async throws {
        let growth = try await growth { count in
            let store = try Store(of: [Shelf.self, Book.self, Page.self, Tool.self])
            let pages = (1...count).map { number in
                #"{"id": \#(number), "book": 1"#
                    + (shape == "chain"
                        ? #", "next": \#(number % count + 1)}"# : #", "next": {"id": \#(number + count)}}"#)
            }
            try await store.main.take(Page.self, "[" + pages.joined(separator: ",") + "]")
            try await store.main.take(Book.self, #"{"id": 1}"#)
            let (book, page) = (try store.main.find(Book.self, 1), try store.main.find(Page.self, 1))
            let work = try await store.work {
                if shape == "fan", let book { store.main.delete(book) }
                if shape == "chain", let page { store.main.delete(page) }
                try await store.main.save()
            }
            #expect(try Database(store.path).rows("SELECT * FROM page").isEmpty)
            return work
        }
        #expect(growth <= 1.5)
    }

    // MARK: Queries

    @Test func `A limited query costs the same however many rows there are, with an unsaved edit`() async throws {
        for isLast in [false, true] {
            let growth = try await growthOfWhole { count in
                let store = try Store(of: World.models)
                let all = try await store.main.take(User.self, users(1...count)).objects
                all[isLast ? count - 1 : 0].login = "edited"
                let new = User(in: store.main)
                let query = store.main.query(User.self).order(by: { $0.identifier }).limit(20)
                let expected: [Int?] = [nil] + (1...19).map { $0 }
                return try await store.work {
                    let found = try query.fetch()
                    #expect(found.map(\.identifier) == expected && found[0] === new)
                    let page = try query.limit(3, offset: 5).fetch()
                    #expect(page.map(\.identifier) == [5, 6, 7])
                }
            }
            #expect(growth <= 1.5)
        }
    }

    @Test func `A count with unsaved edits reads each row at most once`() async throws {
        let store = try Store(of: World.models)
        let all = try await store.main.take(User.self, users(1...1000)).objects
        let query = store.main.query(User.self).where { $0.identifier > 10 }
        let plain = try await store.work {
            let count = try query.count()
            #expect(count == 990)
        }
        all[500].identifier = 1
        all[1].identifier = 5000
        all[0].login = "edited"
        store.main.delete(all[600])
        User(in: store.main).identifier = 6000
        let edited = try await store.work {
            let count = try query.count()
            #expect(count == 990)
        }
        #expect(edited < 2 * plain)
        #expect(try query.limit(5, offset: 987).count() == 3)
        #expect(try query.fetch().count == 990)
    }
}
