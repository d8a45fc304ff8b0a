import ObjectStore
import RestfulData
import Testing

/// The import of a body is independent of the remembered keys of earlier bodies.
@MainActor
@Suite struct KeyOrderTests {
    nonisolated static let bodies = [
        #"{"id": 1, "login": "A", "name": "a"}"#,
        #"{"name": "b", "login": "B", "id": 1}"#,
        #"{"unknown": {"login": "x"}, "id": 1, "Login": "C", "name": "c"}"#,
        #"{"id": 1, "login": "D", "Login": "x", "name": "d"}"#,
        #"{"id": 1, "Login": "x", "login": "E", "name": "e", "other": [1, {"name": "x"}]}"#,
        #"{"\#(String(repeating: "k", count: 400))": 1, "id": 1, "login": "F", "name": "f"}"#,
    ]

    @Test(arguments: bodies, bodies)
    func `Key orders remembered from other bodies don't change the values read`(_ first: String, _ second: String)
        async throws
    {
        let (one, other) = (try Store(of: World.models), try Store(of: World.models))
        for body in [first, second, first, second] { _ = try await one.main.take(User.self, body) }
        _ = try await other.main.take(User.self, second)
        let (user, expected) = (try one.main.find(User.self, 1), try other.main.find(User.self, 1))
        #expect(expected?.name != nil && user?.name == expected?.name && user?.login == expected?.login)
    }

    @Test func `The keys of a list's earlier objects don't change the values read of later ones`() throws {
        let store = try Store(of: World.models)
        let schema = store.main.schema
        let model = User(in: store.main)._object.model
        let wanted = model.properties.filter { ["login", "name"].contains($0.name) }.map(\.index)
        let alone = try Self.bodies.map { body -> PropertyValues? in
            var reader = ObjectReader(schema)
            return try reader.attributes(wanted, in: Array(body.utf8), at: [], of: model)
        }
        let isRead = alone.map { $0?.attributes["name"] != nil }
        #expect(isRead.allSatisfy(\.self) && wanted.count == 2)
        for (first, one) in zip(Self.bodies, alone) {
            for (second, other) in zip(Self.bodies, alone) {
                var reader = ObjectReader(schema)
                let list = Array("[\(first), \(second), \(first), \(second)]".utf8)
                let values = try reader.list(wanted, in: list, at: [], of: model)
                #expect(values == [one, other, one, other])
            }
        }
    }

    @Test func `More keys than are remembered are all read`() async throws {
        let store = try Store(of: World.models)
        for round in 0..<3 {
            let keys = (0..<300).map { "\"key \(round) \($0)\": \($0)" }.joined(separator: ", ")
            _ = try await store.main.take(User.self, #"{"id": 1, \#(keys), "login": "user \#(round)"}"#)
            #expect(try store.main.find(User.self, 1)?.login == "user \(round)")
        }
    }
}
