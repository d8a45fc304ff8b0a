import ObjectStore
import RestfulData
import Testing

/// An object that is in a body more than once: the last values win, also after equal bytes.
@MainActor
@Suite struct RepeatTests {
    private func imported(_ body: String) async throws -> Store {
        let store = try Store(of: World.models)
        try await store.main.take(Issue.self, body)
        return store
    }

    @Test(arguments: [
        // Its own value.
        (
            #"""
            [{"id": 1, "assignee": {"id": 7, "login": "a"}}, {"id": 2, "assignee": {"id": 7, "login": "b"}},
             {"id": 3, "assignee": {"id": 7, "login": "a"}}]
            """#, "SELECT login FROM user WHERE identifier = 7", "a"
        ),
        // A value that represents the contents.
        (
            #"""
            [{"id": 1, "repository": {"id": 5, "owner": {"id": 7, "login": "a"}}},
             {"id": 2, "assignee": {"id": 7, "login": "b"}},
             {"id": 3, "repository": {"id": 5, "owner": {"id": 7, "login": "a"}}}]
            """#, "SELECT login FROM user WHERE identifier = 7", "a"
        ),
        // A list in it.
        (
            #"""
            [{"id": 1, "repository": {"id": 5, "topics": [{"name": "x"}]}},
             {"id": 2, "repository": {"id": 5, "topics": [{"name": "y"}]}},
             {"id": 3, "repository": {"id": 5, "topics": [{"name": "x"}]}}]
            """#, "SELECT group_concat(name) FROM repository_topics JOIN topic ON topic._id = target_id", "x"
        ),
        // The other side of a list in it.
        (
            #"""
            [{"id": 1, "repository": {"id": 5, "topics": [{"name": "x"}]}},
             {"id": 2, "repository": {"id": 6, "topics": [{"name": "x", "repositories": [{"id": 6}]}]}},
             {"id": 3, "repository": {"id": 5, "topics": [{"name": "x"}]}}]
            """#,
            "SELECT count(*) FROM repository_topics JOIN repository ON repository._id = source_id WHERE identifier = 5",
            "1"
        ),
        // A link that waits.
        (
            #"""
            [{"id": 1, "repository": {"id": 5, "owner_id": 9}}, {"id": 2, "repository": {"id": 5, "owner": null}},
             {"id": 3, "repository": {"id": 5, "owner_id": 9}}]
            """#, "SELECT target_identity FROM _pending_link", "9"
        ),
        (
            #"""
            [{"id": 1, "repository": {"id": 5, "owner": null}}, {"id": 2, "repository": {"id": 5, "owner_id": 9}},
             {"id": 3, "repository": {"id": 5, "owner": null}}]
            """#, "SELECT count(*) FROM _pending_link", "0"
        ),
        // A member that another list has taken meanwhile.
        (
            #"""
            [{"id": 1, "assignee": {"id": 7, "repositories": [{"id": 5}]}},
             {"id": 2, "assignee": {"id": 8, "repositories": [{"id": 5}]}},
             {"id": 3, "assignee": {"id": 7, "repositories": [{"id": 5}]}}]
            """#,
            "SELECT user.identifier FROM repository JOIN user ON user._id = owner_id WHERE repository.identifier = 5",
            "7"
        ),
        // A member that its own link has taken away meanwhile.
        (
            #"""
            [{"id": 1, "assignee": {"id": 7, "repository_ids": []}},
             {"id": 9, "repository": {"id": 5, "owner_id": 7}},
             {"id": 2, "assignee": {"id": 7, "repository_ids": [5]}},
             {"id": 3, "repository": {"id": 5, "owner": {"id": 8}}},
             {"id": 4, "assignee": {"id": 7, "repository_ids": [5]}}]
            """#,
            "SELECT user.identifier FROM repository JOIN user ON user._id = owner_id WHERE repository.identifier = 5",
            "7"
        ),
        // The other side of a one-to-one link.
        (
            #"""
            [{"id": 1, "assignee": {"id": 7, "profile": {"id": 3}}}, {"id": 2, "assignee": {"id": 8, "profile": {"id": 3}}},
             {"id": 3, "assignee": {"id": 7, "profile": {"id": 3}}}]
            """#, "SELECT user.identifier FROM profile JOIN user ON user._id = user_id WHERE profile.identifier = 3",
            "7"
        ),
    ])
    func `The last mention wins when a body repeats the bytes of an earlier one`(
        _ body: String, query: String, value: String
    ) async throws {
        let store = try await imported(body)
        #expect(try Database(store.path).value(query) == value)
        #expect(try store.check() == [])
    }

    @Test(arguments: [20, 100, 500, 2_000])
    func `Objects with a common beginning of any length are distinguished`(_ length: Int) async throws {
        let store = try Store(of: World.models)
        let beginning = String(repeating: "x", count: length)
        let body = (0..<300).map { n in
            // The third of each login is another than the ones before.
            let login = n % 3 == 2 && n < 150 ? "b" : "a"
            return #"{"id": \#(n), "assignee": {"note": "\#(beginning)", "id": \#(n / 3 % 50), "login": "\#(login)"}}"#
        }
        try await store.main.take(Issue.self, "[\(body.joined(separator: ", "))]")
        let database = try Database(store.path)
        #expect(try database.value("SELECT group_concat(login, '') FROM user") == String(repeating: "a", count: 50))
        #expect(
            try database.value(
                "SELECT count(*) FROM issue JOIN user ON user._id = assignee_id "
                    + "WHERE user.identifier = issue.identifier / 3 % 50") == "300")
        #expect(try store.check() == [])
    }

    @Test func `A row changed and changed back in one body ends with its first values`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"{"id": 7, "login": "a"}"#)
        try await store.main.take(
            Issue.self,
            #"""
            [{"id": 1, "assignee": {"id": 7, "login": "a"}}, {"id": 2, "assignee": {"id": 7, "login": "b"}},
             {"id": 3, "assignee": {"id": 7, "login": "a"}}]
            """#)
        #expect(try Database(store.path).value("SELECT login FROM user") == "a")
    }

    @Test func `An import with a depth doesn't depend on the order of the elements`() async throws {
        let deep = #"{"id": 1, "repository": {"id": 5, "owner": {"id": 7, "profile": {"id": 3}}}}"#
        let flat = #"{"id": 2, "assignee": {"id": 7, "profile": {"id": 3}}}"#
        var dumps: Set<String> = []
        for body in ["[\(deep), \(flat)]", "[\(flat), \(deep)]"] {
            let store = try Store(of: World.models)
            try await store.main.import(Issue.self, from: Array(body.utf8), depth: 2)
            dumps.insert(try store.dump().split(separator: "\n").sorted().joined(separator: "\n"))
        }
        #expect(dumps.count == 1, "\(dumps)")
        #expect(dumps.first?.contains("_pending_link") == false)
    }

    @Test func `Repeated bytes take their identity part from each container`() async throws {
        let store = try Store(of: [Milestone.self, Stage.self, Remark.self])
        try await store.main.take(
            Milestone.self,
            #"""
            [{"id": 1, "stages": [{"number": 1, "remark": {"id": 9, "stage": {"number": 2}}}, {"number": 2}]},
             {"id": 2, "stages": [{"number": 1, "remark": {"id": 9, "stage": {"number": 2}}}, {"number": 2}]}]
            """#)
        let milestone = try Database(store.path).value(
            """
            SELECT milestone.identifier FROM remark JOIN stage ON stage._id = stage_id
            JOIN milestone ON milestone._id = milestone_id
            """)
        #expect(milestone == "2")
    }

    @Test func `Objects in a repeated object take missing parts from the innermost owner`() async throws {
        let store = try Store(of: [Milestone.self, Stage.self, Remark.self])
        try await store.main.take(
            Milestone.self,
            #"{"id": 1, "stages": [{"number": 1, "next": {"id": 2, "stages": [{"number": 5}]}}]}"#)
        let stages = try Database(store.path).rows(
            "SELECT milestone.identifier, number FROM stage JOIN milestone ON milestone._id = milestone_id ORDER BY 1, 2"
        )
        #expect(stages == [["1", "1"], ["2", "5"]])
    }
}

@Model
final class Milestone {
    var identifier: Int?
    @Relationship(inverse: "milestone") var stages: [Stage]
}

/// Its number is unique only within its milestone.
@Model(identity: "milestone", "number")
final class Stage {
    var number: Int?
    var milestone: Milestone?
    @Relationship(inverse: nil) var remark: Remark?
    @Relationship(inverse: nil) var next: Milestone?
}

@Model
final class Remark {
    var identifier: Int?
    @Relationship(inverse: nil) var stage: Stage?
}
