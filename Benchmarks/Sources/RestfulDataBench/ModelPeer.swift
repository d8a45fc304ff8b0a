import BenchmarkPeer
import Foundation
import RestfulData

/// The tasks as an app would write them: on the main actor and with the main context's live objects. An import leaves
/// the main actor by itself.
protocol ModelPeer: Peer {
    associatedtype Issue: IssueModel
    associatedtype Repository: Model
    var store: Store { get }
}

extension ModelPeer {
    /// The ten thousand objects are never used at once, so they stay in the file.
    func importIssues(_ body: Data) async throws {
        _ = try await store.main.importReporting(Issue.self, from: body)
    }

    /// As after a reply about one issue: the caller has the object.
    func importIssue(_ body: Data) async throws {
        _ = try await store.main.import(Issue.self, from: body).objects
    }

    func importRepositories(_ body: Data) async throws {
        _ = try await store.main.importReporting(Repository.self, from: body)
    }

    /// The library makes it after the answer, and before the next transaction, which is empty here.
    func finishCheckpoint() async throws {
        _ = try await store.main.importReporting(Issue.self, from: Data("[]".utf8))
    }

    func fetchAll() throws -> Int {
        try store.main.query(Issue.self).fetch().reduce(0) { $0 + $1.number + $1.title.utf8.count }
    }

    func lookUp(_ ids: [Int]) throws -> Int {
        var sum = 0
        for id in ids {
            guard let issue = try store.main.find(Issue.self, id) else { continue }
            sum += issue.number + issue.title.utf8.count
        }
        return sum
    }

    func followUsers() throws -> Int {
        try store.main.query(Issue.self).fetch().reduce(0) { $0 + ($1.user?.login.utf8.count ?? 0) }
    }

    func issueRows() throws -> [IssueRow] {
        try store.main.query(Issue.self).fetch()
            .map { issue in
                IssueRow(
                    id: issue.identifier ?? 0, title: issue.title, user: issue.user?.identifier ?? 0,
                    labels: issue.labels.compactMap(\.identifier))
            }
            .sorted { $0.id < $1.id }
    }
}
