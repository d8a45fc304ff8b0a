import ObjectStore
import RestfulData
import Testing

/// Bodies that state a relationship twice, as by services that send `author_id` along with `author` and `tag_ids` along
/// with `tags`. The objects take precedence, in any order and over any stored rows.
@MainActor
@Suite struct BothKeysTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let members: String
        let assignee: String
        let labels: String

        init(_ members: String, _ assignee: String, _ labels: String) {
            self.members = members
            self.assignee = assignee
            self.labels = labels
        }

        var testDescription: String { members }
    }

    /// User 1 and label 1 are stored; 7 and 8 are missing.
    @Test(
        arguments: [
            Row(#""assignee_id": 7, "assignee": {"id": 7}"#, "7", ""),
            Row(#""assignee": {"id": 7}, "assignee_id": 7"#, "7", ""),
            Row(#""assignee_id": 8, "assignee": {"id": 1}"#, "1", ""),
            Row(#""label_ids": [1], "labels": [{"id": 1}]"#, "", "1"),
            Row(#""label_ids": [7, 8], "labels": [{"id": 7}, {"id": 8}]"#, "", "7 8"),
            Row(#""label_ids": [1, 8], "labels": [{"id": 1}, {"id": 8}]"#, "", "1 8"),
            Row(#""labels": [{"id": 8}, {"id": 1}], "label_ids": [1, 8]"#, "", "8 1"),
            Row(#""label_ids": [7, 1], "labels": [{"id": 8}]"#, "", "8"),
            Row(#""labels": [], "label_ids": [7, 1]"#, "", ""),
            Row(#""label_ids": [7, 1], "labels": []"#, "", ""),
            Row(#""label_ids": [1], "labels": "mismatched""#, "", "1"),
            Row(#""labels": "mismatched", "label_ids": [1]"#, "", "1"),
        ], [false, true])
    func `Nested objects win over identities when a body has both`(_ row: Row, _ isHereAlready: Bool) async throws {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"{"id": 1}"#)
        try await store.main.take(Label.self, #"{"id": 1}"#)
        if isHereAlready { try await store.main.take(Issue.self, #"{"id": 5, "labels": [{"id": 1}]}"#) }
        let imported = try await store.main.take(Issue.self, "{\"id\": 5, \(row.members)}")
        let issue = imported.objects[0]
        #expect((issue.assignee?.identifier).map(String.init) ?? "" == row.assignee)
        let keepsLabels = isHereAlready && !row.members.contains("label")
        let labels = issue.labels.compactMap { $0.identifier.map(String.init) }.joined(separator: " ")
        #expect(labels == (keepsLabels ? "1" : row.labels))
        #expect(imported.report.pendingLinks == 0)
        #expect(try Database(store.path).value("SELECT count(*) FROM _pending_link") == "0")
        #expect(try store.check() == [])
    }
}
