import Foundation

/// `CompareBench FOLDER ROUNDS NAME=COMMAND…`: measures the peers side by side and prints a table, in which all are
/// compared with the first one.
///
/// FOLDER keeps the generated bodies and the peers' files. A COMMAND is split at spaces and gets `DATA DATABASE TASKS`.
@main
enum Program {
    static func main() {
        do {
            try compare(Array(CommandLine.arguments.dropFirst()))
        } catch {
            say("CompareBench: \(error)")
            exit(EXIT_FAILURE)
        }
    }

    private static func compare(_ arguments: [String]) throws {
        guard arguments.count >= 3, let rounds = Int(arguments[1]), rounds > 0 else {
            throw Failure(description: "usage: CompareBench FOLDER ROUNDS NAME=COMMAND…")
        }
        let folder = URL(fileURLWithPath: arguments[0])
        let bodies = BodyFolder(url: folder.appendingPathComponent("bodies"))
        say("generating the bodies, if they are not there yet")
        try bodies.generate()
        let run = folder.appendingPathComponent("run")
        try? FileManager.default.removeItem(at: run)
        try FileManager.default.createDirectory(at: run, withIntermediateDirectories: true)
        let peers = try arguments.dropFirst(2).map { try PeerProcess($0, bodies: bodies.url, folder: run) }

        try fillStores(of: peers, bodies)
        let oracle = try Oracle(bodies)
        for peer in peers { try oracle.verify(peer) }
        let (names, measured) = (peers.map(\.name), try measure(peers, rounds: rounds))
        print(Table(names, measured, columns: Column.untilAnswer).markdown)
        print()
        print(Table(names, measured, columns: Column.withCheckpoint).markdown)
    }

    /// Each peer has a store of 1,000 issues and one of 100,000.
    private static func fillStores(of peers: [PeerProcess], _ bodies: BodyFolder) throws {
        say("filling stores of 1,000 and of 100,000 issues")
        try bodies.writeStore(part: 0, count: 1_000)
        for peer in peers { _ = try peer.run("s", on: .small) }
        for part in 0..<10 {
            try bodies.writeStore(part: part, count: 10_000)
            for peer in peers { _ = try peer.run("s", on: .large) }
        }
        try FileManager.default.removeItem(at: bodies.url.appendingPathComponent("store.json"))
    }

    /// In each round every peer does every task once, in an order that rotates, so that a ratio compares neighbours in
    /// time.
    private static func measure(_ peers: [PeerProcess], rounds: Int) throws -> [Measurements] {
        var measured = peers.map { _ in Measurements() }
        for round in 0..<rounds {
            for turn in peers.indices {
                let place = (turn + round) % peers.count
                say("round \(round + 1) of \(rounds): \(peers[place].name)")
                measured[place].append(try peers[place].doAllTasks())
            }
        }
        return measured
    }
}

/// Progress goes to standard error, so that standard output is the table alone.
func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
