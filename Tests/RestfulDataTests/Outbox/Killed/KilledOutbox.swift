import Foundation
import RestfulData
import TestSupport
import Testing

/// A file with an outbox, to which random changes are added, and the processes that send them.
@MainActor final class KilledOutbox {
    typealias Issue = Tracker.Issue
    typealias Repo = Tracker.Repo
    typealias Label = Tracker.Label

    /// An issue as it was last saved, by a tag that never changes.
    private struct Expected: Equatable {
        var title: String
        var repo: String?
        var labels: Set<Int> = []
    }

    private let server: KillingServer
    private let file: TemporaryFile
    private let base: String
    private let usesKeys: Bool
    private let width: Int
    private var random: SeededGenerator
    private var expected: [String: Expected] = [:]
    private var repos: Set<String> = []
    private var lastTag = 0
    private var lastVersion = 0
    private var lastRun = 0
    /// How many processes were killed.
    private(set) var kills = 0
    private(set) var log: [String] = []

    private var world: OutboxServer { server.server }

    /// Whether the server of a seed knows repeated creations. Otherwise this decides about unknown ones.
    nonisolated static func usesKeys(_ seed: UInt64) -> Bool { seed % 4 != 3 }

    init(seed: UInt64, _ server: KillingServer) async throws {
        (self.server, base, file) = (server, await server.base, try TemporaryFile())
        random = SeededGenerator(seed: seed)
        // Checks the server between two runs.
        await server.begin("test")
        usesKeys = Self.usesKeys(seed)
        width = seed % 2 == 0 ? 1 : 8
        let store = try program("test").open()
        for id in 1...3 {
            world.put("/labels", id, ["id": .number("\(id)"), "name": .string("label \(id)")])
            _ = try await store.imported(Label.self, #"{"id": \#(id), "name": "label \#(id)"}"#)
        }
        world.put("/repos", 1, ["id": 1, "name": "repo 0"])
        _ = try await store.imported(Repo.self, #"{"id": 1, "name": "repo 0"}"#)
        repos = ["repo 0"]
        store.close()
    }

    private func program(_ run: String) -> SendingProgram {
        SendingProgram(path: file.path, base: base, run: run, usesKeys: usesKeys, width: width)
    }

    private func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    private func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    // MARK: Queueing

    /// Queues changes, in a process that isn't killed.
    func queueMore() async throws {
        let store = try program("test").open()
        defer { store.close() }
        try await decide(in: store)
        while store.main.outboxCount < 4 { for _ in 0..<4 { try await step(store.main) } }
    }

    private func step(_ main: ObjectContext) async throws {
        switch chance(8) {
        case 0, 1, 2: try await makeIssue(main)
        case 3 where usesKeys && repos.count < 4: try await makeRepo(main)
        case 3, 4, 5: try await edit(main)
        case 6: try await changeLabels(main)
        default: try await delete(main)
        }
    }

    private func nextTitle() -> String {
        lastVersion += 1
        return "v\(lastVersion)"
    }

    private func issues(_ main: ObjectContext) throws -> [Issue] {
        try main.query(Issue.self).fetch().filter { usesKeys || !main.hasUnknownOutcome($0) }
            .sorted { ($0.body ?? "") < ($1.body ?? "") }
    }

    private func makeIssue(_ main: ObjectContext) async throws {
        lastTag += 1
        let issue = Issue(in: main)
        let (tag, title) = (String(format: "%03d", lastTag), nextTitle())
        (issue.body, issue.title) = (tag, title)
        let all = try main.query(Repo.self).fetch().sorted { ($0.name ?? "") < ($1.name ?? "") }
        let repo = pick(all)
        let joins = chance(2) == 0
        log.append("make \(tag) \(title) in \(repo?.name ?? "-")\(joins ? " by its list" : "")")
        if let repo, joins {
            try await repo.$issues.add(issue, .queued)
        } else {
            issue.repo = repo
            try await issue.save(.queued)
        }
        expected[tag] = Expected(title: title, repo: repo?.name)
    }

    private func makeRepo(_ main: ObjectContext) async throws {
        let repo = Repo(in: main)
        let name = "repo \(repos.count)"
        repo.name = name
        log.append("make \(name)")
        try await repo.save(.queued)
        repos.insert(name)
    }

    private func edit(_ main: ObjectContext) async throws {
        guard let issue = pick(try issues(main)), let tag = issue.body else { return }
        let title = nextTitle()
        log.append("edit \(tag) \(title)")
        issue.title = title
        try await issue.save(.queued)
        expected[tag]?.title = title
    }

    private func changeLabels(_ main: ObjectContext) async throws {
        guard let issue = pick(try issues(main).filter { usesKeys || $0.isKnownToServer }), let tag = issue.body,
            let label = try main.find(Label.self, chance(3) + 1), let id = label.identifier
        else { return }
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

    private func delete(_ main: ObjectContext) async throws {
        guard let issue = pick(try issues(main)), let tag = issue.body else { return }
        try await issue.delete(.queued)
        log.append("delete \(tag)")
        expected[tag] = nil
    }

    /// Acts as a user with a view of the server: repeats a creation if the server lacks its object.
    private func decide(in store: Store) async throws {
        let entries = try await store.outbox.entries().filter { $0.rejection?.kind == .undecided }
        guard !entries.isEmpty else { return }
        for entry in entries {
            let tag = try #require(entry.body.flatMap { JSONValue(Array($0.utf8)) }?["body"]?.string)
            let isThere = world.objects("/issues").values.contains { $0["body"]?.string == tag }
            log.append("\(tag) is \(isThere ? "there" : "made again")")
            if !isThere {
                try await store.outbox.retry(entry)
            } else if entry.action == .delete {
                try await deleteFetched(tag, insteadOf: entry, in: store)
            } else {
                try await store.outbox.discard(entry)
            }
        }
        _ = try await Issue.fetchAll(in: store.main)
    }

    /// Deletes the server's object of a creation with an unknown outcome, in place of the locally deleted one.
    private func deleteFetched(_ tag: String, insteadOf entry: OutboxEntry, in store: Store) async throws {
        _ = try await Issue.fetchAll(in: store.main)
        let fetched = try issues(store.main).first { $0.body == tag && $0.isKnownToServer }
        try await fetched?.delete(.queued)
        try await store.outbox.discard(entry)
        for entry in try await store.outbox.entries() where entry.action != .delete {
            guard let body = entry.body.flatMap({ JSONValue(Array($0.utf8)) }), body["body"]?.string == tag else {
                continue
            }
            try await store.outbox.discard(entry)
        }
    }

    // MARK: Sending

    /// Starts a process that sends, and kills it at a random event. It may have sent everything before.
    func kill() async throws {
        let count = 1 + chance(4)
        switch chance(3) {
        case 0: try await send(killingAt: .arrival(count))
        case 1: try await send(killingAt: .reply(count))
        default: try await send(killingAtStatement: 1 + chance(120))
        }
    }

    private func send(
        killingAt moment: KillingServer.Moment? = nil, killingAtStatement statement: Int? = nil
    ) async throws {
        let event = moment.map { "\($0)" } ?? "statement \(statement ?? 0)"
        let end = try await run(killedAt: moment) { try await $0.end(.send, killedAtStatement: statement) }
        switch end {
        case .signalled(SIGKILL):
            kills += 1
            log.append("killed at \(event)")
        case .exited(0): log.append("sent everything before \(event)")
        default: Testing.Issue.record("the program ended by itself: \(end)")
        }
    }

    /// Runs a process, and notes the requests that it sends.
    private func run(
        killedAt moment: KillingServer.Moment? = nil,
        _ body: (SendingProgram) async throws -> SendingProgram.End
    ) async throws -> SendingProgram.End {
        lastRun += 1
        let name = "run \(lastRun)"
        let before = world.log.count
        await server.begin(name)
        if let moment { await server.kill(name, at: moment) }
        let end = try await body(program(name))
        await server.end(name)
        log += world.log[before...].map { "  > \($0)" }
        return end
    }

    // MARK: The end

    /// Sends everything, and compares the server with the file and with the expected state.
    func problemAtTheEnd() async throws -> String? {
        for _ in 0..<4 {
            let end = try await run { try await $0.end(.send) }
            guard end == .exited(0) else { return "the program ended by itself: \(end)" }
            let store = try program("test").open()
            defer { store.close() }
            if store.main.outboxCount == 0 { return try problem(store.main) ?? problemInTheLog() }
            try await decide(in: store)
        }
        let left = try await program("test").open().outbox.entries()
        return "left: \(left)"
    }

    private func problem(_ main: ObjectContext) throws -> String? {
        let names = world.objects("/repos").mapValues { $0["name"]?.string ?? "" }
        guard names.count == repos.count, Set(names.values) == repos else { return "repos: \(names)" }
        var found: [String: Expected] = [:]
        for (id, object) in world.objects("/issues") {
            let tag = object["body"]?.string ?? ""
            if found[tag] != nil { return "twice: \(tag)" }
            found[tag] = Expected(
                title: object["title"]?.string ?? "", repo: object["repo_id"]?.integer.flatMap { names[$0] },
                labels: world.members("/issues/\(id)/labels"))
        }
        if found != expected { return "the server has " + difference(found) }
        var shown: [String: Expected] = [:]
        for issue in try main.query(Issue.self).fetch() {
            guard issue.syncState == .synced else { return "\(issue.body ?? ""): \(issue.syncState)" }
            shown[issue.body ?? ""] = Expected(
                title: issue.title ?? "", repo: issue.repo?.name, labels: Set(issue.labels.compactMap(\.identifier)))
        }
        return shown == expected ? nil : "the file has " + difference(shown)
    }

    /// Titles have increasing numbers, so each shows its time.
    private func problemInTheLog() -> String? {
        var (versions, keys): ([String: [Int]], [String: Set<String>]) = ([:], [:])
        for (line, key) in zip(world.log, world.keys) {
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let body = JSONValue(Array(parts[2].utf8)), let title = body["title"]?.string,
                let version = Int(title.dropFirst())
            else { continue }
            let name = parts[0] == "POST" ? body["body"]?.string ?? "" : String(parts[1])
            versions[name, default: []].append(version)
            if parts[0] == "POST" { keys[name, default: []].insert(key ?? "") }
        }
        if let early = versions.first(where: { $0.value != $0.value.sorted() }) { return "order: \(early)" }
        if let keys = keys.first(where: { $0.value.count > 1 }) { return "keys: \(keys)" }
        let repeated = versions.values.map { $0.count - Set($0).count }.reduce(0, +)
        // Only requests that were in flight when the process was killed.
        return repeated > kills * width ? "\(repeated) requests were repeated" : nil
    }

    private func difference(_ found: [String: Expected]) -> String {
        Set(found.keys).union(expected.keys).sorted().filter { found[$0] != expected[$0] }.map { tag in
            "\(tag): \(found[tag].map { "\($0)" } ?? "nothing"), expected \(expected[tag].map { "\($0)" } ?? "nothing")"
        }.joined(separator: "\n")
    }
}
