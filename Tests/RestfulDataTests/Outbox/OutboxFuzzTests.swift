import Foundation
import RestfulData
import TestSupport
import Testing

/// Random programs that edit, queue, send, lose replies, and end at any moment. Once the server can be reached and all
/// is sent, it has exactly what the user has seen last: nothing is lost, and nothing is there twice.
@MainActor @Suite struct OutboxFuzzTests {
    @Test(arguments: Fuzzing.seeds(60))
    func `The server ends with all queued changes, each once`(_ seed: UInt64) async throws {
        let run = try await OutboxRun(seed: seed)
        for _ in 0..<60 { try await run.step() }
        let problem = try await run.problemAtTheEnd()
        #expect(problem == nil, "seed \(seed):\n\(problem ?? "")\n\(run.log.joined(separator: "\n"))")
    }
}

/// One random program, and what the server is to have at its end.
@MainActor private final class OutboxRun {
    typealias Issue = Tracker.Issue
    typealias Repo = Tracker.Repo
    typealias Label = Tracker.Label

    /// An issue as the user has last saved it, by a tag that never changes.
    struct Expected: Equatable {
        var title: String
        var repo: String?
        var labels: Set<Int> = []
    }

    private let program: Program
    private var random: SeededGenerator
    private var expected: [String: Expected] = [:]
    private var repos: Set<String> = []
    private var lastTag = 0
    private(set) var log: [String] = []

    private var server: OutboxServer { program.server }

