import ArgumentParser
import Foundation

/// Asks the user before an irreversible change, unless `--yes` is given.
struct Confirmation: ParsableArguments {
    @Flag(help: "Do it without asking.") var yes = false

    private var canAsk: Bool { isatty(STDIN_FILENO) == 1 }

    /// - Throws: An error if confirmation is needed, and there is no terminal.
    func check() throws {
        guard yes || canAsk else { throw ValidationError("--yes is required where nobody can be asked.") }
    }

    /// - Throws: An error if the user declines, or if there is no terminal.
    func confirm(_ deed: String) throws {
        guard !yes else { return }
        try check()
        try? FileHandle.standardError.write(contentsOf: Data("\(deed.onOneLine)? [y/N] ".utf8))
        guard ["y", "yes"].contains(readLine()?.lowercased()) else {
            throw CommandError(status: .cancelled, message: "cancelled")
        }
    }
}
