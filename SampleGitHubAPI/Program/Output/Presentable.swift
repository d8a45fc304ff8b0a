import Foundation
import RestfulData

/// The texts that the program shows for a model's objects.
protocol Presentable: Model {
    /// The fields of `--json`, by their names in `gh`.
    static var fields: [String: (Self) -> JSON] { get }
    /// Those of them that take a request of their own; they are printed where they are named only.
    static var extraFields: Set<String> { get }
    /// The columns of a list.
    static var columns: [Column<Self>] { get }
    /// The form of a single object: a title, named facts, and text below them.
    var card: Card { get }
    /// The model's name in singular and plural.
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

    /// The form for a terminal, which leaves out empty facts.
    var lines: [String] {
        let shown = facts.compactMap { name, value in value.map { (name, $0.onOneLine) } }.filter { !$0.1.isEmpty }
        let width = shown.map(\.0.displayWidth).max() ?? 0
        return [Style.bold.applied(to: title.onOneLine)]
            + shown.map { "  " + Style.dim.applied(to: $0.padded(to: width)) + "  " + $1 }
            + (text.map { [""] + $0.printableLines.map { $0.isEmpty ? "" : "  " + $0 } } ?? [])
    }

    /// The form for pipes and files: a name, a tab and a value in each line, and the text below `--`, as in `gh`.
    var wholeLines: [String] {
        ["title:\t\(title.onOneLine)"] + facts.map { "\($0.lowercased()):\t\(($1 ?? "").onOneLine)" }
            + (text.map { ["--"] + $0.printableLines } ?? [])
    }
}
