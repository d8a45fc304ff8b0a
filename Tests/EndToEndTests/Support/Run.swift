import Foundation
import TestSupport

/// One run of the sample's binary.
struct Run: Sendable {
    let status: Int32
    let output: String
    let errors: String

    /// Runs the binary, with only the necessary part of this process's environment.
    ///
    /// - Parameters:
    ///   - folder: where it runs; its output goes through files there, so that no pipe can fill up.
    ///   - input: its standard input.
    init(
        _ arguments: [String], in folder: URL, environment: [String: String] = [:], input: String = "",
        executable: URL? = nil
    ) async throws {
        let process = Process()
        process.executableURL = executable ?? Run.binary
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = Run.environment.merging(environment) { $1 }
        let files = ["out", "err", "in"].map { folder.appendingPathComponent("\(UUID()).\($0)") }
        for file in files { try Data(file.pathExtension == "in" ? input.utf8 : "".utf8).write(to: file) }
        let (output, errors) = (try FileHandle(forWritingTo: files[0]), try FileHandle(forWritingTo: files[1]))
        process.standardInput = try FileHandle(forReadingFrom: files[2])
        process.standardOutput = output
        process.standardError = errors
        status = try await process.statusAtExit()
        try output.close()
        try errors.close()
        self.output = String(decoding: try Data(contentsOf: files[0]), as: UTF8.self)
        self.errors = String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
    }

    private static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter {
            [
                "PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_FRAMEWORK_PATH", "ASAN_OPTIONS",
                "TSAN_OPTIONS",
            ].contains($0.key)
        }
    }

    /// The binary is in the folder of the test bundle: on Linux that is the running executable, on Apple's platforms a
    /// folder that is loaded into another one.
    static let binary: URL = {
        let bundles = [Bundle.main.bundleURL] + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let candidates = (bundles + [own]).map { $0.appendingPathComponent("SampleGitHubAPI") }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? candidates[0]
    }()
}
