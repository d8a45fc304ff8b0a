import RestfulData
import RestfulDataTesting
import Testing

/// A changed list is a difference to the file's list: the server's changes meanwhile are sent with it, in every format
/// of the list.
@MainActor @Suite struct ListDifferenceTests {
    @Model("/crates")
    final class Crate {
        var identifier: Int?
        @Relationship(inverse: nil) var byIdentity: [Part]
        @Relationship(inverse: nil, sentAs: .key("name")) var byKey: [Part]
        @Relationship(inverse: nil, sentAs: .nested) var nested: [Part]
        @Relationship(inverse: "crate", sentAs: .identitiesByName) var links: [Piece]
        @Relationship(inverse: nil) var embedded: [Slot]
    }

    @Model("/parts")
    final class Part {
        var identifier: Int?
        var name: String?
    }

    @Model("/pieces")
    final class Piece {
        var identifier: Int?
        @Relationship(sentAs: .never) var crate: Crate?
    }

    @Model(embedded: true)
    final class Slot {
        var name: String?
    }

    private func parts(_ ids: [Int]) -> String {
        "[" + ids.map { "{\"id\": \($0), \"name\": \"n\($0)\"}" }.joined(separator: ",") + "]"
    }

    private func body(_ ids: [Int]) -> String {
        let slots = ids.map { "{\"name\": \"n\($0)\"}" }.joined(separator: ",")
        return "{\"id\": 1, \"by_identity\": \(parts(ids)), \"by_key\": \(parts(ids)), \"nested\": \(parts(ids)), "
            + "\"links\": [\(ids.map { "{\"id\": \($0)}" }.joined(separator: ","))], \"embedded\": [\(slots)]}"
    }

    @Test(arguments: [false, true], [false, true])
    func `A pending list edit keeps members that others added at the server`(isSaved: Bool, isForm: Bool) async throws {
        var conventions = APIConventions.default
        if isForm { conventions.bodies = .form }
        let service = try Service(
            [Crate.self, Part.self, Piece.self, Slot.self], conventions: conventions,
            stub: StubTransport { _ in .status(204) })
        let crate = try await service.imported(Crate.self, body([1, 2]))
        let three = try await service.imported(Part.self, #"{"id": 3, "name": "n3"}"#)
        let piece = try await service.imported(Piece.self, #"{"id": 3}"#)
        let slot = Slot(in: service.main)
        slot.name = "n3"
        crate.byIdentity.removeFirst()
        crate.byKey.removeFirst()
        crate.nested.removeFirst()
        crate.links.removeFirst()
        crate.embedded.removeFirst()
        crate.byIdentity.append(three)
        crate.byKey.append(three)
        crate.nested.append(three)
        crate.links.append(piece)
        crate.embedded.append(slot)
        if isSaved { try await service.main.save() }
        _ = try await service.imported(Crate.self, body([1, 2, 4]))
        #expect(crate.byIdentity.compactMap(\.identifier) == [2, 3, 4])
        #expect(crate.byKey.compactMap(\.identifier) == [2, 3, 4])
        #expect(crate.nested.compactMap(\.identifier) == [2, 3, 4])
        #expect(crate.links.compactMap(\.identifier) == [2, 3, 4])
        #expect(crate.embedded.compactMap(\.name) == ["n2", "n3", "n4"])
        try await crate.save()
        #expect(crate.unsentProperties == [] && !service.main.hasChanges)
        let sent = service.stub.log[0].replacing("%5B", with: "[").replacing("%5D", with: "]")
        #expect(
            isForm
                ? sent.contains("by_key[]=n2&by_key[]=n3&by_key[]=n4")
                : sent.contains(#""by_key":["n2","n3","n4"]"#) && sent.contains(#""links":[2,3,4]"#))
    }

    private func service() throws -> Service {
        try Service(
            [Crate.self, Part.self, Piece.self, Slot.self],
            stub: StubTransport { request in
                request.method == .post ? .json(#"{"id": 9, "name": "n9"}"#) : .status(204)
            })
    }

    @Test func `A pending list edit recognizes an added member once it has an identity, and a removed one`()
        async throws
    {
        let service = try service()
        let crate = try await service.imported(Crate.self, body([1, 2, 3]))
        let new = Part(in: service.main)
        new.name = "n9"
        crate.byIdentity.append(new)
        crate.byIdentity.removeFirst()
        try await service.main.save()
        try await new.create()
        _ = try await service.imported(Crate.self, #"{"id": 1, "by_identity": [{"id": 1}, {"id": 2}, {"id": 5}, 7]}"#)
        #expect(crate.byIdentity.compactMap(\.identifier) == [2, 9, 5] && crate.unsentProperties == ["byIdentity"])
        _ = try await service.imported(Crate.self, #"{"id": 1, "by_identity": [{"id": 2}, 7]}"#)
        #expect(crate.byIdentity.compactMap(\.identifier) == [2, 9])
        try await crate.save()
        #expect(service.stub.log.last == #"PATCH /crates/1 {"by_identity_ids":[2,7,9]}"#)
        #expect(crate.unsentProperties == [])
    }

    @Test func `A list edit that the server has made too isn't sent, and later edits build on it`()
        async throws
    {
        let service = try service()
        let crate = try await service.imported(Crate.self, body([1, 2, 3]))
        crate.byIdentity.removeLast()
        try await service.main.save()
        _ = try await service.imported(Crate.self, #"{"id": 1, "by_identity": [{"id": 1}, {"id": 2}]}"#)
        #expect(crate.unsentProperties == [])
        crate.byIdentity.removeFirst()
        try await service.main.save()
        crate.byIdentity = [try #require(try service.main.find(Part.self, 3))] + crate.byIdentity
        try await service.main.save()
        _ = try await service.imported(Crate.self, #"{"id": 1, "by_identity": [{"id": 2}, {"id": 1}, {"id": 4}]}"#)
        #expect(crate.byIdentity.compactMap(\.identifier) == [3, 2, 4])
    }

    @Model("/docs")
    final class Doc {
        var identifier: Int?
        @Relationship(inverse: "docs") var topics: [Topic]
    }

    @Model("/topics")
    final class Topic {
        var identifier: Int?
        @Relationship("/topics/:id/docs", inverse: "topics", sentAs: .never) var docs: [Doc]
    }

    /// The answer has the member that was just sent and has been removed locally since.
    @Test(arguments: [false, true])
    func `An answer requested before the last acknowledgement removes no pending edit`(_ isSaved: Bool) async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, [Doc.self, Topic.self])
        let doc = try await store.imported(Doc.self, #"{"id": 2, "topics": [{"id": 11}]}"#)
        let topic = try await store.imported(Topic.self, #"{"id": 13, "docs": []}"#)
        doc.topics.append(topic)
        if isSaved { try await store.main.save() }
        let saving = Task { try await doc.save() }
        await held.wait(for: 1)
        doc.topics.removeAll { $0 === topic }
        let fetching = Task { _ = try await topic.$docs.fetch() }
        await held.wait(for: 2)
        held.answer(0, .json(#"{"id": 2}"#))
        try await saving.value
        try await store.main.save()
        held.answer(1, .json(#"[{"id": 2, "topics": [{"id": 11}, {"id": 13}]}]"#))
        try await fetching.value
        #expect(doc.topics.map(\.identifier) == [11] && doc.unsentProperties == ["topics"])
        let again = Task { try await doc.save() }
        await held.wait(for: doc.unsentProperties.isEmpty ? 2 : 3)
        if !doc.unsentProperties.isEmpty { held.answer(2, .status(204)) }
        try await again.value
        #expect(held.bodies.last == #"{"topic_ids":[11]}"#)
    }
}
