import Foundation
import HTTPTypes
import RESTTransport
import TestSupport
import Testing

@testable import RestfulData

/// Random programs of two accounts that take turns, in two stores on one file and one on another. Changes of each
/// account go only with its own credentials, and all are sent in the end.
@MainActor @Suite struct OutboxAccountFuzzTests {
    @Test(arguments: Fuzzing.seeds(40))
    func `Each account sends its own changes, each once`(_ seed: UInt64) async throws {
        let run = try await AccountRun(seed: seed)
        for _ in 0..<60 { try await run.step() }
        let problem = try await run.problemAtTheEnd()
        #expect(problem == nil, "seed \(seed):\n\(problem ?? "")\n\(run.log.joined(separator: "\n"))")
    }
}

/// The user who is signed in.
private struct SignedIn: AuthenticationProvider {
    let user: Box<String>
    var account: String? { user.value }

    func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest {
        var request = request
        request.headerFields[.authorization] = "Bearer \(user.value)"
        return request
    }
}

@MainActor private final class AccountRun {
    typealias Issue = Tracker.Issue
    typealias Label = Tracker.Label

    struct Expected: Equatable {
        var title: String
        var labels: Set<Int> = []
    }

    private let server = OutboxServer(knowsKeys: true)
    private let user = Box("anna")
    private var files: [TemporaryFile] = []
    /// Two on the first file, and one on the second.
    private var stores: [Store] = []
    private var random: SeededGenerator
    private var expected: [String: Expected] = [:]
    /// By file and number of the entry: the account that made it.
    private var makers: [String: String] = [:]
    private var lastTag = 0
    private(set) var log: [String] = []
    /// The first violated invariant.
    private var problem: String?

