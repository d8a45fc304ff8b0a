import Foundation

/// What work that is done again and again has cost, in eight parts of as many turns.
struct SoakResult {
    static let parts = 8
    /// How much more a turn may take later.
    static let growthLimit = 1.5

    let work: SoakWork
    /// At the begin of each part, and at the end of the last.
    let usages: [Usage]

    /// Microseconds for each turn, in each part.
    private var times: [Double] { zip(usages.dropFirst(), usages).map { ($0.time - $1.time) / Double(work.count) } }
    /// What a turn takes at first, once caches are filled, and at last: the least of three parts, as whatever else the
    /// machine does only adds.
    private var first: Double { times[1...3].min() ?? 0 }
    private var last: Double { times.suffix(3).min() ?? 0 }
    private var growth: Double { last / first }
    /// What a turn leaves behind, in bytes, over the second half.
    private var left: Double {
        let half = Self.parts / 2
        return Double(usages[Self.parts].memory - usages[half].memory) / Double(half * work.count)
    }

    var isGood: Bool { left <= Double(work.mayLeave) && growth <= Self.growthLimit }

    var row: String {
        let cells = [
            work.name, "\(Self.parts * work.count)", Self.number(first), Self.number(last),
            String(format: "%.1f×", growth), String(format: "%.0f", max(left, 0)), "\(work.mayLeave)",
            isGood ? "" : "**over**",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    static var head: String {
        """
        | what is done | times | µs for each, at first | at last | growth, at most \(growthLimit)× | \
        bytes left by each | at most | |
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |
        """
    }

    private static func number(_ value: Double) -> String { String(format: value >= 100 ? "%.0f" : "%.1f", value) }
}
