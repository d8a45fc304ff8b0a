import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Every body of GitHub's that holds users, repositories, issues, labels, milestones, comments, pulls or releases.
@Suite @MainActor struct RealInputTests {
    struct Body: Sendable, CustomTestStringConvertible {
        let file: URL
        let model: String
        let keyPath: String?
        var testDescription: String { file.pathComponents.suffix(2).joined(separator: "/") }
    }

    @Test func `The recorded bodies cover every kind of model`() {
        let models = Set(Self.bodies.map(\.model))
        #expect(models == Set(JSONOracle.textKeys.keys).subtracting(["Asset"]))
        #expect(Self.bodies.count > (Bodies.corpus == nil ? 30 : 110))
    }

    @Test(arguments: bodies)
    func `Each object with an identity is stored once, and each other one is reported`(_ body: Body) async throws {
        let data = try Data(contentsOf: body.file)
        let oracle = try JSONOracle(data, body.model, keyPath: body.keyPath)
        let store = try Self.openStore()
        let report = try await Self.importBody(data, body, in: store.main)

        #expect(try Self.identities(store.main) == oracle.identities)
        #expect(report.rejectedCount == oracle.rejected)
        #expect(report.inserted == oracle.identities.values.reduce(0) { $0 + $1.count })
        for (model, texts) in try Self.texts(store.main) {
            for (identity, text) in texts {
                let known = oracle.texts[model]?[identity] ?? [""]
                #expect(known.contains(text), "\(model) \(identity)")
            }
        }
    }

    @Test(arguments: bodies)
    func `Importing a recorded body twice changes nothing`(_ body: Body) async throws {
        let data = try Data(contentsOf: body.file)
        let store = try Self.openStore()
        let first = try await Self.importBody(data, body, in: store.main)
        let before = try await store.contents()
        let second = try await Self.importBody(data, body, in: store.main)

        #expect(try await store.contents() == before)
        #expect(second.inserted == 0)
        #expect(second.unlinked == 0)
        #expect(second.rejectedCount == first.rejectedCount)
        #expect(second.mismatchedCount == first.mismatchedCount)
        // Only an object that the body has with two different contents is written again.
        #expect(second.updated <= (try JSONOracle(data, body.model, keyPath: body.keyPath).ambiguous))
    }

    @Test func `All recorded bodies make one graph`() async throws {
        let store = try Self.openStore()
        var identities: [String: Set<Int>] = [:]
        for body in Self.bodies {
            let data = try Data(contentsOf: body.file)
            identities.merge(try JSONOracle(data, body.model, keyPath: body.keyPath).identities) { $0.union($1) }
            _ = try await Self.importBody(data, body, in: store.main)
        }
        #expect(try Self.identities(store.main) == identities)
    }

    // MARK: The bodies

    private nonisolated static let folders = ["github", "github-server", "github-examples", "github-recorded"]

    private nonisolated static let bodies: [Body] = Bodies.files(in: folders, withExtension: "json").compactMap {
        file in
        kind(of: file.deletingPathExtension().lastPathComponent)
            .map { Body(file: file, model: $0.model, keyPath: $0.keyPath) }
    }

    /// The contents of a body, by the name of its file, which is that of its schema or of the recorded request.
    private nonisolated static func kind(of name: String) -> (model: String, keyPath: String?)? {
        let searches = ["search-single-01": "User", "search-single-06": "Issue", "search-single-11": "Repository"]
        if let model = searches[name] { return (model, "items") }
        let envelopes = [
            "user-search-result-item": ("User", "items"), "issue-search-result-item": ("Issue", "items"),
            "repo-search-result-item": ("Repository", "items"), "label-search-result-item": ("Label", "items"),
            "minimal-repository-paginated": ("Repository", "repositories"),
            "public-repository-paginated": ("Repository", "repositories"),
            "repository-paginated": ("Repository", "repositories"),
        ]
        if let envelope = envelopes.first(where: { name.hasPrefix($0.key) }) { return envelope.value }
        let plain = [
            ("(simple|public|private)-user(-items)?(-.*response.*)?(-2)?|users?-(single|list)-[0-9]+", "User"),
            ("(full|minimal|public)-repository(-items)?(-default-response|-2)?", "Repository"),
            ("repository-items-default-response|repos?-(single|list)-[0-9]+", "Repository"),
            ("issue(-items|-with-repo-items|-with-pinned-comment)?|issue-(single|list)-[0-9]+", "Issue"),
            ("label(-items)?(-2)?|labels?-(single|list)-[0-9]+", "Label"),
            ("milestone(-items)?", "Milestone"),
            ("(issue|commit)-comment(-items|-2|-pinned)?|comments?-(single|list)-[0-9]+", "Comment"),
            ("pull-request-review-comment(-items|-2|-example.*)?", "Comment"),
            ("pull-request(-items|-simple|-simple-items)?|pulls?-(single|list)-[0-9]+", "PullRequest"),
            ("release(-items)?|releases?-(single|list)-[0-9]+", "Release"),
        ]
        return plain.first { name.range(of: "^(\($0.0))$", options: .regularExpression) != nil }.map { ($0.1, nil) }
    }

    // MARK: The store

    private static func openStore() throws -> Store {
        try Store(
            .temporary, models: GitHub.models + [PullRequest.self, Release.self, Asset.self], conventions: .github)
    }

    private static func importBody(_ data: Data, _ body: Body, in context: ObjectContext) async throws -> ImportReport {
        let keyPath = body.keyPath.map { JSONKeyPath($0) }
        return switch body.model {
        case "User": try await context.importReporting(User.self, from: data, at: keyPath)
        case "Repository": try await context.importReporting(Repository.self, from: data, at: keyPath)
        case "Issue": try await context.importReporting(Issue.self, from: data, at: keyPath)
        case "Label": try await context.importReporting(Label.self, from: data, at: keyPath)
        case "Milestone": try await context.importReporting(Milestone.self, from: data, at: keyPath)
        case "Comment": try await context.importReporting(Comment.self, from: data, at: keyPath)
        case "PullRequest": try await context.importReporting(PullRequest.self, from: data, at: keyPath)
        default: try await context.importReporting(Release.self, from: data, at: keyPath)
        }
    }

    private static func identities(_ context: ObjectContext) throws -> [String: Set<Int>] {
        try texts(context).mapValues { Set($0.keys) }
    }

    /// By model and identity: the text that is compared with the body. A duplicate row is reported.
    private static func texts(_ context: ObjectContext) throws -> [String: [Int: String]] {
        var texts: [String: [Int: String]] = [:]
        func add<M: Model>(_ type: M.Type, _ identity: (M) -> Int?, _ text: (M) -> String) throws {
            for object in try context.query(type).fetch() {
                let known = texts["\(type)", default: [:]].updateValue(text(object), forKey: identity(object) ?? -1)
                if known != nil { Testing.Issue.record("\(type) \(identity(object) ?? -1) is there twice") }
            }
        }
        try add(User.self, \.identifier, \.login)
        try add(Repository.self, \.identifier, \.fullName)
        try add(Issue.self, \.identifier, \.title)
        try add(Label.self, \.identifier, \.name)
        try add(Milestone.self, \.identifier, \.title)
        try add(Comment.self, \.identifier, \.body)
        try add(PullRequest.self, \.identifier, \.title)
        try add(Release.self, \.identifier, \.tagName)
        try add(Asset.self, \.identifier, \.name)
        return texts
    }
}
