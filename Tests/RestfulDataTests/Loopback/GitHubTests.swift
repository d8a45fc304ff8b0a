import Foundation
import GitHubServer
import RestfulData
import RestfulDataTesting
import Synchronization
import Testing

/// The whole way over real connections, to a server that behaves as GitHub does.
@MainActor @Suite(.timeLimit(.minutes(10))) struct GitHubTests {
    private func helloWorld(_ store: Store) async throws -> Repository {
        try await Repository.fetch(key: "octocat/Hello-World", in: store.main)
    }

    // MARK: Reading

    @Test func `Users, repositories and issues become one graph`() async throws {
        try await withGitHub { server, store in
            let octocat = try await User.fetch("/users/:login", ["login": "octocat"], in: store.main)
            let repositories = try await octocat.$repositories.fetch()
            #expect(repositories.count == 3 && repositories.allSatisfy { $0.owner === octocat })
            #expect(octocat.repositories.map(\.fullName) == repositories.map(\.fullName))
            let repository = try #require(repositories.first { $0.fullName == "octocat/Hello-World" })
            let issues = try await repository.$issues.fetch(query: ["state": "all"])
            #expect(issues.count == 5 && issues.allSatisfy { $0.repository === repository })
            #expect(issues.contains { $0.user === octocat })
            let labels = try await repository.$labels.fetch(pages: .all())
            let used = Set(issues.flatMap(\.labels).map(ObjectIdentifier.init))
            #expect(used.isSubset(of: Set(labels.map(ObjectIdentifier.init))))
            #expect(
                server.log == [
                    "GET /users/octocat → 200", "GET /users/octocat/repos → 200",
                    "GET /repos/octocat/Hello-World/issues?state=all → 200",
                    "GET /repos/octocat/Hello-World/labels → 200",
                ])
        }
    }

    @Test func `Linked pages are followed, and a second fetch writes nothing`() async throws {
        try await withGitHub(seed: .demo(repositories: 1, issues: 65)) { server, store in
            let repository = try await helloWorld(store)
            let all = try await repository.$issues.fetchReporting(
                query: ["state": "all", "per_page": 30], pages: .all())
            #expect(all.objects.count == 65 && all.report.rejectedCount == 0 && all.report.mismatchedCount == 0)
            #expect(server.log.count == 4 && server.log[3].contains("page=3"))
            // How far the list was listed is written after the answer.
            try await store.main.importReporting(Label.self, from: Data("[]".utf8))
            let before = StoreFiles(store)
            let again = try await repository.$issues.fetchReporting(
                query: ["state": "all", "per_page": 30], pages: .all())
            #expect(again.report.inserted == 0 && again.report.updated == 0 && again.report.unlinked == 0)
            #expect(zip(all.objects, again.objects).allSatisfy { $0 === $1 })
            #expect(StoreFiles(store) == before, "not a byte was written")
        }
    }

    @Test func `Objects deleted at the server leave their list when it is fetched again`() async throws {
        try await withGitHub { server, store in
            let repository = try await helloWorld(store)
            let milestones = try await repository.$milestones.fetch()
            let gone = try #require(milestones.first)
            let url = "\(server.baseURL)/repos/octocat/Hello-World/milestones/\(gone.number ?? 0)"
            _ = try await HTTPTransport.standard.send(
                try APIRequest(.delete, url, headerFields: [.userAgent: "somebody else"]))
            let left = try await repository.$milestones.fetch()
            #expect(left.count == milestones.count - 1 && repository.milestones.count == left.count)
            #expect(gone.repository == nil && !gone.isDeleted)
            guard case .reply(let reply) = await failure({ try await repository.$milestones.fetch(gone.number ?? 0) })
            else {
                Testing.Issue.record("fetched what is deleted")
                return
            }
            #expect(reply.kind == .notFound)
        }
    }

    // MARK: Writing

    @Test func `An issue is created, edited, closed, commented on and fetched`() async throws {
        try await withGitHub { server, store in
            let repository = try await helloWorld(store)
            server.forgetRequests()
            let issue = Issue(in: store.main)
            issue.title = "Found a bug"
            try await repository.$issues.add(issue)
            let number = try #require(issue.number)
            #expect(issue.identifier != nil && issue.state == .open && issue.user?.login == "octocat")
            #expect(repository.issues.last === issue && issue.repository === repository && !issue.hasChanges)

            issue.state = .closed
            try await issue.save()
            try await issue.save()
            #expect(issue.state == .closed)

            issue.body = "It crashes"
            issue.body = nil
            issue.assignees = try [#require(issue.user)]
            issue.labels = try await repository.$labels.fetch().filter { $0.name == "bug" }
            issue.milestone = try await repository.$milestones.fetch().first
            try await issue.save()
            #expect(
                issue.labels.map(\.name) == ["bug"] && issue.milestone != nil && issue.assignees.first === issue.user)

            let comment = Comment(in: store.main)
            comment.body = "Me too"
            try await issue.$comments.add(comment)
            #expect(issue.comments.first === comment && comment.issue === issue && comment.user === issue.user)
            try await issue.fetch()
            try await comment.delete()
            #expect(comment.isDeleted && issue.comments.isEmpty)

            let path = "/repos/octocat/Hello-World/issues"
            #expect(
                server.log == [
                    "POST \(path) {\"title\":\"Found a bug\"} → 201",
                    "PATCH \(path)/\(number) {\"state\":\"closed\"} → 200",
                    "GET /repos/octocat/Hello-World/labels → 200", "GET /repos/octocat/Hello-World/milestones → 200",
                    "PATCH \(path)/\(number) {\"assignees\":[\"octocat\"],\"labels\":[\"bug\"],\"milestone\":\(issue.milestone?.number ?? 0)} → 200",
                    "POST \(path)/\(number)/comments {\"body\":\"Me too\"} → 201", "GET \(path)/\(number) → 200",
                    "DELETE \(path)/comments/\(comment.identifier ?? 0) → 204",
                ])
        }
    }

    @Test func `A write-only property renames a label and isn't kept`() async throws {
        try await withGitHub { server, store in
            let repository = try await helloWorld(store)
            let label = Label(in: store.main)
            label.name = "früh & spät"
            label.color = "ff0000"
            try await repository.$labels.add(label)
            server.forgetRequests()
            label.newName = "late"
            try await label.save()
            #expect(label.name == "late" && label.newName == nil && !label.hasChanges)
            try await repository.$labels.delete(label)
            #expect(label.isDeleted)
            let path = "/repos/octocat/Hello-World/labels"
            #expect(
                server.log == [
                    "PATCH \(path)/fr%C3%BCh%20&%20sp%C3%A4t {\"new_name\":\"late\"} → 200",
                    "DELETE \(path)/late → 204",
                ])
        }
    }

    @Test func `A validation error names the property, and a corrected object is created`() async throws {
        try await withGitHub { _, store in
            let repository = try await helloWorld(store)
            let issue = Issue(in: store.main)
            issue.body = "No title"
            let error = await failure { try await repository.$issues.add(issue) }
            #expect(error?.reply?.kind == .validation)
            #expect(error?.reply?.fields.keys.sorted() == ["title"])
            #expect(issue.isInserted && issue.repository == nil && !repository.issues.contains { $0 === issue })
            issue.title = "A title"
            try await repository.$issues.add(issue)
            #expect(issue.number != nil)
        }
    }

    @Test func `A conditional request with a 304 writes nothing`() async throws {
        let validators = Validators()
        try await withGitHub {
            validators
        } _: { server, store in
            let repository = try await helloWorld(store)
            let issues = try await repository.$issues.fetch()
            let before = StoreFiles(store)
            #expect(try await repository.$issues.fetch().map(\.number) == issues.map(\.number))
            try await repository.fetch()
            #expect(server.log.suffix(2).allSatisfy { $0.hasSuffix("→ 304") })
            #expect(StoreFiles(store) == before)
        }
    }

    @Test func `The server receives GitHub's Accept and Authorization headers`() async throws {
        try await withGitHub(token: "t0ken") {
            BearerToken("t0ken")
            Headers([.accept: "application/vnd.github+json"])
        } _: { server, store in
            _ = try await User.fetch(key: "octocat", in: store.main)
            let headers = try #require(server.requests.first?.headers)
            #expect(headers["accept"] == "application/vnd.github+json" && headers["authorization"] == "Bearer t0ken")
        }
    }

    // MARK: Contexts

    @Test func `A background fetch is merged into the main context and keeps its edits`() async throws {
        try await withGitHub { server, store in
            let octocat = try await User.fetch(key: "octocat", in: store.main)
            let repository = try await helloWorld(store)
            repository.summary = "Mine"
            let issues = repository.issues
            #expect(issues.isEmpty)
            try await store.background { context in
                let same = try await User.fetch(key: "octocat", in: context)
                let repositories = try await same.$repositories.fetch()
                #expect(repositories.allSatisfy { $0.owner === same })
                let hello = try #require(repositories.first { $0.fullName == "octocat/Hello-World" })
                hello.summary = "Theirs"
                try await hello.save()
                try await hello.$issues.fetch()
            }
            #expect(repository.summary == "Mine" && repository.changedProperties == ["summary"])
            #expect(octocat.repositories.contains { $0 === repository } && octocat.repositories[0].owner === octocat)
            #expect(repository.issues.count == 4 || !repository.issues.isEmpty)
            #expect(repository.issues.allSatisfy { $0.repository === repository })
            try await repository.save()
            #expect(server.log.last == "PATCH /repos/octocat/Hello-World {\"description\":\"Mine\"} → 200")
            #expect(try await store.background { try $0.find(Repository.self, 1_296_269)?.summary } == "Mine")
        }
    }

    @Test func `Concurrent contexts end with one graph`() async throws {
        try await withGitHub(seed: .demo(repositories: 6, issues: 12)) { _, store in
            let octocat = try await User.fetch(key: "octocat", in: store.main)
            try await octocat.$repositories.fetch(pages: .all())
            let names = octocat.repositories.map(\.fullName)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for name in names + names {
                    group.addTask {
                        try await store.background { context in
                            let repository = try await Repository.fetch(key: name, in: context)
                            try await repository.$issues.fetch(query: ["state": "all"], pages: .all())
                            for issue in repository.issues where issue.repository !== repository {
                                Testing.Issue.record("\(issue.number ?? 0) of \(name) leads elsewhere")
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count = try store.main.query(Issue.self).count()
            #expect(octocat.repositories.reduce(0) { $0 + $1.issues.count } == count && count > 12)
            #expect(
                octocat.repositories.allSatisfy { repository in
                    repository.issues.allSatisfy { $0.repository === repository }
                })
        }
    }
}

/// Sends the validator of the last reply to the same URL, as a cache does.
private final class Validators: Middleware {
    private let tags = Mutex<[URL: String]>([:])

    func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        var request = request
        if let tag = tags.withLock({ $0[request.url] }) { request.headerFields[.ifNoneMatch] = tag }
        let response = try await next(request)
        if let tag = response.headerFields[.eTag] { tags.withLock { $0[request.url] = tag } }
        return response
    }
}
