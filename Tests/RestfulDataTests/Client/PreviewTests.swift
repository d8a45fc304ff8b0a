import Foundation
import RestfulData
import TestSupport
import Testing

/// Stores for previews: in memory, with the objects of a JSON file, at once.
@MainActor
@Suite struct PreviewTests {
    private let issues = #"""
        [{"id": 1, "title": "a", "repository": {"id": 7, "name": "r", "owner": {"id": 9, "login": "o"}}}, {"id": 2}]
        """#

    @Test func `A preview store has the objects of its JSON and the models linked to`() throws {
        let store = try Store.preview(PreviewedIssue.self, from: Data(issues.utf8))
        let issue = try #require(try store.main.find(PreviewedIssue.self, 1))
        #expect(issue.repository?.owner?.login == "o")
        #expect(try store.main.query(PreviewedIssue.self).count() == 2)
    }

    @Test func `The JSON may be a file of a bundle`() async throws {
        try await withTemporaryFolder { folder in
            try Data(#"{"items": [{"id": 3}]}"#.utf8).write(to: folder.appending(path: "issues.json"))
            let bundle = try #require(Bundle(path: folder.path))
            let store = try Store.preview(PreviewedIssue.self, json: "issues", in: bundle, at: "items")
            #expect(try store.main.query(PreviewedIssue.self).fetch().map(\.identifier) == [3])
            #expect {
                try Store.preview(PreviewedIssue.self, json: "others", in: bundle)
            } throws: { error in
                "\(error)".contains("others.json")
            }
        }
    }

    @Test(arguments: ["[", #"[{"id": 1}, {"title": "nobody"}]"#, "7"])
    func `A preview of invalid JSON throws`(_ json: String) {
        #expect(throws: StoreError.self) { try Store.preview(PreviewedIssue.self, from: Data(json.utf8)) }
    }

    @Test func `A preview of a submodel includes its parent model`() throws {
        let store = try Store.preview(
            PreviewedBug.self, from: Data(#"[{"id": 1, "kind": "bug", "severity": 3}]"#.utf8))
        #expect(try store.main.query(PreviewedTicket.self).fetch().count == 1)
        #expect(try store.main.query(PreviewedBug.self).first()?.severity == 3)
    }
}

@Model
private final class PreviewedIssue {
    var identifier: Int?
    var title = ""
    var repository: PreviewedRepository?
}

@Model
private final class PreviewedRepository {
    var identifier: Int?
    var name = ""
    @Relationship(inverse: nil) var owner: PreviewedOwner?
}

@Model
private final class PreviewedOwner {
    var identifier: Int?
    var login = ""
}

@Model(discriminator: "kind")
private class PreviewedTicket {
    var identifier: Int?
    var kind = ""
}

@Model(inherits: PreviewedTicket.self, as: "bug")
private final class PreviewedBug: PreviewedTicket {
    var severity = 0
}
