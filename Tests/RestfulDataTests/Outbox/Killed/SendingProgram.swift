import Foundation
import RestfulData
import TestSupport

/// A process of `Tests/OutboxProgram`, which sends the outbox of a file.
///
/// It is a program of its own: the tests' process is the server, and an exit test would block one of its threads.
struct SendingProgram: Sendable {
    enum Action: String, Sendable {
        case send
        case queueAndSend = "queue-and-send"
        case takeOver = "take-over"
    }

    enum End: Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    let path: String
    let base: String
    /// Its run, by which the server knows it.
    let run: String
    let usesKeys: Bool
    var width = 1

    /// Opens the file in this process.
    @MainActor func open() throws -> Store {
        let fields: HTTPFields = [.run: run]
        let api = API(base, timeout: patience, limits: .unlimited) { Headers(fields) }
        return try Store(.file(path), models: Tracker.models, api: api)
    }

    /// Runs the program until it ends.
    ///
    /// - Parameter statement: The beginning or end of an SQL statement at which it kills itself, if at all.
    func end(_ action: Action, killedAtStatement statement: Int? = nil) async throws -> End {
        let process = Process()
        process.executableURL = Self.binary
        process.arguments = [
            action.rawValue, path, base, run, String(width), usesKeys ? "1" : "0", String(statement ?? 0),
        ]
        let status = try await process.statusAtExit()
        return process.terminationReason == .uncaughtSignal ? .signalled(status) : .exited(status)
    }

    /// The binary is in the folder of the test bundle, which on Linux is the running executable.
    private static let binary: URL = {
        let bundles = [Bundle.main.bundleURL] + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let candidates = (bundles + [own]).map { $0.appendingPathComponent("OutboxProgram") }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? candidates[0]
    }()
}

extension HTTPField.Name {
    // The text is a field name by RFC 9110 §5.1, so there is always a value.
    fileprivate static let run = Self("X-Run")!
}
