package import Foundation

/// A path in a folder of its own, which goes with this object.
package final class TemporaryFile: Sendable {
    package let folder: URL
    package var path: String { folder.appending(path: "store.sqlite").path }

    package init() throws { folder = try FileManager.default.makeTemporaryFolder() }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The same store in another file, of which this process remembers nothing: as it would be after a restart.
    package func copy() throws -> TemporaryFile {
        let copy = try TemporaryFile()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.path + suffix)
        }
        return copy
    }
}

/// Makes a folder for the length of `body`.
package func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = try FileManager.default.makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

extension FileManager {
    fileprivate func makeTemporaryFolder() throws -> URL {
        let folder = temporaryDirectory.appending(path: "RestfulDataTests-\(UUID())")
        try createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
