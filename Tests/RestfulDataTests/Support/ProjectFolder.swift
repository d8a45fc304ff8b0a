import Foundation

/// Files outside the tests' own code, wherever the project lies.
enum ProjectFolder {
    private static let tests = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent()
    /// The folder that `Package.swift` lies in.
    static let root = tests.deletingLastPathComponent().deletingLastPathComponent()

    /// A file of these tests.
    static func source(_ path: String) -> URL { tests.appending(path: path) }

    /// Facts about URLs, which the tests of the templates read as well.
    static func routeVectors() throws -> Data {
        try Data(contentsOf: tests.deletingLastPathComponent().appending(path: "ConventionsTests/Fixtures/routes.json"))
    }

    /// Real replies of GitHub that may lie beside the project, in the order of their names.
    static let corpus: [URL] = ["github-examples", "github-recorded"].flatMap { folder in
        let folder = root.deletingLastPathComponent().appending(path: "shared/corpus").appending(path: folder)
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
    }
}
