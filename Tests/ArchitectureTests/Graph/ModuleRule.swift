import Testing

/// A target's allowed imports, and their sources.
struct ModuleRule: Sendable, CustomTestStringConvertible {
    let name: String
    /// Where its sources lie, from the project's folder.
    let folder: String
    /// The project's own modules that it may import: the arrows that lead to it.
    var modules: Set<String> = []
    /// Compiler plugins, which the target needs and never imports.
    var plugins: Set<String> = []
    /// Modules of packages, each with the folders, below the target's own, that alone may import it; none for all.
    var external: [String: [String]] = [:]
    /// Packages whose products the manifest may name for the target.
    var packages: Set<String> = []
    /// Whether it may import modules of the toolchain and the system.
    var usesPlatform = true
    /// Whether it is a program as users write them, which sees public API only.
    var isOutside = false
    /// Whether it has only C sources, so that only the modules that import it are checked.
    var isHeader = false

    var testDescription: String { name }

    /// Comes with every toolchain or system.
    static let platform: Set<String> = [
        "Android", "Bionic", "CoreFoundation", "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "Glibc",
        "Musl", "Observation", "Synchronization", "os",
    ]

    /// The reason why a file of this target must not import a module; `nil` if the import is allowed.
    func objection(to module: String, in file: SourceFile) -> String? {
        if modules.contains(module) { return nil }
        if usesPlatform, Self.platform.contains(module) { return nil }
        guard let folders = external[module] else { return "\(name) must not import \(module)" }
        let isAllowed = folders.isEmpty || folders.contains { file.path.hasPrefix("\(folder)/\($0)/") }
        return isAllowed ? nil : "\(name) imports \(module) in \(folders.joined(separator: "/ and "))/ only"
    }

    /// Every import of these files that the rule forbids, one line each.
    func violations(in files: [SourceFile]) -> [String] {
        files.flatMap { file in
            file.imports.compactMap { found in
                objection(to: found.module, in: file).map { "\(file.path):\(found.line): \($0)" }
            }
        }
    }
}
