struct Column<Row> {
    let title: String
    var alignment = Alignment.leading
    /// Whether it narrows if the table is wider than the terminal.
    var isFlexible = false
    var style = Style.plain
    /// If the style depends on the row.
    var rowStyle: KeyPath<Row, Style>?
    /// For pipes and files; nil for the same text.
    var wholeText: ((Row) -> String?)?
    let text: (Row) -> String

    func style(of row: Row) -> Style { rowStyle.map { row[keyPath: $0] } ?? style }
}

struct Table<Row> {
    let columns: [Column<Row>]
    let rows: [Row]

    /// For pipes and files, as in `gh`: tabs between whole fields, and no titles.
    var wholeLines: [String] {
        rows.map { row in
            columns.map { ($0.wholeText?(row) ?? $0.text(row)).onOneLine }.joined(separator: "\t")
        }
    }

    /// - Parameter width: the terminal's columns.
    func lines(width: Int) -> [String] {
        let cells = rows.map { row in columns.map { $0.text(row).onOneLine } }
        let widths = fitted(
            columns.indices.map { index in
                max(columns[index].title.displayWidth, cells.map { $0[index].displayWidth }.max() ?? 0)
            }, within: width)
        let titles = line(columns.map(\.title), widths: widths) { _ in .dim }
        return [titles]
            + zip(rows, cells).map { row, cells in line(cells, widths: widths) { columns[$0].style(of: row) } }
    }

    private func line(_ cells: [String], widths: [Int], _ style: (Int) -> Style) -> String {
        let padded = columns.indices.map { index in
            let cell = cells[index].truncated(to: widths[index])
            return style(index).applied(to: cell.padded(to: widths[index], columns[index].alignment))
        }
        return padded.joined(separator: "  ").withoutTrailingBlanks
    }

    /// Narrows the widest flexible column until all fit.
    private func fitted(_ widths: [Int], within width: Int) -> [Int] {
        var widths = widths
        while widths.reduce(2 * (widths.count - 1), +) > width {
            guard let widest = widths.indices.filter({ columns[$0].isFlexible }).max(by: { widths[$0] < widths[$1] }),
                widths[widest] > narrowest
            else { break }
            widths[widest] -= 1
        }
        return widths
    }
}

private let narrowest = 8
