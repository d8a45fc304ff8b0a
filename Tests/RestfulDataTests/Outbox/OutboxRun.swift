import Foundation
import TestSupport

@testable import RestfulData

/// One random program, and the expected state of the server at its end.
@MainActor final class OutboxRun {
    typealias Issue = Tracker.Issue
    typealias Repo = Tracker.Repo
    typealias Label = Tracker.Label

    /// An issue as the user has last saved it, by a tag that never changes.
    struct Expected: Equatable {
        var title: String
        var repo: String?
        var labels: Set<Int> = []
    }

    /// A deleted issue as it was.
    struct Deleted {
        let tag: String
        var issue: Expected
    }

    let program: Program
    /// Whether requests are refused for good, others delete objects, and entries are discarded.
    let decides: Bool
    /// Whether users continue while requests are in flight.
    let interrupts: Bool
    /// Whether another version of the program opens the file at times.
    let migrates: Bool
    /// Deletions that wait for the end of a request.
    var deletions: [Task<Void, any Error>] = []
    var random: SeededGenerator
    /// The expected state of the server.
    var expected: [String: Expected] = [:]
    var repos: Set<String> = []
    /// Issues of which the server has something that only a fetch shows.
    var stale: Set<String> = []
    /// Deleted issues by their rows.
    var deleted: [RecordID: Deleted] = [:]
    var lastTag = 0
    var lastRepo = 0
    var log: [String] = []

    var server: OutboxServer { program.server }

    init(seed: UInt64, decides: Bool = false, interrupts: Bool = false, migrates: Bool = false) async throws {
        random = SeededGenerator(seed: seed)
        (self.decides, self.interrupts, self.migrates) = (decides, interrupts, migrates)
        var conventions = APIConventions.default
        conventions.usesIdempotencyKeys = true
        program = try Program(OutboxServer(knowsKeys: true), conventions: conventions, limits: .unlimited, width: 1)
        for id in 1...3 {
            server.put("/labels", id, ["id": .number("\(id)"), "name": .string("label \(id)")])
            _ = try await program.imported(Label.self, #"{"id": \#(id), "name": "label \#(id)"}"#)
        }
    }

    func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    func issues() throws -> [Issue] {
        try program.find(Issue.self).filter { $0.body != nil }.sorted { $0.body! < $1.body! }
    }

    /// The issues that a user can distinguish. A list may show an object while its creation has an unknown outcome:
    /// then it is there twice until the reply to the repeated creation. A deleted one is there until then.
    func distinctIssues() throws -> [Issue] { try distinct(issues()) { $0.body! } }

    func distinct<Object>(_ all: [Object], by tag: (Object) -> String) -> [Object] {
        let counts = Dictionary(all.map { (tag($0), 1) }, uniquingKeysWith: +)
        let gone = Set(deleted.values.map(\.tag))
        return all.filter { counts[tag($0)] == 1 && !gone.contains(tag($0)) }
    }

    func foundRepos() throws -> [Repo] { try program.find(Repo.self).sorted { $0.name! < $1.name! } }

    // MARK: The end

    /// Sends everything, and compares the server with the program and with the expected state.
    func problemAtTheEnd() async throws -> String? {
        server.forgetFaults()
        let before = server.log.count
        defer { log += server.log[before...].map { "  > \($0)" } }
        for _ in 0..<8 {
            for object in try program.main.unsent(Issue.self) { try await object.save(.queued) }
            await program.outbox.drain()
            try await decideAll()
        }
        let left = try await program.outbox.entries()
        guard left.isEmpty else { return "left: \(left)" }
        let names = server.objects("/repos").mapValues { $0["name"]?.string ?? "" }
        guard names.count == repos.count, Set(names.values) == repos else {
            return "repos: \(names), expected \(repos)"
        }
        let ids = server.objects("/issues").keys.sorted()
        let found = ids.compactMap { id in issueAtServer(id) }
        let tags = Dictionary(found.map { ($0.tag, 1) }, uniquingKeysWith: +)
        if let twice = tags.first(where: { $0.value > 1 }) { return "twice: \(twice.key)" }
        if let problem = difference(Dictionary(found.map { ($0.tag, $0.issue) }) { $1 }, "server") { return problem }
        if let problem = try problemHere(except: stale) { return problem }
        guard decides else { return nil }
        try await fetchEverything()
        return try problemHere().map { "fetched, \($0)" }
    }

    /// Compares the program's objects with the expected ones.
    private func problemHere(except left: Set<String> = []) throws -> String? {
        var shown: [String: Expected] = [:]
        for issue in try issues() {
            if shown[issue.body!] != nil { return "\(issue.body!) is here twice" }
            shown[issue.body!] = shownState(of: issue)
            if issue.syncState != .synced { return "\(issue.body!): \(issue.syncState)" }
        }
        return difference(shown, "program", except: left)
    }

    private func fetchEverything() async throws {
        // As long as the process runs, an edit whose reply was lost counts as one of unknown outcome, also once a list
        // shows it, and a listing doesn't delete its object.
        try program.restart()
        _ = try await Repo.fetchAll(pages: .all(), prune: .delete, in: program.main)
        let page = try await Issue.fetchAllReporting(pages: .all(), prune: .delete, in: program.main)
        log.append("fetch everything: \(page.pruned.map { "\($0)" } ?? "nothing pruned")")
        let ids = server.objects("/issues")
        for issue in try issues() where ids[issue.identifier ?? 0] != nil { try await issue.$labels.fetch() }
    }

    func shownState(of issue: Issue) -> Expected {
        Expected(
            title: issue.title!, repo: issue.repo?.name, labels: Set(issue.labels.compactMap(\.identifier)))
    }

    /// An issue as the server has it.
    func issueAtServer(_ id: Int) -> (tag: String, issue: Expected)? {
        guard let object = server.objects("/issues")[id] else { return nil }
        let repo = object["repo_id"]?.integer.flatMap { server.objects("/repos")[$0]?["name"]?.string }
        let issue = Expected(
            title: object["title"]?.string ?? "", repo: repo, labels: server.members("/issues/\(id)/labels"))
        return (object["body"]?.string ?? "", issue)
    }

    /// The same by its tag.
    func issueAtServer(tagged tag: String) -> Expected? {
        server.objects("/issues").keys.lazy.compactMap { self.issueAtServer($0) }.first { $0.tag == tag }?.issue
    }

    private func difference(
        _ found: [String: Expected], _ name: String, except left: Set<String> = []
    ) -> String? {
        let tags = Set(found.keys).union(expected.keys).subtracting(left).sorted()
        let lines = tags.filter { found[$0] != expected[$0] }.map { tag in
            "\(tag): \(name) has \(found[tag].map { "\($0)" } ?? "nothing"), expected "
                + (expected[tag].map { "\($0)" } ?? "nothing")
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}
