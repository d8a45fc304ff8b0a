package import Foundation

/// A Swift file that a generator writes.
package struct GeneratedFile {
    private let target: URL
    private let path: String

    /// - Throws: ``GeneratedFileError`` if both are the same file.
    package init(_ target: URL, madeOf source: URL) throws(GeneratedFileError) {
        self.target = target
        path = target.path(percentEncoded: false)
        guard target.standardizedFileURL != source.standardizedFileURL else {
            throw GeneratedFileError("\(path) is the file that the code is made of; name another with --output")
        }
    }

    /// The text of the existing file; nil if it is missing or unreadable.
    package var present: String? { try? String(contentsOf: target, encoding: .utf8) }

    /// The error for an existing file that the generator must keep.
    package func refusal(_ reason: String) -> GeneratedFileError {
        GeneratedFileError("\(path) \(reason); name another with --output, or use --force")
    }

    /// Writes the file atomically.
    ///
    /// - Returns: A message for the user.
    /// - Throws: ``GeneratedFileError`` if the system refuses to write the file.
    package func write(_ text: String) throws(GeneratedFileError) -> String {
        do { try Data(text.utf8).write(to: target, options: .atomic) } catch {
            throw GeneratedFileError("\(path) can't be written: is it in a folder that exists, and no folder itself?")
        }
        return "\(path): written"
    }
}

/// The reason why a file was left unwritten.
package struct GeneratedFileError: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
