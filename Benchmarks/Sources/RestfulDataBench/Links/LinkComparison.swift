import BenchmarkPeer
import Foundation
import RestfulData

/// The cost of links: the same rows as one nested body, into models with relationships, and as lists of their own, into
/// models without. `RestfulDataBench --links DATA ROUNDS`.
@MainActor
struct LinkComparison {
    private let linked: Data
    private let flat: [(any Model.Type, Data)]
    private let folder: URL
    private let rounds: Int

    init(_ arguments: some Collection<String>) throws {
        let arguments = Array(arguments)
        guard arguments.count == 2, let rounds = Int(arguments[1]), rounds > 0 else {
            throw Failure(description: "the arguments are DATA ROUNDS")
        }
        let data = URL(fileURLWithPath: arguments[0])
        func load(_ name: String) throws -> Data { try Data(contentsOf: data.appendingPathComponent(name)) }
        linked = try load("linked-issues.json")
        flat = [
            (User.self, try load("flat-users.json")), (Label.self, try load("flat-labels.json")),
            (FlatMilestone.self, try load("flat-milestones.json")),
            (FlatRepository.self, try load("flat-repositories.json")), (FlatIssue.self, try load("flat-issues.json")),
        ]
        self.rounds = rounds
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("links-\(UUID().uuidString)")
    }

    /// Prints the table.
    static func run(_ arguments: some Collection<String>) async -> Never {
        do {
            print(try await LinkComparison(arguments).measure())
            exit(EXIT_SUCCESS)
        } catch {
            FileHandle.standardError.write(Data("RestfulDataBench: \(error)\n".utf8))
            exit(EXIT_FAILURE)
        }
    }

    private func measure() async throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The first of each includes lazy set-up.
        _ = try await importLinked()
        _ = try await importFlat()
        var links: [LinkMeasurement] = []
        var plain: [LinkMeasurement] = []
        for round in 0..<rounds {
            if round % 2 == 0 { links.append(try await importLinked()) }
            plain.append(try await importFlat())
            if round % 2 == 1 { links.append(try await importLinked()) }
        }
        guard let link = links.first, let other = plain.first, link.rows == other.rows else {
            throw Failure(description: "not the same rows: \(links.first?.rows ?? 0), \(plain.first?.rows ?? 0)")
        }
        return LinkTable(links: links, plain: plain).markdown
    }

    /// Into a file of its own, cold.
    private func importLinked() async throws -> LinkMeasurement {
        let models: [any Model.Type] = [LinkedIssue.self, User.self, Label.self, Milestone.self, Repository.self]
        return try await withStore(models) { store in
            var rows = 0
            let time = try await ContinuousClock().measure {
                rows = try await Self.importList(LinkedIssue.self, linked, store)
            }
            let issues = try store.main.query(LinkedIssue.self).fetch()
            let members = issues.reduce(0) { $0 + $1.labels.count + $1.assignees.count }
            return LinkMeasurement(time: time, rows: rows, members: members)
        }
    }

    private func importFlat() async throws -> LinkMeasurement {
        try await withStore(flat.map { $0.0 }) { store in
            var rows = 0
            let time = try await ContinuousClock().measure {
                for (model, body) in flat { rows += try await Self.importList(model, body, store) }
            }
            return LinkMeasurement(time: time, rows: rows, members: 0)
        }
    }

    /// The rows that were written.
    private static func importList<M: Model>(_ model: M.Type, _ body: Data, _ store: Store) async throws -> Int {
        try await store.main.importReporting(model, from: body).inserted
    }

    private func withStore<Result>(
        _ models: [any Model.Type], _ body: (Store) async throws -> Result
    ) async throws -> Result {
        let path = folder.appendingPathComponent("\(UUID().uuidString).sqlite").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        return try await body(try Store(.file(path), models: models))
    }
}
