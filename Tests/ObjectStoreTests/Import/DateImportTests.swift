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

    @Test func `The date fixture exists`() { #expect(Self.rows.count >= 17) }

    @Test(arguments: rows)
    func `A date is read or reported`(_ row: Row) async throws {
        let store = try Store(of: [Sample.self])
        let imported = try await store.main.take(Sample.self, #"{"id": 1, "date": \#(row.json)}"#)
        #expect(imported.objects[0].date?.timeIntervalSince1970 == row.seconds)
        #expect(imported.report.mismatched.map(\.path) == (row.seconds == nil ? ["date"] : []))
    }

    /// The calendar's exceptions, each next to its rule.
    nonisolated static let calendar: [Row] = [
        Row(json: #""1600-02-29""#, seconds: -11_670_998_400), Row(json: #""1700-02-29""#, seconds: nil),
        Row(json: #""1896-02-29""#, seconds: -2_330_121_600), Row(json: #""1900-02-28""#, seconds: -2_203_977_600),
        Row(json: #""1900-02-29""#, seconds: nil), Row(json: #""1900-02-29T12:00:00Z""#, seconds: nil),
        Row(json: #""1900-03-01""#, seconds: -2_203_891_200), Row(json: #""1904-02-29""#, seconds: -2_077_747_200),
        Row(json: #""2000-02-29""#, seconds: 951_782_400), Row(json: #""2001-02-29""#, seconds: nil),
        Row(json: #""2100-02-29""#, seconds: nil), Row(json: #""2100-03-01""#, seconds: 4_107_542_400),
        Row(json: #""2000-02-30""#, seconds: nil), Row(json: #""2000-04-31""#, seconds: nil),
        Row(json: #""2000-00-01""#, seconds: nil), Row(json: #""2000-01-00""#, seconds: nil),
    ]

    /// A `Date` counts from 2001 and is negative before that. The Unix time is negative before 1970.
    nonisolated static let early: [Row] = [
        Row(json: "915148800123", seconds: 915_148_800.123), Row(json: "978307199999", seconds: 978_307_199.999),
        Row(json: "978307200001", seconds: 978_307_200.001), Row(json: "100000000001", seconds: 100_000_000.001),
        Row(json: "-100000000001", seconds: -100_000_000.001), Row(json: #""915148800123""#, seconds: 915_148_800.123),
        Row(json: "100000000000", seconds: 100_000_000_000), Row(json: "-0.25", seconds: -0.25),
        Row(json: "915148800000001", seconds: 915_148_800.000001),
        Row(json: #""1999-12-31T23:59:59.999Z""#, seconds: 946_684_799.999),
        Row(json: #""1969-12-31T23:59:59.250Z""#, seconds: -0.75),
        Row(json: #""1900-01-01T00:00:00.001Z""#, seconds: -2_208_988_799.999),
    ]

    @Test(arguments: calendar + early)
    func `A date of any age is read to the millisecond, or reported`(_ row: Row) async throws {
        let store = try Store(of: [Sample.self])
        let imported = try await store.main.take(Sample.self, #"{"id": 1, "date": \#(row.json)}"#)
        #expect(imported.report.mismatched.map(\.path) == (row.seconds == nil ? ["date"] : []))
        let date = imported.objects[0].date?.timeIntervalSince1970
        #expect((date == nil) == (row.seconds == nil))
        // As exact as a Date is.
        if let date, let seconds = row.seconds { #expect(abs(date - seconds) < 5e-7, "\(date)") }
    }

    @Test(
        arguments: [
            ("978307199999", 978_307_199.999), ("946684800000", 946_684_800), ("\"946684800000\"", 946_684_800),
            ("-200000000000", -200_000_000), ("\"1900-02-28\"", -2_203_977_600), ("\"2000-02-29\"", 951_782_400),
            ("\"1900-02-29\"", nil), ("\"2001-02-29\"", nil), ("1e300", nil), ("-1e17", nil), ("1e400", nil),
            ("\"99999999999999999999999999999999\"", nil),
        ] as [(String, Double?)])
    func `Dates before 2001 keep their milliseconds, and impossible days are reported`(
        _ json: String, _ seconds: Double?
    ) async throws {
        let store = try Store(of: [Sample.self])
        let imported = try await store.main.take(Sample.self, "{\"id\": 1, \"date\": \(json)}")
        #expect(imported.objects[0].date?.timeIntervalSince1970 == seconds)
        #expect(imported.report.mismatched.map(\.path) == (seconds == nil ? ["date"] : []))
    }
}
