import Foundation
import TestSupport
import Testing

/// Programs of several suites, compiled together for the first verdict that a test needs.
///
/// A call of the compiler costs as much as several programs.
actor ProgramSet {
    /// The programs that need only the library.
    static let plain = ProgramSet { settings in
        try ContextIsolationTests.programs(settings) + MacroMisuseTests.programs(settings)
            + DocumentationExampleTests.programs(settings) + EverydayUseTests.programs(settings)
            + OtherLibrariesHabitTests.programs(settings)
    }

    /// Compiles the modules that the programs need besides the library; returns flags with their place.
    typealias Preparation = @Sendable (_ compiler: ClientCompiler, _ folder: URL) async throws -> [String]

    private struct Entry: Hashable {
        let program: Client
        let settings: Client.Settings
    }

    private let programs: @Sendable (Client.Settings) throws -> [Client]
    private let prepare: Preparation
    private var verdicts: Task<[Entry: Verdict], any Error>?

    /// - Parameters:
    ///   - prepare: runs before the first program is compiled.
    ///   - programs: all programs that are compiled with the settings.
    init(
        preparedBy prepare: @escaping Preparation = { _, _ in [] },
        programs: @escaping @Sendable (Client.Settings) throws -> [Client]
    ) {
        self.programs = programs
        self.prepare = prepare
    }

    /// The compiler's answer to a program.
    ///
    /// - Throws: An error if the program is missing in the set.
    func verdict(on program: Client, _ settings: Client.Settings) async throws -> Verdict {
        let task = verdicts ?? Task { try await compile() }
        verdicts = task
        return try #require(
            try await task.value[Entry(program: program, settings: settings)],
            "the set of programs lacks this one:\n\(program.file)")
    }

    private func compile() async throws -> [Entry: Verdict] {
        let compiler = try #require(ClientCompiler.current)
        let batches = try Client.Settings.allCases.flatMap { Batch.batches(of: try programs($0), $0) }
        return try await withTemporaryFolder { folder in
            let flags = try await prepare(compiler, folder)
            return try await withThrowingTaskGroup(of: [Entry: Verdict].self) { group in
                var verdicts: [Entry: Verdict] = [:]
                for (index, batch) in batches.enumerated() {
                    // As many calls at a time as there are cores.
                    let isFull = index >= ProcessInfo.processInfo.activeProcessorCount
                    if isFull, let more = try await group.next() { verdicts.merge(more) { $1 } }
                    let place = folder.appending(path: "batch\(index)")
                    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                    group.addTask { try await Self.verdicts(on: batch, of: compiler, flags: flags, in: place) }
                }
                for try await more in group { verdicts.merge(more) { $1 } }
                return verdicts
            }
        }
    }

    private static func verdicts(
        on batch: Batch, of compiler: ClientCompiler, flags: [String], in folder: URL
    ) async throws -> [Entry: Verdict] {
        try await batch.verdicts(of: compiler, flags: flags, in: folder).reduce(into: [:]) {
            $0[Entry(program: $1.key, settings: batch.settings)] = $1.value
        }
    }
}
