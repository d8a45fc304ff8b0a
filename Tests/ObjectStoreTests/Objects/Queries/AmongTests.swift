import Foundation
import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Many values of one attribute, of every kind, in the file and in memory alike.
@MainActor
@Suite struct AmongTests {
    typealias Query = ObjectQuery<Sample>

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let found: [Int]
        let query: @Sendable (Query) -> Query

        init(_ testDescription: String, _ found: [Int], _ query: @escaping @Sendable (Query) -> Query) {
            (self.testDescription, self.found, self.query) = (testDescription, found, query)
        }
    }

    nonisolated private static let token = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    nonisolated private static let date = Date(timeIntervalSince1970: 1_714_557_600.123456)

    private func fill(_ context: ObjectContext) {
        let samples = (1...4).map { identifier in
            let sample = Sample(in: context)
            sample.identifier = identifier
            return sample
        }
        (samples[0].double, samples[1].double, samples[2].double) = (0.1, 1e300, -0.0)
        (samples[0].float, samples[1].float) = (0.1, 2)
        (samples[0].date, samples[1].date) = (Self.date, Date(timeIntervalSince1970: -0.25))
        (samples[0].data, samples[1].data) = (Data([0xFF, 0x00, 0x0A]), Data())
        samples[0].uuid = UUID(uuidString: Self.token)
        (samples[0].decimal, samples[1].decimal) = (Decimal(string: "1.50"), 7)
        (samples[0].text, samples[1].text) = ("a\u{0}b", "é")
        (samples[0].mood, samples[1].level, samples[2].bool) = (.wild, .high, true)
        (samples[0].uint64, samples[1].int128) = (.max, .min)
        samples[0].link = URL(string: "https://example.com/a")
    }

    nonisolated private static let numbers = Array(1...40_000)
    nonisolated private static let halves: [Double?] = numbers.map { Double($0) + 0.5 }
    nonisolated private static let tenth = 0.1
    nonisolated private static let huge = 1e300
    nonisolated private static let floats: [Float?] = numbers.map { Float($0) + 0.5 }
    nonisolated private static let dates: [Date?] = numbers.map { Date(timeIntervalSince1970: Double($0)) }
    nonisolated private static let data: [Data?] = numbers.map { Data("\($0)".utf8) }
    nonisolated private static let uuids: [UUID?] = numbers.map { _ in UUID() }
    nonisolated private static let decimals: [Decimal?] = numbers.dropFirst(100).map { Decimal($0) }
    nonisolated private static let texts: [String?] = numbers.map { "\($0)" }
    nonisolated private static let unsigned: [UInt64?] = numbers.map { UInt64($0) }
    nonisolated private static let wide: [Int128?] = numbers.map { Int128($0) }
    nonisolated private static let links: [URL?] = numbers.map { URL(string: "https://example.com/\($0)") }

    nonisolated static let rows: [Row] = [
        Row("doubles", [1, 2, 3]) { $0.where { $0.double.isAmong(halves + [tenth, huge, 0]) } },
        Row("neighbours of doubles", []) {
            $0.where { $0.double.isAmong(halves + [tenth.nextUp, tenth.nextDown, huge.nextUp]) }
        },
        Row("doubles or nil", [1, 4]) { $0.where { $0.double.isAmong(halves + [nil, tenth]) } },
        Row("not among doubles", [2, 3, 4]) { $0.where { !$0.double.isAmong(halves + [tenth]) } },
        Row("numbers that no row has", []) { $0.where { $0.double.isAmong([.infinity, -.infinity]) } },
        Row("floats", [1, 2]) { $0.where { $0.float.isAmong(floats + [0.1, 2]) } },
        Row("dates", [1, 2]) { $0.where { $0.date.isAmong(dates + [date, Date(timeIntervalSince1970: -0.25)]) } },
        Row("data", [1, 2]) { $0.where { $0.data.isAmong(data + [Data([0xFF, 0x00, 0x0A]), Data()]) } },
        Row("UUIDs", [1]) { $0.where { $0.uuid.isAmong(uuids + [UUID(uuidString: token)]) } },
        Row("decimals", [1, 2]) { $0.where { $0.decimal.isAmong(decimals + [Decimal(string: "1.5"), 7]) } },
        Row("texts", [1, 2]) { $0.where { $0.text.isAmong(texts + ["a\u{0}b", "é"]) } },
        Row("texts in other code points", []) { $0.where { $0.text.isAmong(texts + ["e\u{301}"]) } },
        Row("enums of texts", [1]) { $0.where { $0.mood.isAmong(Array(repeating: .wild, count: 40_000)) } },
        Row("enums of numbers", [2]) { $0.where { $0.level.isAmong(Array(repeating: .high, count: 40_000)) } },
        Row("booleans", [3]) { $0.where { $0.bool.isAmong(Array(repeating: true, count: 40_000)) } },
        Row("unsigned numbers", [1]) { $0.where { $0.uint64.isAmong(unsigned + [.max]) } },
        Row("wide numbers", [2]) { $0.where { $0.int128.isAmong(wide + [.min]) } },
        Row("URLs", [1]) { $0.where { $0.link.isAmong(links + [URL(string: "https://example.com/a")]) } },
    ]

    @Test(arguments: rows)
    func `Any number of values is looked for`(_ row: Row) async throws {
        let store = try Store(of: [Sample.self])
        fill(store.main)
        let query = row.query(store.main.query(Sample.self))
        #expect(try Set(query.fetch().map(\.identifier)) == Set(row.found), "in memory")
        try await store.main.save()
        #expect(try Set(query.fetch().map(\.identifier)) == Set(row.found), "in the file")
        #expect(try query.count() == row.found.count)
    }
}
