import Foundation
import GitHubServer
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Failures between client and server, over real connections.
@MainActor @Suite(.timeLimit(.minutes(10))) struct BrokenConnectionTests {
    /// A repository with its issues, one of which is edited.
    private func world(_ store: Store) async throws -> (Repository, Issue) {
        let repository = try await Repository.fetch(key: "octocat/Hello-World", in: store.main)
        let issues = try await repository.$issues.fetch()
        issues[0].title = "Edited"
        return (repository, issues[0])
    }

    nonisolated static let faults: [(fault: Fault, reason: TransportError.Reason)] = [
        (.dropRequest, .connectionLost), (.dropReply, .connectionLost), (.truncateReply, .connectionLost),
    ]

    @Test(arguments: faults.indices) func `A broken connection leaves file and edits unchanged`(_ index: Int)
        async throws
    {
        let (fault, reason) = Self.faults[index]
        try await withGitHub { server, store in
            let (repository, issue) = try await world(store)
            let files = StoreFiles(store)
            let new = Issue(in: store.main)
            new.title = "New"
            server.inject(fault, times: 4)
            let errors = [
                await failure { try await issue.save() }, await failure { try await repository.$issues.add(new) },
                await failure { try await repository.$issues.fetch(pages: .all()) },
                await failure { try await issue.fetch() },
            ]
            for error in errors {
                guard case .transport(let error) = error else {
                    Testing.Issue.record("\(error as Any)")
                    continue
                }
                #expect(error.reason == reason)
            }
            #expect(StoreFiles(store) == files)
            #expect(issue.changedProperties == ["title"] && new.isInserted && new.title == "New")
            try await issue.save()
            try await repository.$issues.add(new)
            #expect(!issue.hasChanges && new.repository === repository)
        }
    }

    @Test func `A refused connection leaves file and edits unchanged`() async throws {
        try await withGitHub { server, store in
            // There was no earlier request: a connection that is kept open may be found closed only when the next
            // request is sent.
            let json = #"{"id": 1, "number": 1, "repository": {"id": 2, "full_name": "octocat/Hello-World"}}"#
            let issue = try await store.main.import(Issue.self, from: Array(json.utf8)).objects[0]
            issue.title = "Edited"
            let files = StoreFiles(store)
            await server.stop()
            let port = try SilentPort(of: server.baseURL)
            defer { extendLifetime(port) }
            guard case .transport(let error) = await failure({ try await issue.save() }) else {
                Testing.Issue.record("saved without a server")
                return
            }
            #expect(error.reason == .connectionRefused)
            #expect(StoreFiles(store) == files && issue.changedProperties == ["title"])
        }
    }

    @Test func `A slow server times out after the configured time`() async throws {
        try await withGitHub(timeout: .milliseconds(300)) { server, store in
            let json = #"{"id": 1, "number": 1, "repository": {"id": 2, "full_name": "octocat/Hello-World"}}"#
            let issue = try await store.main.import(Issue.self, from: Array(json.utf8)).objects[0]
            issue.title = "Edited"
            let files = StoreFiles(store)
            server.inject(.delay(.seconds(3000)), times: 2)
            for attempt in [{ try await issue.save() }, { try await issue.fetch() }] as [() async throws -> Void] {
                guard case .transport(let error) = await failure(attempt) else {
                    Testing.Issue.record("the server is not that fast")
                    return
                }
                #expect(error.reason == .timedOut(after: .milliseconds(300)))
            }
            #expect(StoreFiles(store) == files && issue.changedProperties == ["title"])
        }
    }

    @Test func `A cancelled request ends at once`() async throws {
        try await withGitHub { server, store in
            let (_, issue) = try await world(store)
            let files = StoreFiles(store)
            server.forgetRequests()
            server.inject(.delay(.seconds(3000)), times: 2)
            for attempt in [{ try await issue.save() }, { try await issue.fetch() }] as [() async throws -> Void] {
                let task = Task { await failure(attempt) }
                while server.requests.isEmpty { await Task.yield() }
                task.cancel()
                #expect(await task.value?.isCancellation == true)
                server.forgetRequests()
            }
            #expect(StoreFiles(store) == files && issue.changedProperties == ["title"])
        }
    }

    @Test func `A response beyond the size limit is refused`() async throws {
        try await withGitHub(transport: HTTPTransport(responseLimit: 3000)) { _, store in
            let octocat = try await User.fetch(key: "octocat", in: store.main)
            let files = StoreFiles(store)
            guard case .transport(let error) = await failure({ try await octocat.$repositories.fetch() }) else {
                Testing.Issue.record("a body over the limit was read")
                return
            }
            #expect(error.reason == .tooLarge(limit: 3000))
            #expect(StoreFiles(store) == files)
        }
    }

    @Test func `A wrong token is reported without showing it`() async throws {
        try await withGitHub(token: "right") {
            BearerToken("wr0ng")
        } _: { _, store in
            let error = await failure { _ = try await User.fetch(key: "octocat", in: store.main) }
            #expect(error?.reply?.kind == .unauthorized && error?.description.contains("Bad credentials") == true)
            #expect(error?.description.contains("wr0ng") == false)
        }
    }

    @Test func `A temporary failure is retried`() async throws {
        try await withGitHub {
            Retry(firstDelay: .milliseconds(1))
        } _: { server, store in
            server.inject(.badGateway, times: 2)
            server.inject(.dropReply)
            let octocat = try await User.fetch(key: "octocat", in: store.main)
            #expect(octocat.login == "octocat" && server.requests.count == 4)
        }
    }
}
