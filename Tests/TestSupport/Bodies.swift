package import Foundation

/// JSON bodies and property names in the shape of real ones, in `Tests/Bodies`.
///
/// The environment variable `RESTFULDATA_CORPUS` adds a folder of recorded ones.
package enum Bodies {
    /// The folder of recorded bodies; `nil` where the variable isn't set.
    package static let corpus: URL? = ProcessInfo.processInfo.environment["RESTFULDATA_CORPUS"]
        .flatMap { $0.isEmpty ? nil : URL(filePath: $0) }

    /// The folders with all bodies.
    package static let roots: [URL] = [ProjectFolder.test("Bodies")] + [corpus].compactMap(\.self)

    /// All JSON bodies, in the order of their paths.
    package static let all: [URL] = roots.flatMap { root in
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".json") }.sorted().map { root.appending(path: $0) }
    }

    /// The files of folders of the corpus or of `Tests/Bodies`, not of those below them, in the order of their names.
    ///
    /// - Parameters:
    ///   - folders: the paths of the folders from one of the ``roots`` on; those that are absent have no files.
    ///   - pathExtension: the end of the files' names.
    package static func files(in folders: [String], withExtension pathExtension: String) -> [URL] {
        roots.flatMap { root in folders.map { root.appending(path: $0) } }.flatMap { folder in
            let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            return (files ?? []).filter { $0.pathExtension == pathExtension }.sorted { $0.path < $1.path }
        }
    }
}
