import Foundation
import RestfulData

/// What the program shows of a model's objects.
protocol Presentable: Model {
    /// What `--json` prints.
    var json: JSON { get }
    /// What a list shows in a row.
    static var columns: [Column<Self>] { get }
    /// What the object alone shows: a title, facts with their names, and text below them.
    var card: Card { get }
    /// What several of them are called.
    static var plural: String { get }
}

struct Card {
    let title: String
    /// Those that are nil are left out.
    let facts: KeyValuePairs<String, String?>
    var text: String?
    var textLines: [String] { text.map { [""] + $0.printableLines.map { $0.isEmpty ? "" : "  " + $0 } } ?? [] }

    var lines: [String] {
        let shown = facts.compactMap { name, value in value.map { (name, $0.onOneLine) } }.filter { !$0.1.isEmpty }
        let width = shown.map(\.0.displayWidth).max() ?? 0
        return [Style.bold.applied(to: title.onOneLine)]
            + shown.map { "  " + Style.dim.applied(to: $0.padded(to: width)) + "  " + $1 } + textLines
    }
}

extension ServiceOptions {
    /// Prints an object: its card, or its JSON.
    func show(_ object: some Presentable) throws {
        try write(json ? [object.json.text] : object.card.lines)
    }

    /// Prints a list: a table and how many there are, or a JSON array.
    func show<Row: Presentable>(_ list: [Row]) throws {
        guard !json else { return try write([JSON.array(list.map(\.json)).text]) }
        let count = list.count == 1 ? "1 " + Row.plural.dropLast() : "\(list.count) \(Row.plural)"
        try write(list.isEmpty ? ["No \(Row.plural)."] : Table(columns: Row.columns, rows: list).lines + ["", count])
    }

    /// Prints what was done.
    func show(_ done: String, json document: JSON) throws {
        try write([json ? document.text : done.onOneLine])
    }
}
