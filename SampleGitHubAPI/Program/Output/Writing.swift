import Foundation

/// Writes lines to standard output, at once.
func write(_ lines: [String]) throws {
    guard !lines.isEmpty else { return }
    do {
        try FileHandle.standardOutput.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
    } catch {
        throw CommandError(
            status: .ioFailed, message: "standard output can't be written: \(error.localizedDescription)")
    }
}
