public import Foundation

/// One way of keeping issues and repositories in a file. Peers are measured side by side, all at the same tasks.
@MainActor
public protocol Peer {
    /// Opens the file, or makes it with the peer's own tables.
    init(path: String) throws

    /// Stores a list of issues, and all that is nested in them, in one transaction.
    func importIssues(_ body: Data) async throws
    /// Stores one issue, and returns its values as read back, if the peer can do so.
    func importIssue(_ body: Data) async throws
    func importRepositories(_ body: Data) async throws
    /// Returns once the checkpoint of the WAL is done that the last import made due.
    func finishCheckpoint() async throws

    /// Fetches all issues with all columns; the sum of their numbers and of their titles' lengths in UTF-8.
    func fetchAll() async throws -> Int
    /// Finds each issue by the server's id, in that order; the same sum.
    func lookUp(_ ids: [Int]) async throws -> Int
    /// Fetches all issues and the user of each; the sum of the logins' lengths in UTF-8.
    func followUsers() async throws -> Int

    /// The file's values of each issue, in the order of their ids.
    func issueRows() async throws -> [IssueRow]
}

/// The values that must be equal in all peers' files.
public struct IssueRow: Sendable {
    /// The issue's id.
    public let id: Int
    /// Its title.
    public let title: String
    /// The id of its user.
    public let user: Int
    /// In the order that the server gave them.
    public let labels: [Int]

    /// A peer's values of one issue.
    public init(id: Int, title: String, user: Int, labels: [Int]) {
        self.id = id
        self.title = title
        self.user = user
        self.labels = labels
    }

    /// `[id, "title", user, [labels]]`, on one line.
    func json() throws -> Data {
        try JSONSerialization.data(
            withJSONObject: [id, title, user, labels] as [Any], options: .withoutEscapingSlashes)
    }
}
