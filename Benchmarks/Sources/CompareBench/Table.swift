import Foundation

/// The comparison as a Markdown table: medians in milliseconds, and in brackets the median of the ratios to the first
/// peer, round by round.
struct Table {
    private let names: [String]
    private let measured: [Measurements]
    private let columns: [Column]

    init(_ names: [String], _ measured: [Measurements], columns: [Column]) {
        self.names = names
        self.measured = measured
        self.columns = columns
    }

    var markdown: String {
        let head = ["peer"] + columns.map(\.rawValue)
        let rule = ["---"] + columns.map { _ in "---:" }
        let rows = zip(names, measured).map { name, values in [name] + columns.map { cell(values, $0) } }
        return ([head, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }

    private func cell(_ values: Measurements, _ column: Column) -> String {
        guard let median = Self.median(values[column]) else { return "" }
        if column == .peak { return String(format: "%.0f", median) }
        let ratios = zip(values[column], measured[0][column]).map { $0 / $1 }
        guard let ratio = Self.median(ratios) else { return Self.number(median) }
        return "\(Self.number(median)) (\(String(format: "%.1f", ratio))×)"
    }

    private static func number(_ value: Double) -> String {
        String(format: value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f", value)
    }

    private static func median(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
