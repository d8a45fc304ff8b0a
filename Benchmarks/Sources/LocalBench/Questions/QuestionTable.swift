import Foundation

/// Medians, and the medians of the ratios round by round.
struct QuestionTable {
    /// In microseconds a pass, or in MB.
    struct Pair {
        let own: Double
        let other: Double
    }

    private var pairs: [QuestionTask: [Pair]] = [:]

    mutating func add(_ pair: Pair, of task: QuestionTask) { pairs[task, default: []].append(pair) }

    var markdown: String {
        let rows = QuestionTask.allCases.compactMap { task -> String? in
            guard let pairs = pairs[task] else { return nil }
            let unit = task == .visit ? "MB" : "µs"
            let ratio = median(pairs.map { $0.own / $0.other })
            let cells = [
                task.rawValue, number(median(pairs.map(\.own))) + " " + unit, task.other,
                number(median(pairs.map(\.other))) + " " + unit, String(format: "%.3f×", ratio),
                String(format: "%.2f×", task.goal) + (ratio > task.goal ? " **over**" : ""),
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }
        return """
            | question, processor time | here | beside | there | ratio | at most |
            | --- | ---: | --- | ---: | ---: | ---: |
            \(rows.joined(separator: "\n"))
            """
    }

    private func number(_ value: Double) -> String { String(format: value < 10 ? "%.2f" : "%.0f", value) }

    private func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
