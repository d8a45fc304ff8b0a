import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// The rows of the vectors about whole routes, as requests that objects send. (The rows about templates alone are
/// tested with the templates.)
@MainActor @Suite struct RouteVectorTests {
    /// A model for each row that has one.
    @Model("/path") final class Thing {
        var identifier: Int?
        var name: String?
    }

    @Model final class Person {
        var identifier: Int?
        @Relationship("/:id/children", inverse: nil) var children: [Person]
        var name: String?
    }

    nonisolated struct Vectors: Decodable {
        struct CRUD: Decodable {
            let base, key, index, create, fetch, save, delete: String
            let value: Int
        }

        struct Relationship: Decodable {
            let destinationBase, registered, add, delete: String?
            let fetch: String
        }

        let crud: [CRUD]
        let relationship: [Relationship]

        static func read() throws -> Vectors {
            try JSONDecoder().decode(
                Vectors.self, from: Data(contentsOf: ProjectFolder.test("ConventionsTests/Fixtures/routes.json")))
        }
    }

    /// Fetches, creates, saves and deletes, and gives back the requests without their bodies.
    private func requests<M: Model>(
        of object: M, _ service: Service, index: () async throws -> Void, edit: (M) -> Void
    ) async throws -> [String] {
        service.stub.forgetRequests()
        try await index()
        try await object.create()
        try await object.fetch()
        edit(object)
        try await object.save()
        try await object.delete()
        return service.stub.log.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    }

    @Test func `A base URL and a key give the five routes`() async throws {
        let row = try #require(try Vectors.read().crud.first { $0.base == "/path" })
        let service = try Service([Thing.self], stub: StubTransport { _ in .json("{\"id\": \(row.value)}") })
        let thing = Thing(in: service.main)
        let requests = try await requests(of: thing, service) {
            _ = try await Thing.fetchAll(in: service.main)
        } edit: {
            $0.name = ($0.name ?? "") + "x"
        }
        #expect(requests == [row.index, row.create, row.fetch, row.save, row.delete])
    }

    @Test func `A base URL can lead through a relationship, with a key other than the identity`() async throws {
        let row = try #require(try Vectors.read().crud.first { $0.key == "number" })
        let reply = #"{"id": 1, "number": \#(row.value), "repository": {"id": 2, "full_name": "octocat/Hello-World"}}"#
        let service = try Service(GitHub.models, conventions: .github, stub: StubTransport { _ in .json(reply) })
        let issue = Issue(in: service.main)
        issue.repository = try await service.imported(
            Repository.self, #"{"id": 2, "full_name": "octocat/Hello-World"}"#)
        let requests = try await requests(of: issue, service) {
            let values: [String: RouteValue] = ["repository.full_name": "octocat/Hello-World"]
            _ = try await Issue.fetchAll(nil, values, in: service.main)
        } edit: {
            $0.title += "x"
        }
        #expect(requests == [row.index, row.create, row.fetch, row.save, row.delete])
    }

    @Test func `A list's routes are derived from its members' base URL`() async throws {
        let row = try #require(
            try Vectors.read().relationship.first { $0.destinationBase == "/repos/:repository.full_name/issues" })
        let service = try Service(
            GitHub.models, conventions: .github,
            stub: StubTransport { request in
                request.method == .get ? .json("[]") : .json(#"{"id": 1, "number": 1347}"#)
            })
        let repository = try await service.imported(Repository.self, #"{"id": 2, "full_name": "octocat/Hello-World"}"#)
        try await repository.$issues.fetch()
        let issue = Issue(in: service.main)
        try await repository.$issues.add(issue)
        try await repository.$issues.delete(issue)
        #expect(service.stub.log == [row.fetch, row.add.map { $0 + " {}" }, row.delete])
        #expect(issue.isDeleted)
    }

    @Test func `A foreign key in the base URL identifies the inverse`() async throws {
        let row = try #require(
            try Vectors.read().relationship.first { $0.destinationBase == "/posts/:post_id/comments" })
        let service = try Service(stub: StubTransport { _ in .json("[]") })
        let post = try await service.imported(Post.self, #"{"id": 5}"#)
        try await post.$comments.fetch()
        #expect(service.stub.log == [row.fetch])
    }

    @Test func `A relationship's route can be declared`() async throws {
        let row = try #require(try Vectors.read().relationship.first { $0.registered == "/users/:login/repos" })
        let service = try Service(GitHub.models, conventions: .github, stub: StubTransport { _ in .json("[]") })
        let octocat = try await service.imported(User.self, #"{"id": 1, "login": "octocat"}"#)
        try await octocat.$repositories.fetch()
        #expect(service.stub.log == [row.fetch])
    }

    @Test func `A declared route ends in the member's key`() async throws {
        let row = try #require(try Vectors.read().relationship.first { $0.registered == "/:id/children" })
        let service = try Service(
            [Person.self],
            stub: StubTransport { $0.method == .get ? .json("[]") : .json(#"{"id": 7}"#) })
        let parent = try await service.imported(Person.self, #"{"id": 5}"#)
        try await parent.$children.fetch()
        let child = Person(in: service.main)
        try await parent.$children.add(child)
        #expect(parent.children.map(\.identifier) == [7])
        try await parent.$children.delete(child)
        #expect(service.stub.log == [row.fetch, row.add.map { $0 + " {}" }, row.delete])
        #expect(parent.children.isEmpty && !child.isDeleted, "it has left the list, and is there")
    }
}
