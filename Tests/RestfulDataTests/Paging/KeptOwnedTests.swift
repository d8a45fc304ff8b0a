import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@Model("/racks")
final class KeptRack {
    var identifier: Int?
    @Relationship(inverse: "rack", owns: true) var items: [KeptItem]
}

@Model("/racks/:rack.id/items", object: "/items/:id")
final class KeptItem {
    var identifier: Int?
    var name = ""
    var rack: KeptRack?
}

@ResponseBody
struct KeptRacks {
    var racks: [KeptRack]
}

/// Members with unsaved edits that an owned list leaves out.
@MainActor @Suite struct KeptOwnedTests {
    @Test func `A member with an unsaved edit stays when its owner's body or a response omits it`() async throws {
        let body = #"{"racks": [{"id": 5, "items": [{"id": 1}]}]}"#
        let service = try Service([KeptRack.self, KeptItem.self], stub: StubTransport { _ in .json(body) })
        let full = #"{"id": 5, "items": [{"id": 1}, {"id": 2, "name": "a"}]}"#
        let rack = try await service.imported(KeptRack.self, full)
        let edited = rack.items[1]
        edited.name = "mine"
        _ = try await service.imported(KeptRack.self, #"{"id": 5, "items": [{"id": 1}]}"#)
        #expect(!edited.isDeleted && edited.name == "mine")
        _ = try await service.imported(KeptRack.self, full)
        _ = try await KeptRacks.fetch("/racks", in: service.main)
        #expect(!edited.isDeleted && edited.name == "mine")
    }

    @Test(arguments: [Pruning.unlink, .delete, .never])
    func `A member with an unsaved edit stays when the whole list omits it`(_ pruning: Pruning) async throws {
        let service = try Service(
            [KeptRack.self, KeptItem.self], stub: StubTransport { _ in .json(#"[{"id": 1}]"#) })
        let rack = try await service.imported(
            KeptRack.self, #"{"id": 5, "items": [{"id": 1}, {"id": 2, "name": "a"}, {"id": 3}]}"#)
        let (edited, other) = (rack.items[1], rack.items[2])
        edited.name = "mine"
        _ = try await rack.$items.fetch(prune: pruning)
        #expect(!edited.isDeleted && edited.name == "mine")
        #expect(other.isDeleted == (pruning != .never))
        try await service.main.save()
        #expect(try await service.store.background { try $0.find(KeptItem.self, 2)?.name } == "mine")
    }
}
