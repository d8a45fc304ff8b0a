import Foundation

/// The cost of fetches beside others, as a Markdown table: medians, and the median of the ratios round by round.
struct FetchTable {
    /// The work, and its comparison.
    typealias Pair = (own: Duration, other: Duration)

    enum Row: CaseIterable {
        case pageUnchanged, wholeUnchanged, wholeTrip, pages, floorPages, lastPages

        var name: String {
            switch self {
            case .pageUnchanged: "100 issues, 304"
            case .wholeUnchanged, .wholeTrip: "10,000 issues, 304"
            case .floorPages: "the same by the floor, no requests"
            case .pages: "100 pages of 100, cold"
            case .lastPages: "the last 20 of them"
            }
        }

        var other: String {
            switch self {
            case .pageUnchanged, .wholeUnchanged: "the same with its body"
            case .wholeTrip: "an empty answer"
            case .pages: "one body, and 100 empty answers"
            case .floorPages: "one body"
            case .lastPages: "20 of the first"
            }
        }

        var aim: String {
            switch self {
            case .pageUnchanged: "≤ 0.1"
            case .wholeUnchanged: "≤ 0.002"
            case .wholeTrip, .floorPages: "–"
            case .pages: "≤ 1.1"
            case .lastPages: "0.8 to 1.2"
            }
        }
    }

    private var pairs: [Row: [Pair]] = [:]

    mutating func add(_ measured: [Row: Pair]) {
        for (row, pair) in measured { pairs[row, default: []].append(pair) }
    }

    var markdown: String {
        let rows = Row.allCases.filter { pairs[$0] != nil }.map { row in
            let pairs = pairs[row] ?? []
            let (own, other) = (
                median(pairs.map { $0.own / .milliseconds(1) }), median(pairs.map { $0.other / .milliseconds(1) })
            )
            let ratio = median(pairs.map { $0.own / $0.other })
            func text(_ number: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", number) }
            return
                "| \(row.name) | \(text(own, 3)) | \(row.other) | \(text(other, 3)) | \(text(ratio, 4)) | \(row.aim) |"
        }
        return """
            | a fetch, processor time | ms | beside | ms | ratio | aim |
            | --- | ---: | --- | ---: | ---: | --- |
            \(rows.joined(separator: "\n"))
            """
    }

    private func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
