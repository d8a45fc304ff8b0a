import Foundation

/// The results as Markdown.
struct ScalingTable {
    let results: [ScalingResult]

    var markdown: String {
        let growing = results.filter { !$0.isComparison }
        let compared = results.filter(\.isComparison)
        return [
            table(
                "what is done | µs for each | n | at n | at 4n | at 16n | growth to 4n | to 16n | at most \(Self.factor(ScalingResult.growthLimit))",
                growing),
            table(
                "with one unsaved edit | µs for each | n | at n | at 4n | at 16n | to without, at n | at 4n | at 16n | at most \(Self.factor(ScalingResult.ratioLimit))",
                compared),
        ].compactMap { $0 }.joined(separator: "\n\n")
    }

    private func table(_ head: String, _ results: [ScalingResult]) -> String? {
        guard !results.isEmpty else { return nil }
        let columns = head.split(separator: "|").count
        let rule = ["---", "---"] + Array(repeating: "---:", count: columns - 3) + ["---"]
        let rows = results.map { ($0.isComparison ? Self.comparison($0) : Self.growth($0)) + [Self.mark($0)] }
        return (["| \(head) |", Self.line(rule)] + rows.map(Self.line)).joined(separator: "\n")
    }

    private static func growth(_ result: ScalingResult) -> [String] {
        begin(result) + filled(result.factors.map(factor), to: 2)
    }

    private static func comparison(_ result: ScalingResult) -> [String] {
        begin(result) + filled(result.factors.map(factor), to: 3)
    }

    private static func begin(_ result: ScalingResult) -> [String] {
        [result.check.name, result.check.unit, "\(result.check.size)"]
            + filled(result.costs.map { number($0.time) }, to: 3)
    }

    private static func mark(_ result: ScalingResult) -> String {
        if let failure = result.failure { return "**failed: \(failure)**" }
        return result.isGood ? "" : "**over**"
    }

    private static func filled(_ cells: [String], to count: Int) -> [String] {
        cells + Array(repeating: "", count: max(count - cells.count, 0))
    }

    private static func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    private static func factor(_ value: Double) -> String { String(format: "%.1f×", value) }

    private static func number(_ value: Double) -> String {
        String(format: value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value)
    }
}
