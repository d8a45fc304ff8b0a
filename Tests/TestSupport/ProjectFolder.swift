package import Foundation

/// Files outside the tests' own code, wherever the project lies.
package enum ProjectFolder {
    /// The folder that `Package.swift` lies in, the real one where a symbolic link led here.
    package static let root: URL = (1...3).reduce(URL(filePath: #filePath).resolvingSymlinksInPath()) { url, _ in
        url.deletingLastPathComponent()
    }

    /// A file or folder of the tests, such as `ConventionsTests/Fixtures/routes.json`.
    package static func test(_ path: String) -> URL { root.appending(path: "Tests").appending(path: path) }

    /// The real replies and names that may lie beside the project.
    package static let corpus: URL = root.deletingLastPathComponent().appending(path: "shared/corpus")

    /// The files of a folder of the corpus, not of those below it, in the order of their names; none where it is
    /// absent.
    package static func corpus(_ folder: String, withExtension pathExtension: String) -> [URL] {
        let folder = corpus.appending(path: folder)
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == pathExtension }.sorted { $0.path < $1.path }
    }
}
