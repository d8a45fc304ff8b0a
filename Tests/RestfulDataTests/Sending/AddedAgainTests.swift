import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A member that was removed from a list and is added again has the place where it was added.
@MainActor @Suite struct AddedAgainTests {
    @Model("/racks") final class Rack {
        var identifier: Int?
        @Relationship(inverse: "rack") var coats: [Coat]
        @Relationship(inverse: "racks") var tags: [RackTag]
    }

    @Model("/coats") final class Coat {
        var identifier: Int?
        var rack: Rack?
    }

    @Model("/rack_tags") final class RackTag {
        var identifier: Int?
        @Relationship(inverse: "tags", sentAs: .never) var racks: [Rack]
    }

    private let file: Box<TemporaryFile>

    init() throws { file = try Box(TemporaryFile()) }

    private func program() throws -> Service {
        file.value = try file.value.copy()
        return try Service(
            [Rack.self, Coat.self, RackTag.self], location: .file(file.value.path),
            stub: StubTransport { _ in .status(204) })
    }

    /// When the steps are saved.
    enum Saving: CaseIterable { case atTheEnd, afterTheRemoval, afterEach }

    private static let json = #"""
        [{"id": 1, "coats": [{"id": 16}, {"id": 15}], "tags": [{"id": 16}, {"id": 15}]},
         {"id": 2, "coats": [{"id": 12}], "tags": [{"id": 12}]}]
        """#

    @Test(arguments: Saving.allCases, [false, true])
    func `A member removed and added again is last in a one-to-many list, also after a restart`(
        _ saving: Saving, isRemovedByOtherList: Bool
    ) async throws {
        do {
            let service = try program()
            let racks = try await service.main.import(Rack.self, from: Array(Self.json.utf8)).objects
            let (moved, other) = (racks[0].coats[0], racks[1].coats[0])
            if isRemovedByOtherList { racks[1].coats.append(moved) } else { racks[0].coats.removeFirst() }
            if saving != .atTheEnd { try await service.main.save() }
            racks[0].coats.append(other)
            if saving == .afterEach { try await service.main.save() }
            racks[0].coats.append(moved)
            #expect(racks[0].coats.map(\.identifier) == [15, 12, 16])
            try await service.main.save()
        }
        let service = try program()
        let rack = try #require(try service.main.find(Rack.self, 1))
        #expect(rack.coats.map(\.identifier) == [15, 12, 16])
        _ = try await service.main.import(Rack.self, from: Array(Self.json.utf8))
        #expect(rack.coats.map(\.identifier) == [15, 12, 16])
        try await rack.save()
        #expect(service.stub.log == [#"PATCH /racks/1 {"coat_ids":[15,12,16]}"#])
        #expect(rack.unsentProperties == [])
    }

    @Test(arguments: Saving.allCases)
    func `A member removed and added again is last in a many-to-many list, also after a restart`(_ saving: Saving)
        async throws
    {
        do {
            let service = try program()
            let racks = try await service.main.import(Rack.self, from: Array(Self.json.utf8)).objects
            let (moved, other) = (racks[0].tags[0], racks[1].tags[0])
            racks[0].tags.removeFirst()
            if saving != .atTheEnd { try await service.main.save() }
            racks[0].tags.append(other)
            if saving == .afterEach { try await service.main.save() }
            racks[0].tags.append(moved)
            #expect(racks[0].tags.map(\.identifier) == [15, 12, 16])
            try await service.main.save()
        }
        let service = try program()
        let rack = try #require(try service.main.find(Rack.self, 1))
        _ = try await service.main.import(Rack.self, from: Array(Self.json.utf8))
        #expect(rack.tags.map(\.identifier) == [15, 12, 16])
        try await rack.save()
        #expect(service.stub.log == [#"PATCH /racks/1 {"tag_ids":[15,12,16]}"#])
    }

    @Test(arguments: Saving.allCases)
    func `A member removed and added again at its former place is no edit`(_ saving: Saving) async throws {
        let service = try program()
        let racks = try await service.main.import(Rack.self, from: Array(Self.json.utf8)).objects
        for tag in [racks[0].tags[1]] {
            racks[0].tags.removeLast()
            if saving != .atTheEnd { try await service.main.save() }
            racks[0].tags.append(tag)
        }
        for coat in [racks[0].coats[1]] {
            racks[0].coats.removeLast()
            if saving == .afterEach { try await service.main.save() }
            racks[0].coats.append(coat)
        }
        try await service.main.save()
        #expect(racks[0].unsentProperties == [] && !service.main.hasChanges)
        #expect(racks[0].coats.map(\.identifier) == [16, 15] && racks[0].tags.map(\.identifier) == [16, 15])
    }
}
