import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Unsent changes of one side of a relationship survive an import of the other side. A one-to-one link is on both sides
/// in the file, whichever was written.
@MainActor
@Suite struct UnsentSideTests {
    // MARK: Lists

    @Test func `An imported list keeps pending edits of its members' links`() async throws {
        let store = try Store(of: World.models)
        let issues = try await store.main.take(
            Issue.self, #"[{"id": 1, "repository": {"id": 1}}, {"id": 2, "repository": {"id": 2}}]"#
        ).objects
        let (one, two) = (issues[0].repository, issues[1].repository)
        issues[0].repository = two
        try await store.main.save()
        try await store.main.take(
            Repository.self, #"[{"id": 2, "issues": [{"id": 2}]}, {"id": 1, "issue_ids": [1]}]"#)
        #expect(issues[0].repository === two)
        #expect(try store.check() == [])
        issues[0].repository = nil
        try await store.main.save()
        try await store.main.take(Repository.self, #"[{"id": 1, "issue_ids": [1]}, {"id": 2, "issue_ids": [1, 2]}]"#)
        #expect(issues[0].repository == nil && issues[1].repository === two && one?.issues.isEmpty == true)
    }

    @Test func `A pending member with an edited link to another owner isn't moved`() async throws {
        let store = try Store(of: World.models)
        let one = try await store.main.take(Repository.self, #"{"id": 1, "issue_ids": [5]}"#).objects[0]
        let two = try await store.main.take(Repository.self, #"{"id": 2}"#).objects[0]
        let issue = Issue(in: store.main)
        issue.repository = two
        issue.identifier = 5
        try await store.main.save()
        #expect(issue.repository === two && one.issues.isEmpty)
    }

    @Test func `An import keeps the pending edit of the other many-to-many side`() async throws {
        let store = try Store(of: World.models)
        let repository = try await store.main.take(
            Repository.self, #"{"id": 1, "topics": [{"name": "a"}, {"name": "b"}]}"#
        ).objects[0]
        let topics = repository.topics
        topics[0].repositories = []
        try await store.main.save()
        try await store.main.take(Repository.self, #"{"id": 1, "topics": [{"name": "a"}]}"#)
        #expect(repository.topics.isEmpty || repository.topics.map(\.name) == ["b"])
        #expect(topics[0].repositories.isEmpty)
    }

    @Test func `A pending link isn't resolved over a pending edit`() async throws {
        let store = try Store(of: World.models)
        let issue = try await store.main.take(Issue.self, #"{"id": 1, "assignee": {"id": 6}}"#).objects[0]
        issue.assignee = nil
        try await store.main.save()
        try await store.main.take(Issue.self, #"{"id": 1, "assignee_id": 7}"#)
        try await store.main.take(User.self, #"{"id": 7}"#)
        #expect(issue.assignee == nil)
    }

    // MARK: One-to-one

    private func asymmetries(_ store: Store) throws -> [[String?]] {
        try Database(store.path).rows(
            """
            SELECT 'user', user._id FROM user LEFT JOIN profile ON profile._id = profile_id
                WHERE profile_id IS NOT NULL AND user_id IS NOT user._id
            UNION ALL SELECT 'profile', profile._id FROM profile LEFT JOIN user ON user._id = user_id
                WHERE user_id IS NOT NULL AND profile_id IS NOT profile._id
            UNION ALL SELECT 'employee', one._id FROM employee AS one
                LEFT JOIN employee AS other ON other._id = one.stands_in_for_id
                WHERE one.stands_in_for_id IS NOT NULL AND other.stood_in_for_by_id IS NOT one._id
            UNION ALL SELECT 'deputy', one._id FROM employee AS one
                LEFT JOIN employee AS other ON other._id = one.stood_in_for_by_id
                WHERE one.stood_in_for_by_id IS NOT NULL AND other.stands_in_for_id IS NOT one._id
            """)
    }

    @Test func `An import repairs a one-to-one side that the file lacks`() async throws {
        let store = try Store(of: World.models)
        let body = #"{"id": 1, "user": {"id": 7}}"#
        try await store.main.take(Profile.self, body)
        try Database(store.path).execute("UPDATE user SET profile_id = NULL")
        try await store.main.take(Profile.self, body)
        #expect(try asymmetries(store) == [])
    }

    @Test func `Two contexts that set one partner leave one link`() async throws {
        let store = try Store(of: World.models)
        let users = try await store.main.take(User.self, #"[{"id": 1}, {"id": 2}]"#).objects
        let profile = try await store.main.take(Profile.self, #"{"id": 5}"#).objects[0]
        users[0].profile = profile
        try await store.background { context in
            let user = try context.find(User.self, 2)
            user?.profile = try context.find(Profile.self, 5)
        }
        try await store.main.save()
        #expect(try asymmetries(store) == [])
        #expect(
            try Database(store.path).value("SELECT user.identifier FROM profile JOIN user ON user._id = user_id") == "1"
        )
        #expect(try store.check() == [])
    }

    @Test func `An import of one side keeps the other side's pending edit`() async throws {
        let store = try Store(of: World.models)
        let users = try await store.main.take(
            User.self, #"[{"id": 1, "profile": {"id": 5}}, {"id": 2, "profile": {"id": 6}}]"#
        ).objects
        users[0].profile = nil
        try await store.main.save()
        try await store.main.take(Profile.self, #"{"id": 5, "user_id": 1}"#)
        try await store.main.take(User.self, #"{"id": 2, "profile_id": 5}"#)
        #expect(users[0].profile == nil && users[1].profile?.identifier == 6)
        #expect(try asymmetries(store) == [])
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `Both sides agree after random imports and saves`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let store = try Store(of: World.models)
        for step in 0..<25 {
            let (a, b) = (Int.random(in: 1...3, using: &random), Int.random(in: 1...3, using: &random))
            switch Int.random(in: 0...7, using: &random) {
            case 0: try await store.takeElsewhere(User.self, "{\"id\": \(a), \"profile\": {\"id\": \(b)}}")
            case 1: try await store.takeElsewhere(Profile.self, "{\"id\": \(a), \"user_id\": \(b)}")
            case 2: try await store.takeElsewhere(User.self, "{\"id\": \(a), \"profile\": null}")
            case 3: try await store.takeElsewhere(Employee.self, "{\"id\": \(a), \"stands_in_for\": {\"id\": \(b)}}")
            case 4: try await store.takeElsewhere(Employee.self, "{\"id\": \(a), \"stood_in_for_by_id\": \(b)}")
            case 5:
                try store.main.find(User.self, a)?.profile = try store.main.find(Profile.self, b)
                if Bool.random(using: &random) { try await store.main.save() }
            case 6:
                try store.main.find(Employee.self, a)?.standsInFor = try store.main.find(Employee.self, b)
                if Bool.random(using: &random) { try await store.main.save() }
            default:
                try await store.background { context in
                    try context.find(Profile.self, a)?.user = try context.find(User.self, b)
                    try context.find(Employee.self, a)?.stoodInForBy = try context.find(Employee.self, b)
                }
            }
            let found = try asymmetries(store)
            #expect(found == [], "seed \(seed), step \(step)")
            if !found.isEmpty { return }
        }
    }
}
