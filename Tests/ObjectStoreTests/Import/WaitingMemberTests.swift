import Foundation
import GRDBSQLite
import RestfulData
import Testing

@testable import ObjectStore

/// Members of lists that wait for their rows: later values of the list, the order of arrival, and the cost.
@MainActor
@Suite struct WaitingMemberTests {
    private func pending(_ store: Store) throws -> String? {
        try Database(store.path).value("SELECT count(*) FROM _pending_link")
    }

    private func waiting(_ ids: String) async throws -> (Store, Issue) {
        let store = try Store(of: World.models)
        try await store.main.take(Label.self, #"[{"id": 1}, {"id": 2}]"#)
        let issue = try await store.main.take(Issue.self, "{\"id\": 1, \"label_ids\": [\(ids)]}").objects[0]
        return (store, issue)
    }

    @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]])
    func `Members that are imported later enter in the order of their list`(_ order: [Int]) async throws {
        for together in [false, true] {
            let (store, issue) = try await waiting("5, 1, null, 6, 2, 7, 8")
            let bodies = order.map { "{\"id\": \(5 + $0)}" }
            for body in together ? ["[\(bodies.joined(separator: ","))]"] : bodies {
                try await store.takeElsewhere(Label.self, body)
            }
            #expect(issue.labels.map(\.identifier) == [5, 1, 6, 2, 7, 8], "together: \(together)")
            #expect(try pending(store) == "0")
        }
    }

    @Test func `A list that is emptied or replaced drops its pending members`() async throws {
        for edit in [[], [3]] {
            let (store, issue) = try await waiting("1, 9")
            try await store.main.take(Label.self, #"{"id": 3}"#)
            issue.labels = try edit.compactMap { try store.main.find(Label.self, $0) }
            try await store.main.save()
            #expect(try pending(store) == "0")
            try await store.takeElsewhere(Label.self, #"{"id": 9}"#)
            #expect(issue.labels.map(\.identifier) == edit)
        }
    }

    @Test func `A list that gains and loses members keeps its pending members`() async throws {
        let (store, issue) = try await waiting("1, 2, 9")
        try await store.main.take(Label.self, #"{"id": 3}"#)
        issue.labels.append(try #require(try store.main.find(Label.self, 3)))
        issue.labels.removeAll { $0.identifier == 1 }
        try await store.main.save()
        #expect(try pending(store) == "1")
        try await store.takeElsewhere(Label.self, #"{"id": 9}"#)
        #expect(Set(issue.labels.map(\.identifier)) == [2, 3, 9])
    }

    @Test func `A later whole list replaces pending members whose identity needs their owner`() async throws {
        let store = try Store(of: [Milestone.self, Stage.self, Remark.self, Planner.self])
        let planner = try await store.main.take(Planner.self, #"{"id": 1, "remark_ids": [7, 8]}"#).objects[0]
        try await store.main.take(Planner.self, #"{"id": 1, "remark_ids": [8]}"#)
        try await store.takeElsewhere(Remark.self, #"[{"id": 7}, {"id": 8}]"#)
        #expect(planner.remarks.map(\.identifier) == [8])
    }

    @Test func `A merged list keeps its pending members`() async throws {
        let store = try Store(of: [Milestone.self, Stage.self, Remark.self, Planner.self])
        let planner = try await store.main.take(Planner.self, #"{"id": 1, "kept_ids": [7]}"#).objects[0]
        try await store.main.take(Planner.self, #"{"id": 1, "kept_ids": [8]}"#)
        try await store.takeElsewhere(Remark.self, #"[{"id": 7}, {"id": 8}]"#)
        #expect(Set(planner.kept.map(\.identifier)) == [7, 8])
    }

    // MARK: Identities

    @Test func `Pending links to identities of bytes and decimals find their targets`() async throws {
        let store = try Store(of: [Stamped.self, Measured.self, Sheet.self])
        let sheet = try await store.main.take(
            Sheet.self, #"{"id": 1, "stamp_ids": ["AQI=", "AwQ="], "measure_id": 1.5}"#
        ).objects[0]
        try await store.takeElsewhere(Stamped.self, #"{"code": "BQY="}"#)
        #expect(sheet.stamps.isEmpty)
        try await store.takeElsewhere(Stamped.self, #"[{"code": "AwQ="}, {"code": "AQI="}]"#)
        #expect(sheet.stamps.map(\.code) == [Data([1, 2]), Data([3, 4])])
        try await store.takeElsewhere(Measured.self, #"[{"value": 1}, {"value": 1.5}]"#)
        #expect(sheet.measure?.value == 1.5)
    }

    // MARK: Cost

    /// How many rows the import of `n` labels that an issue waits for inserts, updates and deletes.
    private func rowsWritten(_ n: Int) async throws -> Int {
        let store = try Store(of: World.models)
        let ids = (1...n).map(String.init)
        try await store.main.take(Issue.self, "{\"id\": 1, \"label_ids\": [\(ids.joined(separator: ","))]}")
        let before = try await totalChanges(store)
        try await store.main.take(Label.self, "[\(ids.reversed().map { "{\"id\": \($0)}" }.joined(separator: ","))]")
        let issue = try #require(try store.main.find(Issue.self, 1))
        #expect(issue.labels.map(\.identifier) == Array(1...n))
        return try await totalChanges(store) - before
    }

    private func totalChanges(_ store: Store) async throws -> Int {
        try await store.file.write { writer in
            (unsafe Int(sqlite3_total_changes64(writer.connection.handle)), ChangeSet(writer.schema))
        }
    }

    @Test func `Resolving pending members writes a number of rows proportional to the members`() async throws {
        var written: [Int] = []
        for n in [50, 200, 800] { written.append(try await rowsWritten(n)) }
        #expect(written[1] <= 4 * written[0] && written[2] <= 16 * written[0], "\(written)")
    }

    @Test func `A long list merges in each member once`() async throws {
        let store = try Store(of: [Milestone.self, Stage.self, Remark.self, Planner.self])
        func body(_ range: ClosedRange<Int>) -> String {
            "{\"id\": 1, \"kept\": [\(range.map { "{\"id\": \($0)}" }.joined(separator: ","))]}"
        }
        let planner = try await store.main.take(Planner.self, body(1...3000)).objects[0]
        try await store.main.take(Planner.self, body(2000...6000))
        #expect(planner.kept.map(\.identifier) == Array(1...6000))
    }
}

@Model
final class Planner {
    var identifier: Int?
    @Relationship(inverse: nil) var remarks: [Remark]
    @Relationship(inverse: nil, merges: true) var kept: [Remark]
}

@Model(identity: "code")
final class Stamped {
    var code: Data?
}

@Model(identity: "value")
final class Measured {
    var value: Double?
}

@Model
final class Sheet {
    var identifier: Int?
    @Relationship(inverse: nil) var stamps: [Stamped]
    @Relationship(inverse: nil) var measure: Measured?
}
