import Foundation

/// A path in a folder of its own, which goes with this object.
final class StoreFolder {
    private let folder: URL
    var path: String { folder.appending(path: "store.sqlite").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "RestfulDataTests-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