    init(seed: UInt64) async throws {
        random = SeededGenerator(seed: seed)
        files = [try TemporaryFile(), try TemporaryFile()]
        stores = try [0, 0, 1].map { try open(files[$0]) }
        for id in 1...2 {
            server.put("/labels", id, ["id": .number("\(id)"), "name": .string("label \(id)")])
            for store in stores[1...] {
                _ = try await store.imported(Label.self, #"{"id": \#(id), "name": "label \#(id)"}"#)
            }
        }
    }

    private func open(_ file: TemporaryFile) throws -> Store {
        let user = user
        var conventions = APIConventions.default
        conventions.usesIdempotencyKeys = true
        let api = API("https://api.example.com", conventions: conventions, limits: .unlimited, transport: server) {
            SignedIn(user: user)
        }
        let store = try Store(.file(file.path), models: Tracker.models, api: api)
        store.outbox.width = 1
        return store
    }

    private func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    private func issues(in store: Store) throws -> [Issue] {
        try store.main.query(Issue.self).fetch().sorted { $0.body! < $1.body! }
    }

    func step() async throws {
        let index = chance(3)
        let store = stores[index]
        switch chance(14) {
        case 0, 1: try await makeIssue(in: store)
        case 2, 3, 4: try await edit(pick(issues(in: store)), in: store)
        case 5: try await delete(pick(issues(in: store)))
        case 6, 7: try await changeLabels(of: pick(issues(in: store)), in: store)
        case 8, 9: switchAccount()
        case 10:
            log.append("restart")
            files = try files.map { try $0.copy() }
            stores = try [0, 0, 1].map { try open(files[$0]) }
        case 11: fail()
        default: try await drain(index, isDisturbed: chance(3) == 0)
        }
        try await checkMakers()
    }

    private func switchAccount() {
        user.value = user.value == "anna" ? "ben" : "anna"
        log.append("\(user.value) signs in")
    }

    /// The account whose credentials an object's changes wait for: the waiting entry's, if there is one.
    private func account(of issue: Issue, in store: Store) async throws -> String {
        let entries = try await store.outbox.entries()
        let record = issue._object.record
        return entries.first { $0.subject.record == record && $0.subject.membership == nil }?.account ?? user.value
    }

    private func makeIssue(in store: Store) async throws {
        lastTag += 1
        let issue = Issue(in: store.main)
        (issue.body, issue.title) = ("\(1000 + lastTag)", "\(user.value) \(chance(100))")
        log.append("issue \(issue.body!) \(issue.title!)")
        try await issue.save(.queued)
        expected[issue.body!] = Expected(title: issue.title!)
    }

    private func edit(_ issue: Issue?, in store: Store) async throws {
        guard let issue else { return }
        issue.title = "\(try await account(of: issue, in: store)) \(chance(100))"
        log.append("edit \(issue.body!) \(issue.title!)")
        try await issue.save(.queued)
        expected[issue.body!]?.title = issue.title!
    }

    private func delete(_ issue: Issue?) async throws {
        guard let issue, let tag = issue.body else { return }
        let isUndecided = !issue.isKnownToServer && issue._object.context?.hasUnknownOutcome(issue) == true
        try await issue.delete(.queued)
        log.append("delete \(tag)\(isUndecided ? " undecided" : "")")
        expected[tag] = nil
    }

    private func changeLabels(of issue: Issue?, in store: Store) async throws {
        guard let issue, let label = try store.main.find(Label.self, chance(2) + 1) else { return }
        let isMember = issue.labels.contains(label)
        log.append("label \(label.identifier!) of \(issue.body!): \(!isMember)")
        if isMember {
            try await issue.$labels.delete(label, .queued)
            expected[issue.body!]?.labels.remove(label.identifier!)
        } else {
            try await issue.$labels.add(label, .queued)
            expected[issue.body!]?.labels.insert(label.identifier!)
        }
    }

    private func fail() {
        let fault: OutboxServer.Fault =
            switch chance(4) {
            case 0: .unreachable
            case 1: .status(503)
            case 2: .status(401)
            default: .lostReply
            }
        log.append("next: \(fault)")
        server.fail(fault)
    }

    private func drain(_ index: Int, isDisturbed: Bool = false) async throws {
        let known = try await knownRequests(of: stores[index])
        if isDisturbed {
            // Another user signs in while a request is in flight.
            let number = server.log.count + chance(2) + 1
            server.whenArriving { [server] _ in if server.log.count == number { await self.switchAccount() } }
        }
        let before = server.log.count
        let report = await stores[index].outbox.drain()
        server.whenArriving(nil)
        for (request, credentials) in zip(server.log, server.accounts).dropFirst(before) {
            log.append("  > \(credentials ?? "-") \(request)")
            let words = request.split(separator: " ", maxSplits: 2).map(String.init)
            let account = known["\(words[0]) \(words[1])"] ?? titleAccount(in: words.last!)
            if words[0] != "GET", let account, credentials != "Bearer \(account)" {
                problem = problem ?? "\(request) of \(account) went with \(credentials ?? "nothing")"
            }
        }
        log.append("drain \(index): \(report.sent) sent, \(report.waiting) left, \(report.rejected) rejected")
    }

    /// The accounts of the requests that can be distinguished from others.
    private func knownRequests(of store: Store) async throws -> [String: String] {
        var known: [String: String] = [:]
        for entry in try await store.outbox.entries() where entry.action != .create {
            guard let request = entry.request?.replacing("https://api.example.com", with: ""),
                // Each label of an issue has a request of this kind, and so has each creation.
                !request.hasSuffix("/labels"), !request.hasPrefix("POST /issues")
            else { continue }
            known[request] = entry.account
        }
        return known
    }

    private func titleAccount(in body: String) -> String? {
        ["anna", "ben"].first { body.contains("\"title\":\"\($0) ") }
    }

    /// New entries are those of the account that is signed in, and entries stay those of their account.
    private func checkMakers() async throws {
        for (file, store) in [(0, stores[0]), (1, stores[2])] {
            for entry in try await store.outbox.entries() {
                let key = "\(file) \(entry.id)"
                let maker = makers[key] ?? entry.account ?? "nobody"
                makers[key] = maker
                if maker != entry.account {
                    problem = problem ?? "\(entry) is \(entry.account ?? "-")'s, was \(maker)'s"
                }
            }
        }
    }

    func problemAtTheEnd() async throws -> String? {
        server.forgetFaults()
        for round in 0..<12 {
            for index in stores.indices { try await drain(index) }
            if round % 2 == 1 { switchAccount() }
        }
        if let problem { return problem }
        for store in stores {
            let left = try await store.outbox.entries()
            guard left.isEmpty else { return "left: \(left)" }
        }
        var found: [String: Expected] = [:]
        for (id, object) in server.objects("/issues") {
            let tag = object["body"]?.string ?? ""
            if found[tag] != nil { return "twice: \(tag)" }
            found[tag] = Expected(
                title: object["title"]?.string ?? "", labels: server.members("/issues/\(id)/labels"))
        }
        if found != expected { return "server has \(found), expected \(expected)" }
        var shown: [String: Expected] = [:]
        for issue in try issues(in: stores[0]) + issues(in: stores[2]) {
            shown[issue.body!] = Expected(title: issue.title!, labels: Set(issue.labels.compactMap(\.identifier)))
            if issue.syncState != .synced { return "\(issue.body!): \(issue.syncState)" }
        }
        return shown == expected ? nil : "stores have \(shown), expected \(expected)"
    }
}
