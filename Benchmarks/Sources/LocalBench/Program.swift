import Foundation

/// An app's everyday work with objects that are already stored: `LocalBench [ROUNDS]`, or the outbox alone: `LocalBench
/// ROUNDS outbox`. Prints tables in Markdown.
@main
@MainActor
struct Program {
    private let folder: URL
    private var table = LocalTable()

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let rounds = Int(arguments.first ?? "5"), rounds > 0 else { fail("the argument is the number of rounds") }
        do {
            var program = Program()
            let isOutboxAlone = arguments.dropFirst().first == "outbox"
            print(try await program.measure(rounds: rounds, isOutboxAlone: isOutboxAlone))
        } catch {
            fail("\(error)")
        }
    }

    private static func fail(_ words: String) -> Never {
        FileHandle.standardError.write(Data("LocalBench: \(words)\n".utf8))
        exit(EXIT_FAILURE)
    }

    private init() {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("local-\(UUID().uuidString)")
    }

    private mutating func measure(rounds: Int, isOutboxAlone: Bool) async throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var outbox = OutboxBench(folder: folder)
        if isOutboxAlone { return try await outbox.measure(rounds: rounds) }
        // The first round includes lazy set-up, and is ignored.
        for round in 0...rounds {
            let order = Array(LocalTable.Peer.allCases)
            for peer in round % 2 == 0 ? order : order.reversed() { try await run(peer, isCounted: round > 0) }
        }
        try table.check()
        var questions = try await QuestionBench(folder: folder)
        let answers = try await questions.measure(rounds: rounds)
        try questions.close()
        var requests = RequestBench()
        let tables = [
            table.markdown, answers, try await requests.measure(rounds: rounds),
            try await outbox.measure(rounds: rounds),
        ]
        return tables.joined(separator: "\n\n")
    }

    /// The processor time of all threads of this process, which other programs change little.
    nonisolated static var processorTime: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private mutating func run(_ name: LocalTable.Peer, isCounted: Bool) async throws {
        let path = folder.appendingPathComponent("\(UUID().uuidString).sqlite").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        var peer: any LocalPeer =
            switch name {
            case .objects: try await ObjectPeer(path: path)
            case .records: try RecordPeer(path: path)
            case .plain: PlainPeer()
            }
        for task in LocalTask.allCases {
            try await peer.prepare(task)
            let begin = Self.processorTime
            let proof = try await peer.run(task)
            let time = Self.processorTime - begin
            if isCounted, let proof { table.add(time, proof, of: task, by: name) }
        }
        try peer.close()
    }
}
