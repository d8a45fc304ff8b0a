package import Foundation

/// A Swift file that a generator writes.
package struct GeneratedFile {
    private let target: URL
    private let path: String

    /// - Parameters:
    ///   - target: where it is to be.
    ///   - source: the file that it is made of.
    /// - Throws: ``GeneratedFileError`` where both are one.
    package init(_ target: URL, madeOf source: URL) throws(GeneratedFileError) {
        self.target = target
        path = target.path(percentEncoded: false)
        guard target.standardizedFileURL != source.standardizedFileURL else {
            throw GeneratedFileError("\(path) is the file that the code is made of; name another with --output")
        }
    }

    /// The text that is there; nil where there is no file.
    package var present: String? { try? String(contentsOf: target, encoding: .utf8) }

    /// Says why a file that is there is not to be replaced.
    package func refusal(_ reason: String) -> GeneratedFileError {
        GeneratedFileError("\(path) \(reason); name another with --output, or use --force")
    }

    /// Writes the file, whole or not at all.
    ///
    /// - Returns: what to tell of it.
    /// - Throws: ``GeneratedFileError`` where it can't be written.
    package func write(_ text: String) throws(GeneratedFileError) -> String {
        do { try Data(text.utf8).write(to: target, options: .atomic) } catch {
            throw GeneratedFileError("\(path) can't be written: is it in a folder that exists, and no folder itself?")
        }
        return "\(path): written"
    }
}

/// Why nothing was written.
package struct GeneratedFileError: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
