import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Values that JSON can't express are read back as set, and refused by name before anything is written or sent.
@MainActor @Suite struct UnsendableTests {
    @Model("/odds")
    final class Odd {
        struct Pair: Codable, Equatable { var first: Double }

        var identifier: Int?
        var name = ""
        var ratio: Double?
        var share: Float = 0
        var price: Decimal?
        var at: Date?
        var ratios: [Double] = []
        var byName: [String: Float]?
        var pair: Pair?
    }

    private nonisolated static let edits: [(String, @Sendable (Odd) -> Void)] = [
        ("ratio", { $0.ratio = .nan }), ("ratio", { $0.ratio = .infinity }), ("share", { $0.share = -.infinity }),
        ("price", { $0.price = .nan }), ("at", { $0.at = Date(timeIntervalSince1970: .nan) }),
        ("at", { $0.at = Date(timeIntervalSince1970: .infinity) }), ("ratios", { $0.ratios = [1, .nan] }),
        ("byName", { $0.byName = ["a": .infinity] }), ("pair", { $0.pair = Odd.Pair(first: .nan) }),
    ]

    @Test(arguments: edits.indices)
    func `A save or creation of a value that JSON can't express names the property`(_ index: Int) async throws {
        let (property, edit) = Self.edits[index]
        let service = try Service([Odd.self], stub: StubTransport { _ in .status(204) })
        let odd = try await service.imported(Odd.self, #"{"id":1,"name":"a","ratio":1}"#)
        edit(odd)
        let local = await #expect(throws: StoreError.self) { try await service.main.save() }
        guard case .unsendable("Odd", property, _)? = local else { return #expect(Bool(false), "\(local as Any)") }
        let sending = await #expect(throws: APIError.self) { try await odd.save() }
        guard case .unsendable("Odd", property, _)? = sending else { return #expect(Bool(false), "\(sending as Any)") }
        #expect(sending?.description.contains("Odd.\(property)") == true)
        let new = Odd(in: service.main)
        edit(new)
        let creating = await #expect(throws: APIError.self) { try await new.create() }
        #expect(creating?.description == sending?.description)
        #expect(service.stub.log == [])
        // Both are usable once it is mended.
        service.main.rollback()
        odd.name = "b"
        try await odd.save()
        #expect(service.stub.log == [#"PATCH /odds/1 {"name":"b"}"#])
        #expect(odd.ratio == 1)
    }

    @Test func `A value that JSON can't express can be read back`() throws {
        let odd = Odd(in: try Service([Odd.self]).main)
        odd.ratio = .nan
        odd.share = .infinity
        odd.price = .nan
        #expect(odd.ratio?.isNaN == true && odd.share == .infinity && odd.price?.isNaN == true)
    }
}
