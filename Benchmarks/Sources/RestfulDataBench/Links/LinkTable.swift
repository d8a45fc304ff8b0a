import Foundation

/// The comparison as a Markdown table: medians, and in brackets the median of the ratios round by round.
struct LinkTable {
    let links: [LinkMeasurement]
    let plain: [LinkMeasurement]

    var markdown: String {
        """
        | import of 10,000 issues and what they lead to | ms | rows | µs a row | with rows of lists | µs a row |
        | --- | ---: | ---: | ---: | ---: | ---: |
        \(row("as lists, without links", plain))
        \(row("as one body, with links", links))
        """
    }

    private func row(_ name: String, _ measured: [LinkMeasurement]) -> String {
        let rows = measured.first?.rows ?? 0
        let cells = [
            name, String(format: "%.0f", median(measured.map(\.milliseconds))), "\(rows)", cell(measured, \.perRow),
            "\(rows + (measured.first?.members ?? 0))", cell(measured, \.perWrittenRow),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private func cell(_ measured: [LinkMeasurement], _ value: (LinkMeasurement) -> Double) -> String {
        let ratios = zip(measured, plain).map { value($0) / value($1) }
        return String(format: "%.1f (%.1f×)", median(measured.map(value)), median(ratios))
    }

    private func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        guard !sorted.isEmpty else { return 0 }
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
