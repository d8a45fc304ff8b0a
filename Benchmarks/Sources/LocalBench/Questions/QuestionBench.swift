import Foundation
import GRDB
import Observation
import RestfulData
import Synchronization

/// Asks the library and the smallest sufficient code in turn, and compares their results.
@MainActor
struct QuestionBench {
    static let count = 100_000
    static let readingCount = 1_000_000
    static let trackerCount = 1000

    private let store: Store
    private let records: QuestionRecords
    private var table = QuestionTable()

    init(folder: URL) async throws {
        store = try Store(
            .file(folder.appendingPathComponent("questions.sqlite").path),
            models: [Ticket.self, Author.self, Note.self, Reading.self])
        records = try QuestionRecords(path: folder.appendingPathComponent("records.sqlite").path)
        for start in stride(from: 1, through: Self.count, by: 10_000) {
            let identifiers = start..<start + 10_000
            let tickets = identifiers.map { Self.ticket($0) }.joined(separator: ",")
            _ = try await store.main.importReporting(Ticket.self, from: Data("[\(tickets)]".utf8))
            let notes = identifiers.map { #"{"id":\#($0),"text":"\#(QuestionRecords.text($0))"}"# }
            _ = try await store.main.importReporting(Note.self, from: Data("[\(notes.joined(separator: ","))]".utf8))
        }
    }

    func close() throws {
        store.close()
        try records.close()
    }

    private static func ticket(_ identifier: Int) -> String {
        """
        {"id":\(identifier),"number":\(identifier),"votes":\(identifier * 31 % 1000),\
        "author":{"id":\(identifier % 1000),"name":"Author \(identifier % 1000)"}}
        """
    }

    mutating func measure(rounds: Int) async throws -> String {
        // The first round includes lazy set-up, and is ignored.
        for round in 0...rounds {
            for task in QuestionTask.allCases where task != .visit {
                let pair = try await measure(task)
                if round > 0 { table.add(pair, of: task) }
            }
        }
        table.add(try await visit(), of: .visit)
        return table.markdown
    }

    private func measure(_ task: QuestionTask) async throws -> QuestionTable.Pair {
        switch task {
        case .join: try compare(task, own: join, other: records.join)
        case .aggregate: try compare(task, own: aggregate, other: records.aggregate)
        case .search: try compare(task, own: search, other: records.search)
        case .live: try live()
        case .trackers: try trackers()
        case .visit: try await visit()
        }
    }

    /// Microseconds of processor time for each pass.
    private func time(_ passes: Int, _ body: () throws -> Void) rethrows -> Double {
        let begin = Program.processorTime
        for _ in 0..<passes { try body() }
        return (Program.processorTime - begin) / .microseconds(1) / Double(passes)
    }

    private func compare(
        _ task: QuestionTask, own: () throws -> Int, other: () throws -> Int
    ) throws -> QuestionTable.Pair {
        var (found, expected) = (0, 0)
        let there = try time(task.passes) { expected = try other() }
        let here = try time(task.passes) { found = try own() }
        guard found == expected else {
            throw Failure(description: "\(task.rawValue): \(found) here, \(expected) there")
        }
        return QuestionTable.Pair(own: here, other: there)
    }

    // MARK: Questions

    private func join() throws -> Int {
        let query = store.main.query(Ticket.self).where { $0.author.name == "Author 7" }.order { $0.votes }
        return try query.select { ($0.number, $0.author.name) }.fetch().reduce(0) {
            $0 + $1.0 + ($1.1?.utf8.count ?? 0)
        }
    }

    private func aggregate() throws -> Int {
        let groups = store.main.query(Ticket.self).grouped { $0.author.name }
        return try groups.select { ($0.count, $0.sum { $0.votes }) }.fetch().reduce(0) {
            $0 + $1.values.0 * ($1.values.1 ?? 0)
        }
    }

    private func search() throws -> Int {
        let found = try store.main.query(Note.self).search("word7 text3").limit(20).fetch()
        return found.reduce(0) { $0 + $1.text.utf8.count }
    }

    // MARK: Live objects

    private func live() throws -> QuestionTable.Pair {
        let query = store.main.query(Ticket.self).order { $0.number }
        let list = try query.live()
        guard let ticket = try store.main.find(Ticket.self, 5) else { throw Failure(description: "no ticket") }
        var count = list.count
        let here = time(10) {
            ticket.number += 40_000
            count = list.count
        }
        guard count == Self.count, list[Self.count - 1] === ticket else {
            throw Failure(description: "the live list is out of order")
        }
        let there = try time(1) { count = try query.fetch().count }
        store.main.rollback()
        return QuestionTable.Pair(own: here, other: there)
    }

    private final class Wakings: Sendable {
        let count = Atomic(0)
    }

    /// Changes the first of some tickets again and again, each of which has a tracker.
    ///
    /// - Returns: the microseconds of a change, the waking and the new tracking among them.
    private func change(_ tickets: some Sequence<Ticket>) throws -> Double {
        let (wakings, all) = (Wakings(), Array(tickets))
        func track(_ ticket: Ticket) {
            withObservationTracking {
                _ = ticket.votes
            } onChange: {
                wakings.count.add(1, ordering: .relaxed)
            }
        }
        all.forEach(track)
        guard let first = all.first else { return 0 }
        let passes = QuestionTask.trackers.passes
        let time = time(passes) {
            first.votes += 1
            track(first)
        }
        let count = wakings.count.load(ordering: .relaxed)
        guard count == passes else { throw Failure(description: "\(count) wakings of \(passes) changes") }
        return time
    }

    private func trackers() throws -> QuestionTable.Pair {
        let tickets = try store.main.query(Ticket.self).limit(Self.trackerCount).fetch()
        defer { store.main.rollback() }
        let there = try change(tickets.prefix(1))
        store.main.rollback()
        return QuestionTable.Pair(own: try change(tickets), other: there)
    }

    // MARK: Memory

    /// The greatest resident size while a million objects are visited, and the size before.
    private func visit() async throws -> QuestionTable.Pair {
        for start in stride(from: 1, through: Self.readingCount, by: 100_000) {
            let readings = (start..<start + 100_000).map { #"{"id":\#($0),"value":\#($0 % 7)}"# }
            _ = try await store.main.importReporting(
                Reading.self, from: Data("[\(readings.joined(separator: ","))]".utf8))
        }
        let before = Self.residentMegabytes
        var (peak, sum, count) = (before, 0, 0)
        try store.main.query(Reading.self).visit { reading in
            (sum, count) = (sum + reading.value, count + 1)
            if count % 50_000 == 0 { peak = max(peak, Self.residentMegabytes) }
        }
        guard count == Self.readingCount, sum == (1...Self.readingCount).reduce(0, { $0 + $1 % 7 }) else {
            throw Failure(description: "\(count) objects visited")
        }
        return QuestionTable.Pair(own: peak, other: before)
    }

    /// As Linux counts it; 1 elsewhere.
    private static var residentMegabytes: Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 1 }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split { " \t".contains($0) }.dropFirst().first.flatMap { Double($0) } ?? 1024) / 1024
    }
}
