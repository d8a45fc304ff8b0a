import RestfulData
import Testing

@testable import ObjectStore

@Model
final class Drawer {
    var identifier: Int?
    @Relationship(inverse: "drawer") var folders: [Folder]
}

/// Its name is unique only within its drawer; another drawer may lie on it.
@Model(identity: "drawer", "name")
final class Folder {
    var name: String?
    var text = ""
    var drawer: Drawer?
    @Relationship(inverse: nil) var drawers: [Drawer]
}

/// Nested objects: their owners, and the result where a body repeats one.
@MainActor
@Suite struct RepeatedObjectTests {
    @Test func `A missing identity part comes from the innermost owner`() async throws {
        let store = try Store(of: [Drawer.self, Folder.self])
        try await store.main.take(
            Drawer.self,
            #"""
            {"id": 1, "folders": [
                {"name": "a", "text": "outer", "drawers": [
                    {"id": 2, "folders": [{"name": "a", "text": "inner", "drawers": [{"id": 3, "folders": [{"name": "b"}]}]}]}]},
                {"name": "b", "text": "after"}]}
            """#)
        try expect(
            store,
            holds: """
                drawer
                  1
                  2
                  3
                folder
                  1/a text=outer drawer_id=(1) _drawer_position=0
                  1/b text=after drawer_id=(1) _drawer_position=1
                  2/a text=inner drawer_id=(2) _drawer_position=0
                  3/b text= drawer_id=(3) _drawer_position=0
                folder_drawers
                  (1/a) - (2) 0
                  (2/a) - (3) 0
                """)
    }

    /// Within a body an object is known again by its first 64 bytes, so these are longer.
    private nonisolated static let rest = #""node_id": "\#(String(repeating: "x", count: 80))"}"#

    /// Three objects, of which the third is the first again, each below the same key of an object of its own.
    private func body(_ key: String, _ first: String, _ second: String) -> String {
        let bodies = [first, second, first].enumerated().map { index, object in
            "{\"id\": \(index + 1), \"\(key)\": \(object.dropLast()), \(Self.rest)}"
        }
        return "[\(bodies.joined(separator: ","))]"
    }

    @Test(arguments: [
        (#"{"id": 7, "login": "a"}"#, #"{"id": 7, "login": "b"}"#),
        (#"{"id": 7, "login": "a", "name": null}"#, #"{"id": 7, "name": "Ada"}"#),
        (#"{"id": 7, "login": "a", "score": 1}"#, #"{"id": 7, "score": null}"#),
    ])
    func `The last mention counts even when it repeats an earlier one`(
        _ first: String, _ second: String
    ) async throws {
        let store = try Store(of: World.models)
        let score: Double? = first.contains("score") ? 1 : nil
        try await store.main.take(Repository.self, body("owner", first, second))
        let user = try #require(try store.main.find(User.self, 7))
        #expect(user.login == "a" && user.name == nil && user.score == score)
        // In the members of a list, too.
        user.login = "edited"
        store.main.rollback()
        try await store.main.take(Repository.self, "{\"id\": 9, \"issues\": \(body("assignee", second, first))}")
        #expect(
            user.login == (second.contains("login") ? "b" : "a") && user.name == (second.contains("Ada") ? "Ada" : nil))
        #expect(user.score == nil)
    }

    @Test func `A one-to-one partner that a body moves away and back ends with its first owner`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(
            Repository.self, body("owner", #"{"id": 7, "profile": {"id": 1}}"#, #"{"id": 8, "profile": {"id": 1}}"#))
        #expect(try store.main.find(User.self, 7)?.profile?.identifier == 1)
        #expect(try store.main.find(User.self, 8)?.profile == nil)
    }

    @Test func `A member that a body moves away and back ends with its first owner`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(
            Issue.self,
            body("assignee", #"{"id": 7, "repositories": [{"id": 5}]}"#, #"{"id": 8, "repositories": [{"id": 5}]}"#))
        #expect(try store.main.find(User.self, 7)?.repositories.map(\.identifier) == [5])
        #expect(try store.main.find(User.self, 8)?.repositories.isEmpty == true)
    }
}
