import Foundation

/// What work that is done again and again has cost, in four parts of as many turns.
struct SoakResult {
    /// How many bytes a turn may leave behind. What is left behind by a thousandth of them is none.
    static let memoryLimit = 24.0
    /// How much more a turn may take in the last part than in the second.
    static let growthLimit = 1.5

    let work: SoakWork
    /// At the begin of each part, and at the end of the last.
    let usages: [Usage]

    /// Microseconds for each turn, in each part.
    var times: [Double] { zip(usages.dropFirst(), usages).map { ($0.time - $1.time) / Double(work.count) } }
    /// How much more a turn takes in the last part than in the second: the first fills caches.
    var growth: Double { times[3] / times[1] }
    /// What a turn leaves behind, in bytes, over the last two parts.
    var left: Double { Double(usages[4].memory - usages[2].memory) / Double(2 * work.count) }

    var isGood: Bool { left <= Self.memoryLimit && growth <= Self.growthLimit }

    var row: String {
        let cells = [
            work.name, "\(4 * work.count)", Self.number(times[1]), Self.number(times[3]),
            String(format: "%.1f×", growth), String(format: "%.0f", max(left, 0)), isGood ? "" : "**over**",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    static var head: String {
        """
        | what is done | times | µs for each, 2nd quarter | last quarter | growth, at most \(growthLimit)× | \
        bytes left by each, at most \(Int(memoryLimit)) | |
        | --- | ---: | ---: | ---: | ---: | ---: | --- |
        """
    }

    private static func number(_ value: Double) -> String { String(format: value >= 100 ? "%.0f" : "%.1f", value) }
}
