import Foundation
import RestfulData
import Synchronization
import Testing

@testable import ObjectStore

/// A list that comes page by page: each page's cost in the file, and the resulting order.
///
/// These tests are not with the pages' own tests, as they count the file's work.
@MainActor @Suite struct PagedListTests {
    @Model("/feeds")
    final class Feed {
        var identifier: Int?
        @Relationship("/feeds/:id/entries", inverse: "feed") var entries: [Entry]
        @Relationship("/feeds/:id/starred", inverse: nil) var starred: [Entry]
        @Relationship("/feeds/:id/topics", inverse: "feeds") var topics: [Topic]
        @Relationship("/feeds/:id/history", inverse: nil, merges: true) var history: [Entry]
    }

    @Model("/entries")
    final class Entry {
        var identifier: Int?
        var feed: Feed?
    }

    @Model("/topics")
    final class Topic {
        var identifier: Int?
        @Relationship(inverse: "topics") var feeds: [Feed]
    }

    /// The ways in which a list is kept: as links, in a join table that one side orders or both do, and one that grows
    /// only.
    enum Kind: String, CaseIterable {
        case entries, starred, topics, history
    }

    /// A server with pages of ten members. It records the file's work so far at each request.
    private final class PagedServer: Transport {
        private let ids: Mutex<[Int]>
        private let marks = Mutex<[FileWork.Count]>([])
        private let work = Mutex<FileWork?>(nil)

        init(_ ids: [Int]) { self.ids = Mutex(ids) }

        func serve(_ newIDs: [Int]) { ids.withLock { $0 = newIDs } }

        func watch(_ fileWork: FileWork) { work.withLock { $0 = fileWork } }

        /// The work between each request and the next, since the last call.
        func costs() -> [FileWork.Count] {
            marks.withLock { marks in
                defer { marks = [] }
                return zip(marks.dropFirst(), marks).map { $0 - $1 }
            }
        }

