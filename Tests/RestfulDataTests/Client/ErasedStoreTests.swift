import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@Model("/accounts")
private final class Household {
    var id: Int?
    @Attribute(searchable: true) var title = ""
    @Relationship(inverse: nil, onDelete: .deny) var keeper: Member?
    @Relationship(inverse: "household", onDelete: .cascade) var members: [Member]
    @Relationship(onDelete: .deny) var topics: [Topic]
}

@Model("/members", key: "name")
private final class Member {
    var id: Int?
    var name = ""
    var household: Household?
}

@Model("/topics")
private final class Topic {
    var id: Int?
    var name = ""
    var households: [Household]
}

/// A user signs out: the next one finds nothing of the store's contents.
@MainActor @Suite struct ErasedStoreTests {
    nonisolated private static let models: [any Model.Type] = [Household.self, Member.self, Topic.self]
    nonisolated private static let home = """
        [{"id": 1, "title": "Baker-Street-221B", "keeper": {"id": 5, "name": "Hudson"}, "members": [{"id": 6, "name": "Watson"}],
          "topics": [{"id": 9, "name": "Moriarty"}]}]
        """

    private func withFile(_ body: (Store.Location, URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appending(path: "user.sqlite")
            try await body(.file(url.path), url)
        }
    }

    private func store(_ location: Store.Location, _ transport: any Transport) throws -> Store {
        try Store(location, models: Self.models, api: API("https://api.example.com", transport: transport))
    }

