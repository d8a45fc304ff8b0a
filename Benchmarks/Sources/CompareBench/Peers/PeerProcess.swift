import Foundation

/// A program that does the tasks, one process for each time it is asked.
struct PeerProcess {
    /// The files that a peer has.
    enum Database: String {
        case main, repositories, small, large
    }

    /// The contents of a task's line: milliseconds (or MB, for the peak), and a number that proves that the work was
    /// done.
    struct Outcome {
        let value: Double
        let proof: Int
    }

    let name: String
    private let command: [String]
    private let bodies: URL
    private let folder: URL

    /// - Parameter argument: `NAME=COMMAND`.
    init(_ argument: String, bodies: URL, folder: URL) throws {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, case let command = parts[1].split(separator: " ").map(String.init), !command.isEmpty
        else { throw Failure(description: "\(argument) is not NAME=COMMAND") }
        name = parts[0]
        self.command = command
        self.bodies = bodies
        self.folder = folder
    }

    func path(of database: Database) -> String {
        folder.appendingPathComponent("\(name)-\(database.rawValue).sqlite").path
    }

    func remove(_ database: Database) { remove(path(of: database)) }

    private func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal", ".rows"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    /// Runs the tasks and returns the output, by the letter of the task.
    func run(_ tasks: String, on database: Database) throws -> [Character: Outcome] {
        let path = path(of: database)
        remove(path + ".warm")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = command.dropFirst() + [bodies.path, path, tasks]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure(description: "\(name) failed at \(tasks)")
        }
        return Dictionary(
            text.split(separator: "\n").compactMap(Self.outcome), uniquingKeysWith: { _, last in last })
    }

    private static func outcome(_ line: Substring) -> (Character, Outcome)? {
        let fields = line.split(separator: "\t")
        guard fields.count == 3, let letter = fields[0].first, let value = Double(fields[1]), let proof = Int(fields[2])
        else { return nil }
        return (letter, Outcome(value: value, proof: proof))
    }

    /// One round of the measurement.
    func doAllTasks() throws -> [Column: Double] {
        remove(.main)
        remove(.repositories)
        let imported = try run("abc", on: .main)
        let read = try run("fgh", on: .main)
        let small = try run("d", on: .small)
        let large = try run("d", on: .large)
        let repositories = try run("r", on: .repositories)
        let outcomes: [Column: Outcome?] = [
            .cold: imported["a"], .unchanged: imported["b"], .changed: imported["c"], .peak: imported["e"],
            .oneIntoSmall: small["d"], .oneIntoLarge: large["d"], .repositories: repositories["r"],
            .fetchAll: read["f"], .lookUps: read["g"], .followUsers: read["h"],
            .coldWithCheckpoint: imported["A"], .unchangedWithCheckpoint: imported["B"],
            .changedWithCheckpoint: imported["C"], .repositoriesWithCheckpoint: repositories["R"],
        ]
        return outcomes.compactMapValues { $0?.value }
    }
}
