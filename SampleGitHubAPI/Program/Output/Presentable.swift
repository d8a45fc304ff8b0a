import Foundation
import RestfulData

/// The texts of a model's objects.
protocol Presentable: Model {
    /// Of `--json`, by their names in `gh`.
    static var fields: [String: (Self) -> JSON] { get }
    /// Each takes a request of its own, so they are printed only if they are named.
    static var extraFields: Set<String> { get }
    static var columns: [Column<Self>] { get }
    /// For a single object.
    var card: Card { get }
    /// In singular and plural.
    static var noun: (one: String, many: String) { get }
    /// On the web site.
    var htmlURL: URL? { get }
}

extension Presentable {
    static var fieldNames: [String] { fields.keys.sorted() }
    static var extraFields: Set<String> { [] }

    func json(_ names: some Sequence<String>) -> JSON {
        .object(Self.fields.filter { names.contains($0.key) }.mapValues { $0(self) })
    }
}

struct Card {
    let title: String
    /// Facts that are nil are left out.
    let facts: KeyValuePairs<String, String?>
    var text: String?

    /// For a terminal, without empty facts.
    var lines: [String] {
        let shown = facts.compactMap { name, value in value.map { (name, $0.onOneLine) } }.filter { !$0.1.isEmpty }
        let width = shown.map(\.0.displayWidth).max() ?? 0
        return [Style.bold.applied(to: title.onOneLine)]
            + shown.map { "  " + Style.dim.applied(to: $0.padded(to: width)) + "  " + $1 }
            + (text.map { [""] + $0.printableLines.map { $0.isEmpty ? "" : "  " + $0 } } ?? [])
    }

    /// For pipes and files, as in `gh`: a name, a tab and a value in each line, and the text below `--`.
    var wholeLines: [String] {
        ["title:\t\(title.onOneLine)"] + facts.map { "\($0.lowercased()):\t\(($1 ?? "").onOneLine)" }
            + (text.map { ["--"] + $0.printableLines } ?? [])
    }
}
