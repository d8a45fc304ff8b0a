import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// The latest changes are kept exactly while a request is in flight, and only true ones.
@Suite struct RecentChangesTests {
    private let list = List(
        id: ListID(0), target: TableID(0), inverse: nil,
        storage: .join(
            JoinTable(name: "both", source: TableID(0), target: TableID(0), isTwoSided: false), isReversed: false),
        options: RelationshipOptions())
    private let records = (1...3).map { RecordID(table: TableID(0), row: RowID($0)) }

    /// All that can be asked of the changes since a stamp.
    private func answers(_ changes: RecentChanges, since stamp: ChangeStamp) -> [String] {
        records.map { record in
            let members = changes.settled(
                [], over: (1...3).map { RowID($0) }, in: list, of: ListOwner(PropertyIndex(0), of: record), by: nil,
                since: stamp
            )
            let columns = changes.readColumns(of: record, since: stamp)
            return "\(changes.hasChanged(record, since: stamp)) \(members) \(String(describing: columns))"
                + " \(changes.hasDeleted("\(record.row)", in: record.table, since: stamp))"
                + " \(String(describing: changes.row(formerlyNamed: identity(record), in: record.table, since: stamp)))"
        }
    }

    private func identity(_ record: RecordID) -> [StoredValue] { [.integer(record.row.rawValue)] }

    /// Notes one of the things that there are to note.
    private func note(to changes: inout RecentChanges, with generator: inout SeededGenerator) {
        guard let record = records.randomElement(using: &generator) else { return }
        switch Int.random(in: 0...4, using: &generator) {
        case 0: changes.note(record)
        case 1:
            changes.note([RowID(.random(in: 1...3, using: &generator))], of: ListOwner(PropertyIndex(0), of: record))
        case 2:
            var columns = ColumnMask()
            columns.insert(.random(in: 0...9, using: &generator))
            changes.note(columns, of: record, requestedAt: .now())
        case 3:
            let other = records.randomElement(using: &generator) ?? record
            changes.note(identity(other), ofRenamed: record)
        default: changes.noteDeletion(of: "\(record.row)", in: record.table)
        }
    }

    @Test(arguments: 0..<50)
    func `A transaction that is rolled back leaves no recorded changes`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var changes = RecentChanges()
        var stamps = [ChangeStamp.now()]
        for _ in 0..<20 {
            changes.beginTransaction()
            for _ in 0..<4 { note(to: &changes, with: &generator) }
            stamps.append(.now())
            // A transaction's notes apply to itself only after it.
            changes.beginTransaction()
            let before = stamps.map { answers(changes, since: $0) }
            for _ in 0..<4 { note(to: &changes, with: &generator) }
            changes.rollBack()
            #expect(stamps.map { answers(changes, since: $0) } == before)
        }
    }

    @Test func `Changes count only for requests older than the newest of them`() {
        var changes = RecentChanges()
        #expect(!changes.hasAny(since: .earliest))
        let before = ChangeStamp.now()
        changes.note(records[0])
        #expect(changes.hasAny(since: before) && !changes.hasAny(since: .now()) && !changes.hasAny(since: nil))
        changes.forget(before: .now())
        #expect(!changes.hasChanged(records[0], since: before))
    }

    /// Two screens often load at the same time, and both must stay fast.
    @MainActor
    @Test func `An import during an open request costs no more than alone`() async throws {
        let body = "[" + (1...400).map { #"{"id": \#($0), "login": "a"}"# }.joined(separator: ",") + "]"
        func cost(whileAsking: Bool) async throws -> Int {
            let store = try Store(of: World.models)
            let requestStart = whileAsking ? store.main.operations.startRequest() : nil
            defer { withExtendedLifetime(requestStart) {} }
            return try await store.work { try await store.main.take(User.self, body) }
        }
        let (alone, overlapping) = (try await cost(whileAsking: false), try await cost(whileAsking: true))
        #expect(Double(overlapping) <= 1.05 * Double(alone))
    }

    @Test func `Ending suspended operations releases them and their requests`() {
        let operations = InFlightOperations()
        let requestStart = operations.startRequest()
        let other = PausedOperation(operations.startRequest(), in: operations)
        let kept = PausedOperation(requestStart, in: operations)
        #expect(kept.end() === requestStart && kept.end() == nil)
        operations.endPausedOperations()
        #expect(other.end() == nil && operations.oldestRequestStart == requestStart.stamp)
        // One that begins after that is kept.
        let next = PausedOperation(requestStart, in: operations)
        #expect(next.end() === requestStart)
    }

    @Test func `The number of recorded changes is counted until they are forgotten`() {
        var changes = RecentChanges()
        let owner = ListOwner(PropertyIndex(0), of: RecordID(table: TableID(0), row: RowID(1)))
        for row in 1...3 { changes.note(RecordID(table: TableID(0), row: RowID(Int64(row)))) }
        changes.note((1...4).map { RowID(Int64($0)) }, of: owner)
        #expect(changes.noteCount == 7)
        changes.beginCounting()
        #expect(changes.noteCount == 0 && !changes.isEmpty)
        changes.note(owner.record)
        changes.forget(before: nil)
        #expect(changes.noteCount == 0 && changes.isEmpty)
    }
}
