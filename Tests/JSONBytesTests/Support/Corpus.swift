import Foundation

/// Recorded API bodies beside the project; absent on a clone elsewhere.
enum Corpus {
    static let folder: URL = {
        // Tests/JSONBytesTests/Support/Corpus.swift, the real one where a symbolic link led here.
        var url = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url.appendingPathComponent("../shared/corpus").standardizedFileURL
    }()

    static let bodies: [URL] = {
        let enumerator = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let files = enumerator?.compactMap { $0 as? URL }.filter { $0.pathExtension == "json" } ?? []
        return files.sorted { $0.path < $1.path }
    }()

    static var isPresent: Bool { !bodies.isEmpty }
}
