import Foundation
import RestfulData

/// The last line of a terminal while a long list is fetched, on standard error.
@MainActor final class ProgressLine {
    private let what: String
    private let isShown: Bool
    private var hasLine = false

    /// - Parameter what: such as `issues`.
    init(_ what: String) {
        self.what = what
        isShown = Terminal.hasStatusLine
    }

    func show(_ progress: PageProgress, limit: Int) {
        // A single page arrives at once, and stored objects need no waiting.
        guard isShown, progress.fetchedCount < limit,
            progress.pageNumber > 1 || progress.fraction.map({ $0 < 0.5 }) == true
        else { return }
        let total = min(progress.totalCount ?? limit, limit)
        let fraction = min(Double(progress.fetchedCount) / Double(max(total, 1)), 1)
        let filled = Int(fraction * 20)
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: 20 - filled)
        put("\r[\(bar)] \(progress.fetchedCount) of \(total) \(what)\u{1B}[K")
        hasLine = true
    }

    func end() {
        if hasLine { put("\r\u{1B}[K") }
        hasLine = false
    }

    private func put(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}
