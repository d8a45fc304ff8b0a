import Foundation
import RestfulData

/// What the program shows of a model's objects.
protocol Presentable: Model {
    /// What `--json` can print, by the names that `gh` has for it.
    static var fields: [String: (Self) -> JSON] { get }
    /// Those of them that take a request of their own; they are printed where they are named only.
    static var extraFields: Set<String> { get }
    /// What a list shows in a row.
    static var columns: [Column<Self>] { get }
    /// What the object alone shows: a title, facts with their names, and text below them.
    var card: Card { get }
    /// What one of them is called, and what several are.
    static var noun: (one: String, many: String) { get }
    /// Where it is on the web site.
    var htmlURL: URL? { get }
}

extension Presentable {
    static var fieldNames: [String] { fields.keys.sorted() }
    static var extraFields: Set<String> { [] }

    /// Its fields of these names.
    func json(_ names: some Sequence<String>) -> JSON {
        .object(Self.fields.filter { names.contains($0.key) }.mapValues { $0(self) })
    }
}

struct Card {
    let title: String
    /// Those that are nil are left out.
    let facts: KeyValuePairs<String, String?>
    var text: String?

    /// For a terminal: without the facts that say nothing.
    var lines: [String] {
        let shown = facts.compactMap { name, value in value.map { (name, $0.onOneLine) } }.filter { !$0.1.isEmpty }
        let width = shown.map(\.0.displayWidth).max() ?? 0
        return [Style.bold.applied(to: title.onOneLine)]
            + shown.map { "  " + Style.dim.applied(to: $0.padded(to: width)) + "  " + $1 }
            + (text.map { [""] + $0.printableLines.map { $0.isEmpty ? "" : "  " + $0 } } ?? [])
    }

    /// For where there is no terminal: a name, a tab and a value in each line, and the text below `--`, as `gh` does.
    var wholeLines: [String] {
        ["title:\t\(title.onOneLine)"] + facts.map { "\($0.lowercased()):\t\(($1 ?? "").onOneLine)" }
            + (text.map { ["--"] + $0.printableLines } ?? [])
    }
}
