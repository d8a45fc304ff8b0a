import ObjectStore
import RestfulData
import Testing

/// Embedded objects that were linked to each other locally, so that they contain themselves: an error, or an end, never
/// a trap.
@MainActor
@Suite struct EmbeddingCycleTests {
    @Test func `Embedded objects that contain each other are saved and edited without a trap`() async throws {
        let store = try Store(of: [Rope.self, Knot.self])
        let (a, b) = (Knot(in: store.main), Knot(in: store.main))
        a.next = b
        b.knots = [a]
        try? await store.main.save()
        a.name = "a"
        b.name = "b"
        try? await store.main.save()
        #expect(try store.check() == [])
    }

    @Test func `An embedded object with two owners is refused`() async throws {
        let store = try Store(of: [Rope.self, Knot.self])
        let rope = try await store.main.take(Rope.self, #"{"id": 1, "knot": {"name": "a", "next": {"name": "b"}}}"#)
            .objects[0]
        rope.knot?.next?.knots = [rope.knot].compactMap { $0 }
        rope.knot?.name = "c"
        #expect(rope.unsentProperties == ["knot"])
        let error = await #expect(throws: StoreError.self) { try await store.main.save() }
        guard case .sharedObject("Knot")? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
    }
}

@Model
final class Rope {
    var identifier: Int?
    @Relationship(inverse: nil) var knot: Knot?
}

@Model(embedded: true)
final class Knot {
    var name = ""
    @Relationship(inverse: nil) var next: Knot?
    @Relationship(inverse: nil) var knots: [Knot]
}
