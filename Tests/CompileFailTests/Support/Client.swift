import Foundation

/// A small program that uses the library.
struct Client: Sendable {
    /// The compiler settings under which a client may be built.
    enum Settings: CaseIterable, Sendable {
        /// The Swift 6 language mode and nothing more.
        case swift6
        /// All upcoming features that the library itself is built with.
        case upcoming

        var flags: [String] {
            let features = [
                "ExistentialAny", "ImmutableWeakCaptures", "InferIsolatedConformances", "InternalImportsByDefault",
                "MemberImportVisibility", "NonisolatedNonsendingByDefault",
            ]
            let upcoming = self == .upcoming ? features.flatMap { ["-enable-upcoming-feature", $0] } : []
            return ["-swift-version", "6"] + upcoming
        }
    }

    let source: String

    /// What the compiler says to the program, down to the checks of data races, which come after those of types.
    func compile(_ settings: Settings, with compiler: ClientCompiler) async throws -> Verdict {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Client.swift")
        try Data(source.utf8).write(to: file)
        let log = folder.appending(path: "log.txt")
        try Data().write(to: log)

        let process = Process()
        process.executableURL = URL(filePath: compiler.executable)
        process.arguments =
            settings.flags + compiler.searchFlags + [
                "-parse-as-library", "-module-name", "Client", "-emit-sil", "-o", "/dev/null", file.path,
            ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: log)
        let status = try await process.statusAtExit()
        return Verdict(isAccepted: status == 0, log: try String(contentsOf: log, encoding: .utf8))
    }
}

/// What the compiler said.
struct Verdict: Sendable {
    let isAccepted: Bool
    let log: String

    /// The messages of the errors, without their places.
    var errors: [String] {
        log.split(separator: "\n").compactMap { line in
            line.firstRange(of: " error: ").map { String(line[$0.upperBound...]) }
        }
    }
}

extension Process {
    /// Starts the process and waits for its end without holding a thread.
    fileprivate func statusAtExit() async throws -> Int32 {
        try await withCheckedThrowingContinuation { done in
            terminationHandler = { done.resume(returning: $0.terminationStatus) }
            do { try run() } catch { done.resume(throwing: error) }
        }
    }
}