        func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            if let count = work.withLock({ $0?.count }) { marks.withLock { $0.append(count) } }
            let ids = ids.withLock { $0 }
            let query = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
            let page = query.first { $0.name == "page" }.flatMap { $0.value.flatMap { Int($0) } } ?? 0
            let isLast = (page + 1) * 10 >= ids.count
            let objects = ids.dropFirst(page * 10).prefix(10).map { "{\"id\": \($0)}" }
            var head = HTTPResponse(status: .ok)
            // So that no answer is noted.
            head.headerFields[.cacheControl] = "no-store"
            if !isLast, let link = HTTPField.Name("Link") {
                let url = request.url.absoluteString.split(separator: "?")[0]
                let rest = query.filter { $0.name != "page" }.map { "\($0.name)=\($0.value ?? "")&" }.joined()
                head.headerFields[link] = "<\(url)?\(rest)page=\(page + 1)>; rel=\"next\""
            }
            return APIResponse(head, body: Array("[\(objects.joined(separator: ","))]".utf8), to: request)
        }
    }

    private let server = PagedServer([])

    private func makeFeed() async throws -> (Store, Feed) {
        let store = try Store(
            .temporary, models: [Feed.self, Entry.self, Topic.self],
            api: API("https://api.example.com", transport: server))
        return (store, try await store.main.import(Feed.self, from: Array("{\"id\": 1}".utf8)).objects[0])
    }

    private func fetch(
        _ kind: Kind, of feed: Feed, query: RouteQuery = [:]
    ) async throws -> [Int?] {
        switch kind {
        case .entries: try await feed.$entries.fetch(query: query, pages: .all()).map(\.identifier)
        case .starred: try await feed.$starred.fetch(query: query, pages: .all()).map(\.identifier)
        case .topics: try await feed.$topics.fetch(query: query, pages: .all()).map(\.identifier)
        case .history: try await feed.$history.fetch(query: query, pages: .all()).map(\.identifier)
        }
    }

    private func members(_ kind: Kind, of feed: Feed) -> [Int?] {
        switch kind {
        case .entries: feed.entries.map(\.identifier)
        case .starred: feed.starred.map(\.identifier)
        case .topics: feed.topics.map(\.identifier)
        case .history: feed.history.map(\.identifier)
        }
    }

    // MARK: Costs

    @Test(arguments: Kind.allCases)
    func `A page costs the same however many came before it`(_ kind: Kind) async throws {
        for pages in [4, 16, 64] {
            server.serve(Array(1...pages * 10))
            let (store, feed) = try await makeFeed()
            let work = try await FileWork(of: store)
            server.watch(work)
            #expect(try await fetch(kind, of: feed) == Array(1...pages * 10))
            let costs = server.costs()
            // The first page reads the list, and the second its end.
            let second = try #require(costs.dropFirst().first)
            expect(costs.dropFirst(2), noDearerThan: second)
            try await work.stop(store)
        }
    }

    @Test(arguments: Kind.allCases)
    func `A page whose members are all in the list writes nothing`(_ kind: Kind) async throws {
        server.serve(Array(1...160))
        let (store, feed) = try await makeFeed()
        _ = try await fetch(kind, of: feed)
        let work = try await FileWork(of: store)
        server.watch(work)
        _ = try await fetch(kind, of: feed)
        let costs = server.costs()
        let second = try #require(costs.dropFirst().first)
        #expect(second.rowsWritten == 0)
        expect(costs.dropFirst(2), noDearerThan: second)
        // The whole list, fetched again, writes nothing either.
        let written = work.count.rowsWritten
        _ = try await fetch(kind, of: feed)
        #expect(work.count.rowsWritten == written)
        try await work.stop(store)
    }

    private func expect(_ costs: some Collection<FileWork.Count>, noDearerThan cost: FileWork.Count) {
        #expect((costs.map(\.statements).max() ?? 0) <= cost.statements)
        #expect((costs.map(\.rowsRead).max() ?? 0) <= cost.rowsRead)
        #expect((costs.map(\.rowsWritten).max() ?? 0) <= cost.rowsWritten)
    }

    // MARK: Order

    @Test(arguments: Kind.allCases)
    func `All pages together are the list, in the server's order`(_ kind: Kind) async throws {
        let (_, feed) = try await makeFeed()
        server.serve(Array(1...35))
        _ = try await fetch(kind, of: feed)
        let reordered = Array((6...45).reversed())
        server.serve(reordered)
        #expect(try await fetch(kind, of: feed) == reordered)
        let grown = Array(1...35) + (36...45).reversed()
        #expect(members(kind, of: feed) == (kind == .history ? grown : reordered))
    }

    @Test(arguments: Kind.allCases)
    func `A filtered page's new members follow the known members`(_ kind: Kind) async throws {
        let (_, feed) = try await makeFeed()
        server.serve([7, 3, 20, 31])
        _ = try await fetch(kind, of: feed)
        server.serve(Array((1...35).reversed()))
        _ = try await fetch(kind, of: feed, query: ["q": "x"])
        let known = [7, 3, 20, 31]
        #expect(members(kind, of: feed) == known + (1...35).reversed().filter { !known.contains($0) })
    }

    @Test func `New members of later pages come last after others were deleted`() async throws {
        let (store, feed) = try await makeFeed()
        server.serve(Array(1...15))
        _ = try await fetch(.starred, of: feed)
        // Positions 0 to 4 and 9 to 14 are left.
        for id in 6...9 { try store.main.find(Entry.self, id).map { store.main.delete($0) } }
        try await store.main.save()
        server.serve(Array(1...5) + Array(10...15) + Array(21...40))
        _ = try await fetch(.starred, of: feed, query: ["q": "x"])
        #expect(members(.starred, of: feed) == Array(1...5) + Array(10...15) + Array(21...40))
    }

    @Test func `A list whose members have no position yet gets its order from the first pages`() async throws {
        let (store, feed) = try await makeFeed()
        // The members come from the other side, which has an order of its own.
        let topics = (1...3).map { "{\"id\": \($0), \"feeds\": [{\"id\": 1}]}" }.joined(separator: ",")
        _ = try await store.main.import(Topic.self, from: Array("[\(topics)]".utf8))
        server.serve(Array(1...35))
        _ = try await fetch(.topics, of: feed, query: ["q": "x"])
        #expect(members(.topics, of: feed) == Array(1...35))
    }
}
