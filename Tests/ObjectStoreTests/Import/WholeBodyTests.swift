import RestfulData
import Testing

@testable import ObjectStore

/// The conditions under which a body counts as whole.
@MainActor
@Suite struct WholeBodyTests {
    @Test(arguments: ["", " ", "\n\t \r\n"])
    func `A body of white space alone is not JSON`(_ body: String) async throws {
        let store = try Store(of: World.models)
        let user = try await store.main.take(User.self, #"{"id": 1}"#).objects[0]
        let error = await #expect(throws: StoreError.self) {
            _ = try await store.main.take(User.self, body).report
        }
        guard case .json? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(!user.isDeleted)
    }

    @Test(arguments: [
        (#"[{"id": 10}]"#, ["10"]), (#"[{"id": 10}, {"title": "no identity"}]"#, ["10", "11"]),
        (#"[{"id": 10}, 5]"#, ["10", "11"]), (#"[{"id": 10}, null]"#, ["10", "11"]), ("[]", []),
    ])
    func `A whole list unlinks missing members unless an element was rejected`(
        _ body: String, _ left: [String]
    ) async throws {
        let store = try Store(of: World.models)
        let repository = try await store.main.take(
            Repository.self, #"{"id": 1, "issues": [{"id": 10}, {"id": 11}]}"#
        ).objects[0]
        try await fetch(body, of: repository, in: store)
        #expect(repository.issues.map { "\($0.identifier ?? 0)" } == left)
    }

    @Test(arguments: [(#"[{"id": 10}]"#, "0"), (#"[{"id": 10}, {}]"#, "1")])
    func `A whole list replaces the members that wait for it`(_ body: String, _ waiting: String) async throws {
        let store = try Store(of: World.models)
        let repository = try await store.main.take(Repository.self, #"{"id": 1, "issue_ids": [9]}"#).objects[0]
        try await fetch(body, of: repository, in: store)
        #expect(try Database(store.path).value("SELECT count(*) FROM _pending_link") == waiting)
        try await store.main.take(Issue.self, #"{"id": 9}"#)
        #expect(Set(repository.issues.map(\.identifier)) == (waiting == "0" ? [10] : [9, 10]))
    }

    private func fetch(_ body: String, of repository: Repository, in store: Store) async throws {
        let record = repository._object.record
        let list = try #require(store.schema[record.table].property(named: "issues"))
        var request = ImportRequest(anyOf: try #require(list.target))
        request.membership = ImportRequest.Membership(ListOwner(list.index, of: record), isWhole: true)
        _ = try await store.main.importBody(Array(body.utf8), request)
    }
}
