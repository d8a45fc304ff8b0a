package import Foundation

/// A path in a folder of its own, which goes with this object.
package final class TemporaryFile: Sendable {
    package let folder: URL
    package var path: String { folder.appending(path: "store.sqlite").path }

    package init() throws { folder = try FileManager.default.makeTemporaryFolder() }

    deinit { try? FileManager.default.removeItem(at: folder) }
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
