import Foundation
import TestSupport

/// The compiler, called as the build has just called it for this very target: a client of the library like any other,
/// which finds the same modules and the same macros.
///
/// SwiftPM records those calls with the build's products. The record gives the compiler's path and the flags for the
/// places of modules. Its language settings are ignored: each ``Client`` has its own.
struct ClientCompiler: Sendable {
    let executable: String
    let searchFlags: [String]
    /// Flags that make the package's own declarations visible to sources.
    let packageFlags: [String]

    /// `nil` if another build system than SwiftPM's own built the tests, such as Xcode: only SwiftPM's writes such a
    /// file.
    static let current: ClientCompiler? = ClientCompiler(manifest: manifest, target: "CompileFailTests")

    /// `.build/debug.yaml`, for tests that run from `.build/x86_64-unknown-linux-gnu/debug`.
    private static var manifest: URL {
        let products = productsFolder
        return products.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: products.lastPathComponent + ".yaml")
    }

    private static var productsFolder: URL {
        #if canImport(Darwin)
            final class Anchor {}
            return Bundle(for: Anchor.self).bundleURL.deletingLastPathComponent()
        #else
            return URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        #endif
    }

    private init?(manifest: URL, target: String) {
        guard let text = try? String(contentsOf: manifest, encoding: .utf8),
            let command = text.firstRange(of: "\n  \"C.\(target)-"),
            let arguments = text[command.upperBound...].split(separator: "\n").first(where: {
                $0.hasPrefix("    args: ")
            }),
            let words = try? JSONDecoder().decode([String].self, from: Data(arguments.dropFirst(10).utf8)),
            let executable = words.first
        else { return nil }
        self.executable = executable
        self.searchFlags = Self.flags(
            ["-I", "-F", "-sdk", "-target", "-Xcc", "-load-plugin-executable", "-module-cache-path"], in: words)
        self.packageFlags = Self.flags(["-package-name"], in: words)
    }

    /// Some of the flags, with their values.
    private static func flags(_ wanted: Set<String>, in words: [String]) -> [String] {
        // A flag for the frontend that the driver knows as well: then it is one like the others.
        let flags = words.filter { $0 != "-Xfrontend" }
        var found: [String] = []
        var index = flags.startIndex
        while index + 1 < flags.endIndex {
            let isWanted = wanted.contains(flags[index])
            if isWanted { found += flags[index...index + 1] }
            index += isWanted ? 2 : 1
        }
        return found
    }
}

extension ClientCompiler {
    /// Compiles files of one module down to the checks of data races, which come after those of types, and discards the
    /// product.
    func check(_ files: [String], _ flags: [String], in folder: URL) async throws -> Verdict {
        try await run(
            flags + searchFlags + [
                "-parse-as-library", "-module-name", "Client", "-whole-module-optimization", "-emit-sil", "-o",
                "/dev/null",
            ] + files, in: folder)
    }

    /// Compiles files into a module in a folder.
    func emitModule(_ name: String, _ files: [String], _ flags: [String], to folder: URL) async throws -> Verdict {
        try await run(
            flags + [
                "-parse-as-library", "-module-name", name, "-emit-module", "-emit-module-path",
                folder.appending(path: "\(name).swiftmodule").path,
            ] + files, in: folder)
    }

    /// Calls the compiler. Its output goes through a file in the folder.
    private func run(_ arguments: [String], in folder: URL) async throws -> Verdict {
        let log = folder.appending(path: "\(UUID()).txt")
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        defer { try? output.close() }
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = output
        let status = try await process.statusAtExit()
        return Verdict(isAccepted: status == 0, log: try String(contentsOf: log, encoding: .utf8))
    }
}

extension ClientCompiler {
    /// On Linux SwiftPM is the build system, so the record must exist, or else a test fails.
    static var isExpected: Bool {
        #if os(Linux)
            true
        #else
            current != nil
        #endif
    }
}

extension ClientCompiler {
    /// Compiles one program in the Swift 6 language mode.
    ///
    /// - Parameter modules: the sources of further modules that the program imports, by their names.
    func check(_ source: String, besideModules modules: [String: String]) async throws -> Verdict {
        let flags = Client.Settings.swift6.flags
        return try await withTemporaryFolder { folder in
            for (name, source) in modules {
                let file = folder.appending(path: "\(name).swift")
                try Data(source.utf8).write(to: file)
                let module = try await emitModule(name, [file.path], flags, to: folder)
                guard module.isAccepted else { return module }
            }
            let file = folder.appending(path: "Client.swift")
            try Data(source.utf8).write(to: file)
            return try await check([file.path], flags + ["-I", folder.path], in: folder)
        }
    }
}
