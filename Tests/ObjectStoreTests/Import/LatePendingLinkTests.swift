import RestfulData
import Testing

@testable import ObjectStore

/// Replies with links to objects that the store lacks, in another order than their requests.
@MainActor
@Suite struct LatePendingLinkTests {
    @Test(arguments: ["null", "8"])
    func `A late reply's link to an unknown object doesn't outlive a later reply's`(later: String) async throws {
        let store = try Store(of: World.models)
        let context = store.main
        let issue = try await context.take(Issue.self, #"{"id": 1}"#).objects[0]
        let first = context.operations.startRequest()
        let second = context.operations.startRequest()
        defer { withExtendedLifetime((first, second)) {} }
        for (question, assignee) in [(second, later), (first, "7")] {
            var request = ImportRequest(try context.model(of: Issue.self))
            request.requestTime = question.stamp
            _ = try await context.importBody(Array(#"{"id": 1, "assignee_id": \#(assignee)}"#.utf8), request)
        }
        let users = try await context.take(User.self, #"[{"id": 7}, {"id": 8}]"#).objects
        let expected = later == "8" ? users[1] : nil
        #expect(issue.assignee === expected)
    }
}
