import ArgumentParser
import Foundation

/// `--yes` replaces the question.
struct Confirmation: ParsableArguments {
    @Flag(help: "Do it without asking.") var yes = false

    private var canAsk: Bool { isatty(STDIN_FILENO) == 1 }

    /// - Throws: if nobody can be asked.
    func check() throws {
        guard yes || canAsk else { throw ValidationError("--yes is required where nobody can be asked.") }
    }

    /// - Throws: if the user declines, or can't be asked.
    func confirm(_ deed: String) throws {
        guard !yes else { return }
        try check()
        try? FileHandle.standardError.write(contentsOf: Data("\(deed.onOneLine)? [y/N] ".utf8))
        guard ["y", "yes"].contains(readLine()?.lowercased()) else {
            throw CommandError(status: .cancelled, message: "cancelled")
        }
    }
}