    init(seed: UInt64) async throws {
        random = SeededGenerator(seed: seed)
        var conventions = APIConventions.default
        conventions.usesIdempotencyKeys = true
        program = try Program(OutboxServer(knowsKeys: true), conventions: conventions, limits: .unlimited, width: 1)
        for id in 1...3 {
            server.put("/labels", id, ["id": .number("\(id)"), "name": .string("label \(id)")])
            _ = try await program.imported(Label.self, #"{"id": \#(id), "name": "label \#(id)"}"#)
        }
    }

    private func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    private func issues() throws -> [Issue] {
        try program.find(Issue.self).filter { $0.body != nil }.sorted { $0.body! < $1.body! }
    }

    /// The issues that a user can tell apart. A list may show an object while its creation has an unknown outcome: then
    /// it is there twice until the reply to the repeated creation.
    private func distinctIssues() throws -> [Issue] {
        let all = try issues()
        let counts = Dictionary(all.map { ($0.body!, 1) }, uniquingKeysWith: +)
        return all.filter { counts[$0.body!] == 1 }
    }

    private func foundRepos() throws -> [Repo] { try program.find(Repo.self).sorted { $0.name! < $1.name! } }

    func step() async throws {
        switch chance(16) {
        case 0, 1: try await makeIssue()
        case 2: try await makeRepo()
        case 3, 4, 5: try await edit()
        case 6: try await move()
        case 7: try await delete()
        case 8, 9: try await changeLabels()
        case 10: try await fetch()
        case 11:
            log.append("restart")
            try program.restart()
        case 12: fail()
        default: try await drain()
        }
    }

    private func makeIssue() async throws {
        lastTag += 1
        let issue = Issue(in: program.main)
        let tag = String(format: "%03d", lastTag)
        (issue.body, issue.title) = (tag, "t\(chance(100))")
        let repo = try pick(foundRepos())
        let joins = chance(2) == 0
        log.append("issue \(tag) \(issue.title!) in \(repo?.name ?? "-") \(joins ? "by list" : "")")
        if let repo, joins {
            try await repo.$issues.add(issue, .queued)
        } else {
            issue.repo = repo
            try await issue.save(.queued)
        }
        expected[tag] = Expected(title: issue.title!, repo: repo?.name)
    }

    private func makeRepo() async throws {
        guard repos.count < 4 else { return }
        let repo = Repo(in: program.main)
        let name = "repo \(repos.count)"
        repo.name = name
        log.append(name)
        try await repo.save(.queued)
        repos.insert(name)
    }

    private func edit() async throws {
        guard let issue = try pick(distinctIssues()) else { return }
        issue.title = "t\(chance(100))"
        // An edit that is saved and not queued goes with the next one that is.
        let isQueued = chance(4) > 0
        log.append("edit \(issue.body!) \(issue.title!) \(isQueued)")
        if isQueued { try await issue.save(.queued) } else { try await program.main.save() }
        expected[issue.body!]?.title = issue.title!
    }

    private func move() async throws {
        guard let issue = try pick(distinctIssues()), let repo = try pick(foundRepos()) else { return }
        log.append("move \(issue.body!) to \(repo.name!)")
        issue.repo = repo
        try await issue.save(.queued)
        expected[issue.body!]?.repo = repo.name
    }

    private func delete() async throws {
        guard let issue = try pick(distinctIssues()), let tag = issue.body else { return }
        do {
            try await issue.delete(.queued)
            log.append("delete \(tag)")
            expected[tag] = nil
        } catch APIError.undecidedCreation {
            log.append("delete \(tag) undecided")
        }
    }

    private func changeLabels() async throws {
        guard let issue = try pick(issues()), let tag = issue.body,
            let label = try program.main.find(Label.self, chance(3) + 1)
        else { return }
        let id = label.identifier!
        if issue.labels.contains(label) {
            log.append("remove label \(id) of \(tag)")
            try await issue.$labels.delete(label, .queued)
            expected[tag]?.labels.remove(id)
        } else {
            log.append("add label \(id) to \(tag)")
            try await issue.$labels.add(label, .queued)
            expected[tag]?.labels.insert(id)
        }
    }

    private func fetch() async throws {
        log.append("fetch")
        do {
            if chance(2) == 0 {
                _ = try await Issue.fetchAll(in: program.main)
            } else if let issue = try pick(distinctIssues().filter(\.isKnownToServer)) {
                try await issue.$labels.fetch()
            }
        } catch { log.append("fetch failed") }
    }

    private func fail() {
        let fault: OutboxServer.Fault =
            switch chance(4) {
            case 0: .unreachable
            case 1: .status(503)
            default: .lostReply
            }
        log.append("next: \(fault)")
        server.fail(fault)
    }

    private func drain() async throws {
        // Only the first requests, at times.
        if chance(3) == 0 {
            let last = server.log.count + chance(3) + 1
            server.whenArriving { [server] _ in if server.log.count >= last { server.isOffline = true } }
        }
        let before = server.log.count
        let report = await program.outbox.drain()
        server.whenArriving(nil)
        server.isOffline = false
        log += server.log[before...].map { "  > \($0)" }
        log.append("drain: \(report.sent) sent, \(report.waiting) left, \(report.rejected) rejected")
    }

    /// Sends everything, and compares the server with the program and with what is expected.
    func problemAtTheEnd() async throws -> String? {
        server.forgetFaults()
        let before = server.log.count
        defer { log += server.log[before...].map { "  > \($0)" } }
        for _ in 0..<8 {
            for object in try program.main.unsent(Issue.self) { try await object.save(.queued) }
            await program.outbox.drain()
        }
        let left = try await program.outbox.entries()
        guard left.isEmpty else { return "left: \(left)" }
        let names = server.objects("/repos").mapValues { $0["name"]?.string ?? "" }
        guard names.count == repos.count, Set(names.values) == repos else { return "repos: \(names)" }
        var found: [String: Expected] = [:]
        for (id, object) in server.objects("/issues") {
            let tag = object["body"]?.string ?? ""
            if found[tag] != nil { return "twice: \(tag)" }
            found[tag] = Expected(
                title: object["title"]?.string ?? "", repo: object["repo_id"]?.integer.flatMap { names[$0] },
                labels: server.members("/issues/\(id)/labels"))
        }
        if found != expected { return difference(found, "server") }
        var shown: [String: Expected] = [:]
        for issue in try issues() {
            shown[issue.body!] = Expected(
                title: issue.title!, repo: issue.repo?.name, labels: Set(issue.labels.compactMap(\.identifier)))
            if issue.syncState != .synced { return "\(issue.body!): \(issue.syncState)" }
        }
        return shown == expected ? nil : difference(shown, "program")
    }

    private func difference(_ found: [String: Expected], _ name: String) -> String {
        Set(found.keys).union(expected.keys).sorted().filter { found[$0] != expected[$0] }.map { tag in
            "\(tag): \(name) has \(found[tag].map { "\($0)" } ?? "nothing"), expected "
                + (expected[tag].map { "\($0)" } ?? "nothing")
        }.joined(separator: "\n")
    }
}
