import RestfulData
import TestSupport

@testable import ObjectStore

/// Some objects of a context, all that can be read of them, and all that can be done to them.
@MainActor
struct Actors {
    let issues: [Issue]
    let users: [User]
    let repositories: [Repository]
    let labels: [Label]

    /// The objects of some imports.
    init(in store: Store) async throws {
        let main = store.main
        try await main.take(Repository.self, #"[{"id": 1, "owner": {"id": 1}}, {"id": 2, "owner": {"id": 2}}]"#)
        try await main.take(
            Issue.self,
            #"""
            [{"id": 1, "title": "a", "repository_id": 1, "assignee_id": 1, "labels": [{"id": 1}, {"id": 2}]},
             {"id": 2, "title": "b", "repository_id": 1, "assignee_id": 2, "labels": []},
             {"id": 3, "title": "c", "repository_id": 2, "labels": [{"id": 2}]}]
            """#)
        try await main.take(User.self, #"[{"id": 3, "profile": {"id": 1, "user": 3}}]"#)
        try self.init(main)
    }

    private init(_ context: ObjectContext) throws {
        issues = try context.query(Issue.self).fetch()
        users = try context.query(User.self).fetch()
        repositories = try context.query(Repository.self).fetch()
        labels = try context.query(Label.self).fetch()
    }

    func readings() -> [(String, () -> String)] {
        var readings: [(String, () -> String)] = []
        func name(_ object: (any Model)?) -> String { object.map { "\($0._object.localID.rawValue)" } ?? "none" }
        func names(_ objects: [some Model]) -> String { objects.map { name($0) }.joined(separator: ",") }
        for (index, issue) in issues.enumerated() {
            readings += [
                ("issue \(index) title", { issue.title }), ("issue \(index) number", { "\(issue.number ?? -1)" }),
                ("issue \(index) state", { "\(issue.state)" }),
                ("issue \(index) repository", { name(issue.repository) }),
                ("issue \(index) assignee", { name(issue.assignee) }),
                ("issue \(index) labels", { names(issue.labels) }),
                ("issue \(index) isDeleted", { "\(issue.isDeleted)" }),
                ("issue \(index) hasChanges", { "\(issue.hasChanges)" }),
                ("issue \(index) changed", { "\(issue.changedProperties)" }),
                ("issue \(index) unsent", { "\(issue.unsentProperties)" }),
            ]
        }
        for (index, user) in users.enumerated() {
            readings += [
                ("user \(index) login", { user.login }), ("user \(index) profile", { name(user.profile) }),
                ("user \(index) repositories", { names(user.repositories) }),
                ("user \(index) score", { "\(user.score ?? 0)" }),
            ]
        }
        for (index, repository) in repositories.enumerated() {
            readings += [
                ("repository \(index) issues", { names(repository.issues) }),
                ("repository \(index) owner", { name(repository.owner) }),
                ("repository \(index) private", { "\(repository.isPrivate)" }),
            ]
        }
        return readings
    }

    /// Performs a change, locally, elsewhere or by a reply.
    func act(in store: Store, _ random: inout SeededGenerator) async throws -> String {
        let issue = issues.randomElement(using: &random)!
        let user = users.randomElement(using: &random)!
        let repository = repositories.randomElement(using: &random)!
        let number = Int.random(in: 0..<4, using: &random)
        let action = Int.random(in: 0..<17, using: &random)
        switch action {
        case 0: issue.title = "t\(number)"
        case 1: issue.number = number == 0 ? nil : number
        case 2: issue.state = number < 2 ? .open : .closed
        case 3: issue.repository = number == 0 ? nil : repository
        case 4: issue.assignee = number == 0 ? nil : user
        case 5: issue.labels = Array(labels.shuffled(using: &random).prefix(number))
        case 6: repository.issues = Array(issues.shuffled(using: &random).prefix(number))
        case 7: user.login = "l\(number)"
        case 8: repository.isPrivate = number < 2
        case 9: store.main.rollback()
        case 10: _ = await failure { try await store.main.save() }
        case 11:
            try await store.takeElsewhere(
                Issue.self, #"[{"id": \#(number + 1), "title": "t\#(number)", "repository_id": \#(1 + number % 2)}]"#)
        case 12:
            try await store.main.take(
                Issue.self,
                #"[{"id": \#(number % 3 + 1), "labels": [{"id": \#(1 + number % 2)}], "assignee_id": \#(1 + number % 3)}]"#
            )
        case 13:
            try await store.background { context in
                guard let issue = try context.find(Issue.self, number % 3 + 1) else { return }
                issue.title += "!"
                issue.repository = number < 2 ? nil : try context.find(Repository.self, 2)
            }
        case 14: users[0].profile = number < 2 ? nil : users[2].profile
        case 15 where number == 0: store.main.delete(issue)
        case 16 where number == 0:
            try await store.background { context in
                if let user = try context.find(User.self, 2) { context.delete(user) }
            }
        default: user.score = Double(number)
        }
        return "action \(action) of \(number)"
    }
}
