import Foundation
import TestSupport

/// Recorded API bodies beside the project; absent on a clone elsewhere.
enum Corpus {
    static let bodies: [URL] = {
        let enumerator = FileManager.default.enumerator(at: ProjectFolder.corpus, includingPropertiesForKeys: nil)
        let files = enumerator?.compactMap { $0 as? URL }.filter { $0.pathExtension == "json" } ?? []
        return files.sorted { $0.path < $1.path }
    }()

    static var isPresent: Bool { !bodies.isEmpty }
}
