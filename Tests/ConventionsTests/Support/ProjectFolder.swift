import Foundation

/// Files outside the tests' own code.
enum ProjectFolder {
    private static let tests = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// A file in `Tests/ConventionsTests/Fixtures`.
    static func fixture(_ name: String) throws -> Data {
        try Data(contentsOf: tests.appending(path: "Fixtures").appending(path: name))
    }

    /// The lists of property names of real APIs, one name a line, that may lie beside the project.
    static let nameLists: [URL] = {
        let folder = tests.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "shared/corpus/names")
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "txt" }.sorted { $0.path < $1.path }
    }()
}
