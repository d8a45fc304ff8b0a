import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// Pages that all have one URL, as the server keeps where each client is: a scroll handle, a session.
@MainActor @Suite struct ScrollTests {
    /// A service's links to further pages.
    enum Style: CaseIterable {
        /// Each page leads to the same URL, the last one, which has nothing, too.
        case handle
        /// The last page leads nowhere.
        case ends
        /// The first page has that URL as well.
        case cookie
        /// The handle is a cursor of the body's.
        case cursor

        var conventions: APIConventions {
            guard self == .cursor else { return .default }
            var conventions = APIConventions.default
            conventions.paging = .cursor(at: "_scroll_id", parameter: "scroll_id")
            conventions.envelopes = .lists("items")
            return conventions
        }
    }

    private nonisolated static let pages = [[1, 2], [3, 4], [5, 6], [7]]

    private func service(_ style: Style) throws -> Service {
        let position = Box(0)
        let stub = StubTransport { request in
            if request.url.query() == nil, style != .cookie { position.value = 0 }
            let page = position.value < Self.pages.count ? Self.pages[position.value] : []
            position.value += 1
            let list = "[" + page.map { "{\"id\": \($0)}" }.joined(separator: ",") + "]"
            if style == .cursor {
                return .json("{\"_scroll_id\": \"abc\", \"items\": \(list), \"took\": \(position.value)}")
            }
            let next = request.url.path() + (style == .cookie ? "" : "?scroll_id=abc")
            let isLast = style == .ends && position.value == Self.pages.count
            return .json(list, headerFields: isLast ? [:] : [.init("Link")!: "<\(next)>; rel=\"next\""])
        }
        return try Service(conventions: style.conventions, stub: stub)
    }

    @Test(arguments: Style.allCases)
    func `Pages at one URL are all fetched and are the whole list`(_ style: Style) async throws {
        let service = try service(style)
        let all = try await Post.fetchAllReporting(pages: .all(), in: service.main)
        #expect(all.objects.map(\.identifier) == Array(1...7) && !all.report.hasMore)
        #expect(service.stub.log.count == (style == .ends ? 4 : 5))
        #expect(Post.completeness(in: service.main).extent == .whole)
    }

    @Test(arguments: Style.allCases)
    func `Pages at one URL come one by one and become the membership`(_ style: Style) async throws {
        let service = try service(style)
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        var pages: [[Int?]] = []
        for try await page in author.$posts.pages() { pages.append(page.objects.map(\.identifier)) }
        #expect(pages.filter { !$0.isEmpty } == Self.pages)
        #expect(author.posts.map(\.identifier) == Array(1...7) && !author.$posts.isPartial)
    }

    @Test(arguments: Style.allCases)
    func `Pages at one URL continue from a bookmark`(_ style: Style) async throws {
        let service = try service(style)
        var came: [Int?] = []
        var page = try await Post.pages(in: service.main).first()
        while let next = page {
            came += next.objects.map(\.identifier)
            guard let bookmark = next.bookmark else { break }
            page = try await Post.pages(from: bookmark, in: service.main).first()
        }
        #expect(came == Array(1...7))
    }

    @Test func `A repeated page at one URL ends the listing as a part`() async throws {
        let link: HTTPFields = [.init("Link")!: #"</posts?scroll_id=abc>; rel="next""#]
        let service = try Service(
            stub: StubTransport { request in
                .json(request.url.query() == nil ? #"[{"id": 1}]"# : #"[{"id": 2}]"#, headerFields: link)
            })
        let all = try await Post.fetchAllReporting(pages: .all(), in: service.main)
        #expect(all.objects.map(\.identifier) == [1, 2] && all.report.hasMore && service.stub.log.count == 3)
        #expect(Post.completeness(in: service.main).extent == .part)
    }

    @Test func `Pages at one URL without new objects end after ten`() async throws {
        let count = Box(0)
        let service = try Service(
            stub: StubTransport { _ in
                count.value += 1
                // Each page has them in another order.
                var (rest, number) = ([1, 2, 3, 4], count.value)
                let ids = (0..<4).map { _ in
                    defer { number /= rest.count + 1 }
                    return rest.remove(at: number % rest.count)
                }
                return .json(
                    "[" + ids.map { "{\"id\": \($0)}" }.joined(separator: ",") + "]",
                    headerFields: [.init("Link")!: #"</posts>; rel="next""#])
            })
        let all = try await Post.fetchAllReporting(pages: .all(), in: service.main)
        #expect(all.objects.count == 4 && all.report.hasMore && service.stub.log.count == 11)
    }
}