    /// Whether the files of a store have a text.
    private func contains(_ text: String, _ url: URL) throws -> Bool {
        try ["", "-wal"].contains { suffix in
            let path = url.path + suffix
            guard FileManager.default.fileExists(atPath: path) else { return false }
            return try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data(text.utf8)) != nil
        }
    }

    @Test func `An erased store leaves nothing in the file, and the next store is empty`() async throws {
        try await withFile { location, url in
            let stub = StubTransport { _ in .json(Self.home, headerFields: [.eTag: "\"1\""]) }
            let first = try store(location, stub)
            let home = try #require(try await Household.fetchAll(in: first.main).first)
            let watson = try #require(home.members.first)
            home.title = "Edited-And-Unsent"
            try await first.main.save()
            #expect(try contains("Baker-Street", url) && contains("Moriarty", url))
            home.title = "Unsaved"
            try await first.erase()
            for text in ["Baker-Street", "Edited-And-Unsent", "Hudson", "Watson", "Moriarty", "api.example.com"] {
                #expect(try !contains(text, url), "\(text)")
            }
            // Objects that are held keep their values, in memory only.
            #expect(home.title == "Unsaved" && watson.name == "Watson")
            await #expect(throws: StoreError.self) { try await first.main.save() }

            let second = try store(location, stub)
            #expect(try await second.contents() == "")
            #expect(try second.main.query(Household.self).search("baker").fetch().isEmpty)
            #expect(Household.completeness(in: second.main).extent == .never)
            stub.forgetRequests()
            let next = try #require(try await Household.fetchAll(in: second.main).first)
            // The request omitted the condition of an erased answer.
            #expect(stub.requests.map { $0.headerFields[.ifNoneMatch] } == [nil])
            #expect(next !== home && next.title == "Baker-Street-221B" && !next.hasChanges)
            #expect(try second.main.query(Household.self).search("baker").fetch().count == 1)
        }
    }

    @Test func `Replies that come after a store was erased are dropped`() async throws {
        try await withFile { location, url in
            let transport = HeldTransport()
            let store = try store(location, transport)
            let home = try await store.imported(Household.self, #"{"id": 1, "title": "Old"}"#)
            let topic = Topic(in: store.main)
            topic.name = "Created-Late"
            home.title = "Sent"
            func closed(_ call: @escaping @MainActor () async throws -> Void) -> Task<Bool, Never> {
                Task { @MainActor in
                    switch await failure({ try await call() }) {
                    // A change that the server accepted is reported as accepted.
                    case .store(.closedStore), .unstored(.closedStore, _): true
                    default: false
                    }
                }
            }
            let list = closed { _ = try await Topic.fetchAll(in: store.main) }
            await transport.wait(for: 1)
            let save = closed { try await home.save() }
            await transport.wait(for: 2)
            let creation = closed { try await topic.create() }
            await transport.wait(for: 3)
            try await store.erase()
            transport.answer(0, .json(#"[{"id": 9, "name": "Fetched-Late"}]"#))
            transport.answer(1, .json(#"{"id": 1, "title": "Saved-Late"}"#))
            transport.answer(2, .json(#"{"id": 4, "name": "Created-Late"}"#, status: 201))
            #expect(await list.value)
            #expect(await save.value)
            #expect(await creation.value)
            let next = try self.store(location, StubTransport([:]))
            #expect(try await next.contents() == "")
            for text in ["Fetched-Late", "Saved-Late", "Created-Late"] { #expect(try !contains(text, url), "\(text)") }
        }
    }

    @Test func `Erasing a store marks another store's objects deleted`() async throws {
        try await withFile { location, _ in
            let stub = StubTransport { _ in .json(Self.home) }
            let (first, other) = (try store(location, stub), try store(location, stub))
            _ = try await Household.fetchAll(in: first.main)
            let home = try #require(try await Household.fetchAll(policy: .cached, in: other.main).first)
            let topic = try #require(home.topics.first)
            try await first.erase()
            await until { home.isDeleted && topic.isDeleted }
            let again = try await other.imported(Household.self, #"{"id": 2, "title": "New"}"#)
            #expect(again !== home && home.isDeleted && again.title == "New")
        }
    }

    @Test func `A reader of the file makes erase throw, and the next store erases the rest`() async throws {
        try await withFile { location, url in
            let stub = StubTransport { _ in .json(Self.home) }
            let first = try store(location, stub)
            _ = try await Household.fetchAll(in: first.main)
            do {
                let reader = try Database(url.path)
                _ = try reader.rows("BEGIN")
                #expect(try reader.rows("SELECT title FROM household") == [["Baker-Street-221B"]])
                let error = await #expect(throws: StoreError.self) { try await first.erase() }
                #expect("\(error as Any)".contains("busy") || "\(error as Any)".contains("locked"), "\(error as Any)")
                _ = try reader.rows("COMMIT")
            }
            try await first.erase()
            for text in ["Baker-Street", "Hudson", "Moriarty"] { #expect(try !contains(text, url), "\(text)") }
            #expect(try await store(location, stub).contents() == "")
        }
    }

    @Test func `A store shares no request with an erased one on its file`() async throws {
        try await withFile { location, _ in
            let transport = HeldTransport()
            let api = API("https://api.example.com", transport: transport)
            let first = try Store(location, models: Self.models, api: api)
            let old = Task { @MainActor in await failure { _ = try await Topic.fetchAll(in: first.main) } != nil }
            await transport.wait(for: 1)
            try await first.erase()
            let second = try Store(location, models: Self.models, api: api)
            let new = Task { @MainActor in try await Topic.fetchAll(in: second.main).map(\.name) }
            await transport.wait(for: 2)
            transport.answer(0, .json(#"[{"id": 1, "name": "Old"}]"#))
            transport.answer(1, .json(#"[{"id": 2, "name": "New"}]"#))
            #expect(await old.value)
            #expect(try await new.value == ["New"])
            #expect(try second.main.query(Topic.self).count() == 1)
        }
    }

    @Test func `A fetch during an erase returns all of its objects or throws`() async throws {
        let stub = StubTransport { _ in .json(#"[{"id": 1, "name": "A"}, {"id": 2, "name": "B"}]"#) }
        for _ in 0..<40 {
            let store = try store(.temporary, stub)
            let fetches = (0..<3).map { _ in
                Task { try await store.background { try await Topic.fetchAll(in: $0).count } }
            }
            try await store.erase()
            for fetch in fetches {
                if case .success(let count) = await fetch.result { #expect(count == 2) }
            }
        }
    }

    @Test func `A save begun before an erase doesn't survive it, and erase may be called twice`() async throws {
        let store = try store(.temporary, StubTransport([:]))
        let work = Task { @MainActor in
            try await store.background { context in
                for number in 1...50 {
                    let topic = Topic(in: context)
                    (topic.id, topic.name) = (number, "Topic \(number)")
                }
                try await context.save()
            }
        }
        // It is written, or refused as the store is closed: in neither case is it there afterwards.
        try await store.erase()
        _ = await work.result
        try await store.erase()
        await #expect(throws: StoreError.self) { _ = try await store.contents() }
    }
}
