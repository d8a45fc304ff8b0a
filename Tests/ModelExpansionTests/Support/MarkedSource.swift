/// A source text in which `⏵` and `⏷` mark places. The marks are removed from the text.
struct MarkedSource {
    let text: String
    private let marked: String

    init(_ marked: String) {
        self.marked = marked
        text = marked.filter { !Self.marks.contains($0) }
    }

    private static let marks: Set<Character> = ["⏵", "⏷"]

    /// The line and column of a mark, from 1.
    func place(_ mark: Character) -> (line: Int, column: Int) {
        let before = marked.prefix { $0 != mark }.filter { !Self.marks.contains($0) }
        let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
        return (lines.count, (lines.last?.utf8.count ?? 0) + 1)
    }

    /// The source after the empty expansion of a macro on its own line.
    var withoutFirstLine: String {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().joined(separator: "\n")
    }
}
