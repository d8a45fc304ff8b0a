import RestfulData
import RestfulDataTesting
import Testing

/// The URL of an object at the server consists of the server's values, with any local edits.
@MainActor @Suite struct KnownAddressTests {
    private let service: Service

    init() throws {
        service = try Service(
            GitHub.models + [Member.self], conventions: .github,
            stub: StubTransport { request in
                request.method == .delete ? .status(204) : request.method == .get ? .json("{}") : .status(204)
            })
    }

    /// A member that is identified by its URL's key.
    @Model("/members", key: "login", identity: "login") final class Member {
        var login: String?
        var name: String?
    }

    private func issue() async throws -> Issue {
        try await service.imported(
            Issue.self,
            #"{"id": 1, "number": 1, "title": "A", "repository": {"id": 3, "full_name": "o/a"}}"#)
    }

    @Test(arguments: [false, true]) func `An edited key that the server has changed too is saved at the server's URL`(
        isSaved: Bool
    )
        async throws
    {
        let ada = try await service.imported(User.self, #"{"id": 1, "login": "ada"}"#)
        ada.login = "bo"
        if isSaved { try await service.main.save() }
        _ = try await service.imported(User.self, #"{"id": 1, "login": "ada2"}"#)
        #expect(ada.login == "bo")
        try await ada.save()
        #expect(service.stub.log == [#"PATCH /users/ada2 {"login":"bo"}"#])
        #expect(ada.unsentProperties.isEmpty)
    }

    @Test(arguments: [false, true]) func `An edited key is sent in the body, and the URL keeps the server's`(
        isSaved: Bool
    ) async throws {
        let ada = try await service.imported(User.self, #"{"id": 1, "login": "ada"}"#)
        ada.login = "bo"
        if isSaved { try await service.main.save() }
        ada.login = "bob"
        _ = await failure { try await ada.$repositories.fetch() }
        _ = await failure { try await ada.fetch() }
        try await ada.save()
        #expect(ada.unsentProperties == [])
        ada.name = "Bob"
        try await ada.save()
        ada.login = "typing"
        try await ada.delete()
        #expect(
            service.stub.log == [
                "GET /users/ada/repos", "GET /users/ada", #"PATCH /users/ada {"login":"bob"}"#,
                #"PATCH /users/bob {"name":"Bob"}"#, "DELETE /users/bob",
            ])
        #expect(ada.isDeleted)
    }

    @Test(arguments: [false, true]) func `An edited identity is sent to the former URL`(isSaved: Bool) async throws {
        let ada = try await service.imported(Member.self, #"{"login": "ada"}"#)
        ada.login = "bob"
        if isSaved { try await service.main.save() }
        guard case .alreadyCreated? = await failure({ try await ada.create() }) else {
            Testing.Issue.record("it was created again")
            return
        }
        try await ada.save()
        try await ada.delete()
        #expect(service.stub.log == [#"PATCH /members/ada {"login":"bob"}"#, "DELETE /members/bob"])
    }

    @Test(arguments: [false, true]) func `An edited parent in the URL is the server's, and its own save is refused`(
        isSaved: Bool
    ) async throws {
        let issue = try await issue()
        let repository = issue.repository
        let other = try await service.imported(Repository.self, #"{"id": 4, "full_name": "o/b"}"#)
        issue.repository = other
        issue.title = "B"
        if isSaved { try await service.main.save() }
        guard
            case .route(.changedParent(model: "Issue", property: "repository"))? = await failure({
                try await issue.save()
            })
        else {
            Testing.Issue.record("it was sent")
            return
        }
        #expect(service.stub.log == [])
        issue.repository = repository
        try await issue.save()
        issue.repository = other
        try await issue.delete()
        #expect(service.stub.log == [#"PATCH /repos/o/a/issues/1 {"title":"B"}"#, "DELETE /repos/o/a/issues/1"])
    }

    @Test func `A removed parent stays in the URL`() async throws {
        let issue = try await issue()
        issue.repository?.issues = []
        #expect(issue.repository == nil)
        try await issue.delete()
        #expect(service.stub.log == ["DELETE /repos/o/a/issues/1"])
    }

    @Test func `A URL template uses the server's values of linked objects`() async throws {
        let issue = try await issue()
        issue.repository?.fullName = "typing"
        issue.title = "B"
        try await issue.save()
        _ = await failure { try await issue.repository?.$issues.fetch() }
        _ = await failure { try await issue.repository?.$issues.fetch(7) }
        try await service.main.save()
        _ = await failure { try await issue.$comments.fetch() }
        try await issue.repository?.$issues.delete(issue)
        #expect(
            service.stub.log == [
                #"PATCH /repos/o/a/issues/1 {"title":"B"}"#, "GET /repos/o/a/issues", "GET /repos/o/a/issues/7",
                "GET /repos/o/a/issues/1/comments", "DELETE /repos/o/a/issues/1",
            ])
    }

    @Test(arguments: [false, true]) func `A list of another owner refuses to delete an object`(
        isMoved: Bool
    ) async throws {
        let issue = try await issue()
        let other = try await service.imported(Repository.self, #"{"id": 4, "full_name": "o/b"}"#)
        if isMoved { issue.repository = other }
        guard
            case .route(.otherOwner(model: "Issue", list: "Repository.issues"))? = await failure({
                try await other.$issues.delete(issue)
            })
        else {
            Testing.Issue.record("it was sent")
            return
        }
        #expect(service.stub.log == [] && !issue.isDeleted)
        try await issue.delete()
        #expect(service.stub.log == ["DELETE /repos/o/a/issues/1"])
    }

    @Test func `A parent that is deleted locally stays in the URL`() async throws {
        let issue = try await issue()
        let repository = try #require(issue.repository)
        service.main.delete(repository)
        issue.title = "B"
        try await issue.save()
        #expect(service.stub.log == [#"PATCH /repos/o/a/issues/1 {"title":"B"}"#])
    }

    @Test func `A parent that the server never sent is the local one`() async throws {
        let issue = try await service.imported(Issue.self, #"{"id": 1, "number": 1, "title": "A"}"#)
        issue.repository = try await service.imported(Repository.self, #"{"id": 4, "full_name": "o/b"}"#)
        issue.title = "B"
        try await issue.save()
        #expect(service.stub.log == [#"PATCH /repos/o/b/issues/1 {"title":"B"}"#])
        #expect(issue.unsentProperties == [] && !issue.hasChanges)
    }

    @Test func `A new object is created below its local parent`() async throws {
        let issue = Issue(in: service.main)
        issue.repository = try await service.imported(Repository.self, #"{"id": 4, "full_name": "o/b"}"#)
        issue.title = "B"
        try await service.main.save()
        _ = await failure { try await issue.create() }
        #expect(service.stub.log == [#"POST /repos/o/b/issues {"title":"B"}"#])
    }
}
