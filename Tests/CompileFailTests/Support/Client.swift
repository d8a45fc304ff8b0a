import Foundation
import TestSupport

/// A small program that uses the library.
struct Client: Sendable {
    /// The compiler settings under which a client may be built.
    enum Settings: CaseIterable, Sendable {
        /// The Swift 6 language mode and nothing more.
        case swift6
        /// All upcoming features that the library itself is built with.
        case upcoming
        /// The Swift 6 language mode, with the main actor as the default isolation.
        case mainActor
        /// What Xcode sets for a new app.
        case xcodeApp
        /// The Swift 5 language mode and nothing more.
        case swift5

        /// Those that refuse data races.
        static let strict: [Settings] = [.swift6, .upcoming, .mainActor]

        /// Whether what says nothing else is the main actor's.
        var isMainActors: Bool { self == .mainActor || self == .xcodeApp }

        /// Whether an asynchronous function that says nothing else runs on its caller's actor.
        var runsFunctionsWhereTheyAreCalled: Bool { features.contains("NonisolatedNonsendingByDefault") }

        var flags: [String] {
            let features = features.flatMap { ["-enable-upcoming-feature", $0] }
            let isolation = isMainActors ? ["-default-isolation", "MainActor"] : []
            return ["-swift-version", self == .swift5 || self == .xcodeApp ? "5" : "6"] + isolation + features
        }

        private var features: [String] {
            switch self {
            case .upcoming:
                [
                    "ExistentialAny", "ImmutableWeakCaptures", "InferIsolatedConformances", "InternalImportsByDefault",
                    "MemberImportVisibility", "NonisolatedNonsendingByDefault",
                ]
            case .xcodeApp:
                [
                    "DisableOutwardActorInference", "GlobalActorIsolatedTypesUsability", "InferIsolatedConformances",
                    "InferSendableFromCaptures", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
                ]
            case .swift6, .mainActor, .swift5: []
            }
        }
    }

    let source: String

    /// What the compiler says to the program, down to the checks of data races, which come after those of types.
    ///
    /// - Parameter modules: the sources of further modules that the program imports, by their names.
    func compile(
        _ settings: Settings, with compiler: ClientCompiler, beside modules: [String: String] = [:]
    ) async throws -> Verdict {
        try await withTemporaryFolder { folder in
            let log = folder.appending(path: "log.txt")
            try Data().write(to: log)
            for (name, source) in modules {
                let file = folder.appending(path: "\(name).swift")
                try Data(source.utf8).write(to: file)
                let status = try await compiler.run(
                    settings.flags + [
                        "-parse-as-library", "-module-name", name, "-emit-module", "-emit-module-path",
                        folder.appending(path: "\(name).swiftmodule").path, file.path,
                    ], log: log)
                guard status == 0 else { break }
            }
            let file = folder.appending(path: "Client.swift")
            try Data(source.utf8).write(to: file)
            let status = try await compiler.run(
                settings.flags + compiler.searchFlags + [
                    "-I", folder.path, "-parse-as-library", "-module-name", "Client", "-emit-sil", "-o", "/dev/null",
                    file.path,
                ], log: log)
            return Verdict(isAccepted: status == 0, log: try String(contentsOf: log, encoding: .utf8))
        }
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

extension ClientCompiler {
    /// Calls the compiler; what it says is added to the log.
    func run(_ arguments: [String], log: URL) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let output = try FileHandle(forWritingTo: log)
        try output.seekToEnd()
        process.standardError = output
        return try await process.statusAtExit()
    }
}
