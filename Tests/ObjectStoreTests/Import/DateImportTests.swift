import Foundation
import ObjectStore
import RestfulData
import TestSupport
import Testing

/// The dates of real replies: every row of `Fixtures/dates.json`.
@MainActor
@Suite struct DateImportTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let json: String
        let seconds: Double?

        var testDescription: String { json }
    }

    nonisolated static let rows: [Row] = {
        let file = ProjectFolder.test("ObjectStoreTests/Fixtures/dates.json")
        guard let data = try? Data(contentsOf: file),
            let facts = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let rows = facts["parse"] as? [[Any]]
        else { return [] }
        return rows.compactMap { row in
            guard let text = try? JSONSerialization.data(withJSONObject: [row[0]]) else { return nil }
            return Row(
                json: String(String(decoding: text, as: UTF8.self).dropFirst().dropLast()), seconds: row[1] as? Double)
        }
    }()

    @Test func `The fixture is there`() { #expect(Self.rows.count >= 17) }

    @Test(arguments: rows)
    func `A date is read or reported`(_ row: Row) async throws {
        let store = try Store(of: [Sample.self])
        let imported = try await store.main.take(Sample.self, #"{"id": 1, "date": \#(row.json)}"#)
        #expect(imported.objects[0].date?.timeIntervalSince1970 == row.seconds)
        #expect(imported.report.mismatched.map(\.path) == (row.seconds == nil ? ["date"] : []))
    }
}
