import Foundation

/// The values that every peer must store and read, found in the bodies by Foundation's own reader.
struct Oracle {
    private struct Row: Equatable {
        let id: Int
        let title: String
        let user: Int
        let labels: [Int]
    }

    private let rows: [Row]
    private let changedRows: [Row]
    private let proofOfFetch: Int
    private let proofOfUsers: Int

    init(_ bodies: BodyFolder) throws {
        rows = try Self.issues(bodies, "issues.json").map(Self.row).sorted { $0.id < $1.id }
        let changed = try Self.issues(bodies, "issues-1pct.json")
        changedRows = try changed.map(Self.row).sorted { $0.id < $1.id }
        proofOfFetch = changed.reduce(0) { sum, issue in
            sum + (issue["number"] as? Int ?? 0) + (issue["title"] as? String ?? "").utf8.count
        }
        proofOfUsers = changed.reduce(0) { sum, issue in
            sum + ((issue["user"] as? [String: Any])?["login"] as? String ?? "").utf8.count
        }
    }

    /// Has the peer import and read once, and compares. A peer that is wrong ends the comparison.
    func verify(_ peer: PeerProcess) throws {
        peer.remove(.main)
        for (task, expected) in [("a", rows), ("b", rows), ("c", changedRows)] {
            _ = try peer.run(task, on: .main)
            guard try stored(by: peer) == expected else {
                throw Failure(description: "\(peer.name) stores something else after task \(task)")
            }
        }
        let read = try peer.run("fgh", on: .main)
        for (task, expected) in [("f", proofOfFetch), ("g", proofOfFetch), ("h", proofOfUsers)]
        where read[Character(task)]?.proof != expected {
            throw Failure(description: "\(peer.name) reads something else in task \(task)")
        }
        say("\(peer.name) stores and reads what the bodies say: \(expectedSummary)")
    }

    private var expectedSummary: String { "\(rows.count) issues with their titles, users and labels" }

    private func stored(by peer: PeerProcess) throws -> [Row] {
        _ = try peer.run("x", on: .main)
        let lines = try Data(contentsOf: URL(fileURLWithPath: peer.path(of: .main) + ".rows"))
        return try lines.split(separator: UInt8(ascii: "\n")).map { line in
            guard let fields = try JSONSerialization.jsonObject(with: Data(line)) as? [Any], fields.count == 4,
                let id = fields[0] as? Int, let title = fields[1] as? String, let user = fields[2] as? Int,
                let labels = fields[3] as? [Int]
            else { throw Failure(description: "\(peer.name) writes rows that can't be read") }
            return Row(id: id, title: title, user: user, labels: labels)
        }
    }

    private static func issues(_ bodies: BodyFolder, _ name: String) throws -> [[String: Any]] {
        guard let issues = try JSONSerialization.jsonObject(with: bodies.load(name)) as? [[String: Any]] else {
            throw Failure(description: "\(name) is not a list of objects")
        }
        return issues
    }

    private static func row(_ issue: [String: Any]) throws -> Row {
        guard let id = issue["id"] as? Int, let title = issue["title"] as? String,
            let user = (issue["user"] as? [String: Any])?["id"] as? Int,
            let labels = issue["labels"] as? [[String: Any]]
        else { throw Failure(description: "the bodies hold an issue without id, title, user or labels") }
        return Row(id: id, title: title, user: user, labels: labels.compactMap { $0["id"] as? Int })
    }
}
