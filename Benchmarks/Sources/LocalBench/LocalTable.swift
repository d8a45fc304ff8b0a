import Foundation

/// Medians, and the medians of the ratios round by round.
struct LocalTable {
    enum Peer: CaseIterable {
        case objects, records, plain
    }

    private struct Cell: Hashable {
        let task: LocalTask
        let peer: Peer
    }

    private var times: [Cell: [Double]] = [:]
    private var proofs: [LocalTask: Set<Int>] = [:]

    /// - Parameter proof: The peer's result, which must equal every other's.
    mutating func add(_ time: Duration, _ proof: Int, of task: LocalTask, by peer: Peer) {
        let perObject = time / .nanoseconds(1) / Double(task.passes * Sample.count)
        times[Cell(task: task, peer: peer), default: []].append(perObject)
        proofs[task, default: []].insert(proof)
    }

    /// Whether all peers have done the same.
    func check() throws {
        if let task = LocalTask.allCases.first(where: { proofs[$0]?.count != 1 }) {
            throw Failure(description: "\(task.rawValue): the peers differ: \(proofs[task] ?? [])")
        }
    }

    var markdown: String {
        let rows = LocalTask.allCases.map { task in
            let cells = [
                task.rawValue, time(task, .objects), time(task, .records), time(task, .plain),
                ratio(task, to: .records), ratio(task, to: .plain),
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }
        return """
            | work, processor time in ns for each of 10,000 objects | objects | GRDB's records | plain classes | ÷ GRDB | ÷ plain |
            | --- | ---: | ---: | ---: | ---: | ---: |
            \(rows.joined(separator: "\n"))
            """
    }

    private func time(_ task: LocalTask, _ peer: Peer) -> String {
        guard let times = times[Cell(task: task, peer: peer)] else { return "" }
        return String(format: "%.1f", median(times))
    }

    private func ratio(_ task: LocalTask, to peer: Peer) -> String {
        guard let own = times[Cell(task: task, peer: .objects)], let others = times[Cell(task: task, peer: peer)] else {
            return ""
        }
        return String(format: "%.2f×", median(zip(own, others).map { $0 / $1 }))
    }

    private func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        guard !sorted.isEmpty else { return 0 }
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
}
