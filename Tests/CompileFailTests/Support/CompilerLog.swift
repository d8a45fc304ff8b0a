import Foundation

/// The compiler's answer to one program.
struct Verdict: Sendable {
    let isAccepted: Bool
    let log: String

    /// The messages of the errors; their places are removed.
    var errors: [String] {
        log.split(separator: "\n").compactMap { line in
            line.firstRange(of: " error: ").map { String(line[$0.upperBound...]) }
        }
    }

    var hasWarnings: Bool { log.contains(" warning: ") }
}

/// The output of one compiler call, divided among the files that it is about.
struct CompilerLog {
    private var texts: [String: String] = [:]
    /// The output that concerns other things than the files.
    private(set) var rest = ""

    /// - Parameter files: the paths of the files, as the call named them.
    init(_ output: String, files: [String]) {
        for message in Self.messages(in: output) {
            if let file = Self.file(of: message, among: files) {
                texts[file, default: ""] += message
            } else {
                rest += message
            }
        }
    }

    func text(of file: String) -> String { texts[file] ?? "" }

    func hasErrors(in file: String) -> Bool { text(of: file).contains(" error: ") }

    /// Errors and warnings, each with the notes and the code after it.
    private static func messages(in output: String) -> [String] {
        var messages: [String] = []
        for line in output.split(separator: "\n", omittingEmptySubsequences: false) {
            if messages.isEmpty || line.firstMatch(of: #/^\S.*?:\d+: (?:error|warning): /#) != nil {
                messages.append(String(line) + "\n")
            } else {
                messages[messages.count - 1] += line + "\n"
            }
        }
        return messages
    }

    /// The file that a message names first: a message within a macro's expansion has a note with the file's path.
    private static func file(of message: String, among files: [String]) -> String? {
        files.compactMap { file in message.firstRange(of: file + ":").map { (file, $0.lowerBound) } }
            .min { $0.1 < $1.1 }?.0
    }
}
