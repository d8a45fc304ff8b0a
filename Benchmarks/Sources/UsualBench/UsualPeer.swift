import BenchmarkPeer
import Foundation
import GRDB

/// A good Swift developer's work of an afternoon: the body is decoded into Codable structs, and each of them upserted
/// as a Codable record.
struct UsualPeer: Peer {
    private let database: DatabasePool

    init(path: String) throws {
        database = try DatabasePool(path: path)
        try database.write(Schema.create)
    }

    func importIssues(_ body: Data) throws {
        let issues = try decode(IssueBody.self, from: body)
        try database.write { database in
            for issue in issues { try issue.store(in: database) }
        }
    }

    func importIssue(_ body: Data) throws { try importIssues(body) }

    func importRepositories(_ body: Data) throws {
        let repositories = try decode(RepositoryBody.self, from: body)
        try database.write { database in
            for repository in repositories { try repository.store(in: database) }
        }
    }

    /// SQLite makes it within the commit, unless it is told otherwise.
    func finishCheckpoint() {}

    private func decode<Body: Decodable>(_ type: Body.Type, from body: Data) throws -> [Body] {
        let decoder = JSONDecoder()
        if body.first == UInt8(ascii: "{") { return [try decoder.decode(type, from: body)] }
        return try decoder.decode([Body].self, from: body)
    }

    func fetchAll() throws -> Int {
        try database.read(Issue.fetchAll).reduce(0) { $0 + $1.number + $1.title.utf8.count }
    }

    func lookUp(_ ids: [Int]) throws -> Int {
        try database.read { database in
            try ids.reduce(0) { sum, id in
                guard let issue = try Issue.fetchOne(database, key: id) else { return sum }
                return sum + issue.number + issue.title.utf8.count
            }
        }
    }

    func followUsers() throws -> Int {
        let request = Issue.including(required: Issue.author).asRequest(of: AuthoredIssue.self)
        return try database.read(request.fetchAll).reduce(0) { $0 + $1.author.login.utf8.count }
    }

    func issueRows() throws -> [IssueRow] {
        try database.read { database in
            try Issue.order(Column("id")).fetchAll(database).map { issue in
                let labels = try IssueLabel.filter(Column("issue_id") == issue.id).order(Column("position"))
                    .fetchAll(database)
                return IssueRow(
                    id: issue.id, title: issue.title, user: issue.userID ?? 0, labels: labels.map(\.labelID))
            }
        }
    }
}
