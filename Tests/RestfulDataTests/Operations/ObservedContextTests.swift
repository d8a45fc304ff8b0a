import Foundation
import HTTPTypes
import ObjectStore
import Observation
import RestfulData
import RestfulDataTesting
import Testing

/// Observable properties of a context as a whole, and of the server's answers.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ObservedContextTests {
    private let service: Service

    init() throws {
        service = try Service(
            stub: StubTransport { request in
                switch (request.method, request.url.path) {
                case (.get, "/authors/1"):
                    let hasCopy = request.headerFields[.ifNoneMatch] != nil
                    return hasCopy
                        ? .status(304) : .json(#"{"id": 1, "name": "A"}"#, headerFields: [.eTag: "\"1\""])
                case (.get, _): return .json(#"[{"id": 5, "author_id": 1}]"#)
                default: return .status(204)
                }
            })
    }

    private func author() async throws -> Author {
        try await service.imported(Author.self, #"{"id": 1, "name": "A"}"#)
    }

    /// Runs `body`, and waits until the value has changed.
    ///
    /// - Returns: the value after that.
    private func value<Value>(
        of read: @MainActor () throws -> Value, after body: @MainActor () async throws -> Void
    ) async throws -> Value {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        _ = withObservationTracking {
            Result { try read() }
        } onChange: {
            continuation.yield()
        }
        try await body()
        for await _ in changes { break }
        return try read()
    }

    @Test func `Observers of a context's hasChanges follow edits, saves, deletions and rollbacks`() async throws {
        let (author, context) = (try await author(), service.main)
        func hasChanges(after body: @MainActor () async throws -> Void) async throws -> Bool {
            try await value(of: { context.hasChanges }, after: body)
        }
        #expect(try await hasChanges { author.name = "B" })
        #expect(try await !hasChanges { try await context.save() })
        #expect(try await hasChanges { _ = Author(in: context) })
        #expect(try await !hasChanges { context.rollback() })
        #expect(try await hasChanges { context.delete(author) })
        #expect(try await !hasChanges { try await context.save() })
    }

    @Test func `Observers of a draft's hasChanges follow edits, saves and rollbacks`() async throws {
        let author = try await author()
        let draft = try service.main.draft()
        let form = try #require(draft.object(for: author))
        #expect(try await value(of: { draft.hasChanges }, after: { form.name = "B" }))
        #expect(try await !value(of: { draft.hasChanges }, after: { try draft.save() }))
        #expect(try await value(of: { draft.hasChanges }, after: { form.name = "C" }))
        #expect(try await !value(of: { draft.hasChanges }, after: { draft.rollback() }))
    }

    @Test func `Observers of unsent objects follow edits and other contexts' saves`() async throws {
        let (author, context) = (try await author(), service.main)
        func names(after body: @MainActor () async throws -> Void) async throws -> [String] {
            try await value(of: { try context.unsent(Author.self).map(\.name) }, after: body)
        }
        #expect(try await names { author.name = "B" } == ["B"])
        try await context.save()
        #expect(try await names { try await author.save() } == [])
        #expect(
            try await names {
                try await service.store.background { context in
                    Author(in: context).name = "C"
                }
            } == ["C"])
        let count = try await value(
            of: { try context.unsent().count },
            after: {
                try await service.store.background { context in
                    let found = try context.query(Author.self).where { $0.name == "C" }.fetch()
                    for author in found { context.delete(author) }
                }
            })
        #expect(count == 0)
    }

    @Test func `Observers of an object's fetchedAt are woken by unchanged answers too`() async throws {
        let author = try await author()
        let first = try await value(of: { author.fetchedAt }, after: { try await author.fetch() })
        let second = try await value(of: { author.fetchedAt }, after: { try await author.fetch() })
        #expect(try #require(first) < #require(second))
        #expect(service.stub.requests.count == 2)
    }

    @Test func `Observers of a list's completeness follow fetches`() async throws {
        let author = try await author()
        let list = try await value(of: { author.$posts.completeness }, after: { try await author.$posts.fetch() })
        #expect(list.extent == .whole && list.objectCount == 1)
        let context = service.main
        let all = try await value(
            of: { Post.completeness(in: context) },
            after: { _ = try await Post.fetchAll(in: context) })
        #expect(all.extent == .whole)
        let known = try await value(
            of: { try context.knownListings().count },
            after: { _ = try await Post.fetchAll(query: ["state": "open"], in: context) })
        #expect(known == 3)
    }
}
