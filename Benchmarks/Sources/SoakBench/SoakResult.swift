import Foundation

/// The cost of repeated work, in eight parts of equally many turns.
struct SoakResult {
    static let parts = 8
    /// How much more a turn may take later.
    static let growthLimit = 1.5

    let work: SoakWork
    /// At the begin of each part, and at the end of the last.
    let usages: [Usage]

    /// Microseconds for each turn, in each part.
    private var times: [Double] { zip(usages.dropFirst(), usages).map { ($0.time - $1.time) / Double(work.count) } }
    /// The time of a turn at first, once caches are filled, and at last: the least of three parts, because disturbances
    /// by the machine only add.
    private var first: Double { times[1...3].min() ?? 0 }
    private var last: Double { times.suffix(3).min() ?? 0 }
    private var growth: Double { last / first }
    /// The bytes that a turn leaves behind, over the second half.
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
