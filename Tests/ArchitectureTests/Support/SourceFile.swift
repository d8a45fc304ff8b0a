import Foundation
import TestSupport

/// A Swift source of the project.
struct SourceFile: Sendable {
    /// From the project's folder.
    let path: String
    let lines: [Substring]

    init(path: String, text: String) {
        self.path = path
        self.lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The sources below a folder of the project, in the order of their paths.
    static func all(below folder: String) throws -> [SourceFile] {
        let root = ProjectFolder.root.appending(path: folder)
        guard let paths = FileManager.default.enumerator(atPath: root.path) else { return [] }
        return try paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted().map { path in
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            return SourceFile(path: "\(folder)/\(path)", text: text)
        }
    }

    /// The lines that hold a match, as `path:line: text`.
    func lines(where matches: (Substring) -> Bool) -> [String] {
        zip(1..., lines).filter { matches($1) }.map { "\(path):\($0): \($1.trimmingCharacters(in: .whitespaces))" }
    }
}
