import ObjectStore
import RestfulData
import Testing

/// As an identity, `""` means the same as null.
@MainActor @Suite struct EmptyIdentityTests {
    enum Tree {
        @Model final class Leaf {
            var identifier: String?
            var name = ""
            var branch: Branch?
        }

        @Model final class Branch {
            var identifier: String?
            var name = ""
            @Relationship(inverse: "branch") var leaves: [Leaf]
            @Relationship(inverse: nil) var birds: [Bird]
            @Relationship(inverse: nil) var nest: Bird?
        }

        @Model final class Bird {
            var identifier: Int?
        }

        @Model final class House {
            var identifier: Int?
            var door: Door?
        }

        @Model(embedded: true) final class Door { var color = "" }

        @Model(identity: "host", "port") final class Socket {
            var host: String?
            var port: Int?
        }

        static let models: [any Model.Type] = [Leaf.self, Branch.self, Bird.self, Socket.self]
    }

    private func store() throws -> Store { try Store(of: Tree.models) }

    @Test(arguments: [#"{"id": "", "name": "x"}"#, #"{"id": null, "name": "x"}"#, #"{"name": "x"}"#])
    func `An object with an empty identity is rejected and reported`(_ body: String) async throws {
        let store = try store()
        let report = try await store.main.importReporting(Tree.Leaf.self, from: Array("[\(body)]".utf8))
        #expect(
            report.inserted == 0 && report.rejected.map(\.description) == [#"[0]: a Leaf without an identity ("id")"#])
        #expect(try store.main.query(Tree.Leaf.self).count() == 0)
    }

    @Test func `An object with an empty part of a composite identity is rejected`() async throws {
        let store = try store()
        let report = try await store.main.importReporting(
            Tree.Socket.self, from: Array(#"{"host": "", "port": 1}"#.utf8))
        #expect(report.rejectedCount == 1 && report.inserted == 0)
    }

    @Test func `Two objects with empty identities don't become one`() async throws {
        let store = try store()
        let objects = try await store.main.import(
            Tree.Leaf.self, from: Array(#"[{"id": "", "name": "x"}, {"id": "a"}, {"id": "", "name": "y"}]"#.utf8)
        ).objects
        #expect(objects.map(\.identifier) == ["a"])
    }

    @Test func `A nested object with an empty identity is rejected`() async throws {
        let store = try store()
        let body = #"{"id": "l", "branch": {"id": "b"}}"#
        let leaf = try await store.main.take(Tree.Leaf.self, body).objects[0]
        let report = try await store.main.importReporting(
            Tree.Leaf.self, from: Array(#"{"id": "l", "branch": {"id": "", "name": "x"}}"#.utf8))
        #expect(report.rejected.map(\.description) == [#"branch: a Branch without an identity ("id")"#])
        #expect(leaf.branch?.identifier == "b")
        let branch = try await store.main.take(
            Tree.Branch.self, #"{"id": "c", "leaves": [{"id": ""}, {"id": "m"}]}"#
        ).objects[0]
        #expect(branch.leaves.map(\.identifier) == ["m"])
    }

    @Test(arguments: [#""branch_id": """#, #""branch": """#]) func `A link by an empty identity is set to nil`(
        _ key: String
    )
        async throws
    {
        let store = try store()
        let leaf = try await store.main.take(Tree.Leaf.self, #"{"id": "l", "branch": {"id": "b"}}"#).objects[0]
        let report = try await store.main.importReporting(Tree.Leaf.self, from: Array("{\"id\": \"l\", \(key)}".utf8))
        #expect(leaf.branch == nil && report.pendingLinks == 0 && report.isComplete)
        #expect(try Database(store.path).value("SELECT count(*) FROM _pending_link") == "0")
    }

    @Test func `An empty text clears a link to a numeric identity`() async throws {
        let store = try store()
        let branch = try await store.main.take(Tree.Branch.self, #"{"id": "b", "nest": {"id": 5}}"#).objects[0]
        let report = try await store.main.importReporting(
            Tree.Branch.self, from: Array(#"{"id": "b", "nest_id": ""}"#.utf8))
        #expect(branch.nest == nil && report.isComplete)
    }

    @Test func `An empty text instead of an embedded object is a mismatch`() async throws {
        let store = try Store(of: [Tree.House.self, Tree.Door.self])
        let house = try await store.main.take(Tree.House.self, #"{"id": 1, "door": {"color": "red"}}"#).objects[0]
        let report = try await store.main.importReporting(
            Tree.House.self, from: Array(#"{"id": 1, "door": ""}"#.utf8))
        #expect(house.door?.color == "red" && report.mismatchedCount == 1)
    }

    @Test func `Empty identities in a list of identities are ignored`() async throws {
        let store = try store()
        let branch = try await store.main.take(
            Tree.Branch.self, #"{"id": "b", "leaves": [{"id": "k"}, {"id": "l"}], "birds": [{"id": 1}, {"id": 2}]}"#
        ).objects[0]
        let report = try await store.main.importReporting(
            Tree.Branch.self, from: Array(#"{"id": "b", "leaves": ["", "l"], "bird_ids": ["", 2]}"#.utf8))
        #expect(branch.leaves.map(\.identifier) == ["l"] && branch.birds.map(\.identifier) == [2])
        #expect(report.isComplete && report.partialLists == 0 && report.pendingLinks == 0)
        try await store.main.take(Tree.Branch.self, #"{"id": "b", "leaves": [""], "bird_ids": [""]}"#)
        #expect(branch.leaves.isEmpty && branch.birds.isEmpty)
    }
}
