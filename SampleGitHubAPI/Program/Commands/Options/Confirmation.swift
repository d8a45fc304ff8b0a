import ArgumentParser
import Foundation

/// What can't be undone is asked about, unless `--yes` says so already.
struct Confirmation: ParsableArguments {
    @Flag(help: "Do it without asking.") var yes = false

    private var canAsk: Bool { isatty(STDIN_FILENO) == 1 }

    /// - Throws: where it must be confirmed, and nobody is there to ask.
    func check() throws {
        guard yes || canAsk else { throw ValidationError("--yes is required where nobody can be asked.") }
    }

    /// - Throws: where it was not confirmed, or nobody is there to ask.
    func confirm(_ deed: String) throws {
        guard !yes else { return }
        try check()
        try? FileHandle.standardError.write(contentsOf: Data("\(deed.onOneLine)? [y/N] ".utf8))
        guard ["y", "yes"].contains(readLine()?.lowercased()) else {
            throw CommandError(status: .cancelled, message: "cancelled")
        }
    }
}
