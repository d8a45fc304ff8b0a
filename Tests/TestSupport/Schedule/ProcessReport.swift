package import Foundation

/// A file with the result of an exit test's process. It survives a crash of the process.
package struct ProcessReport: Codable, Sendable {
    private let path: String

    package init(in folder: URL) { path = folder.appending(path: "report").path }

    private var errorPath: String { path + ".errors" }

    /// Keeps the runtime's messages, such as those of a trap; called in the process itself.
    package func keepErrors() {
        let errors = unsafe open(errorPath, O_WRONLY | O_CREAT, 0o600)
        dup2(errors, STDERR_FILENO)
    }

    /// Replaces the report; called in the process itself.
    package func write(_ text: String) { try? text.write(toFile: path, atomically: true, encoding: .utf8) }

    /// The process's last report; nil if it wrote none.
    package var text: String? { try? String(contentsOfFile: path, encoding: .utf8) }

    /// The end of the runtime's messages.
    package var errors: String { String((try? String(contentsOfFile: errorPath, encoding: .utf8))?.suffix(4000) ?? "") }
}
