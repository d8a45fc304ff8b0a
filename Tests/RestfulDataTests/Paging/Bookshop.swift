import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport

/// A service with one author to whom all posts belong, in pages of any style. It may change before each request.
final class Bookshop: Sendable {
    enum Style: CaseIterable, Sendable {
        case link, pageNumber, offset, cursorByIndex, after, nextURL, oneAnswer

        var conventions: APIConventions {
            var conventions = APIConventions.default
            switch self {
            case .link, .oneAnswer: break
            case .pageNumber: conventions.paging = .pageNumber()
            case .offset: conventions.paging = .offset()
            case .cursorByIndex:
                conventions.paging = .cursor(at: "next")
                conventions.envelopes = .lists("items")
            case .after:
                conventions.paging = .more()
                conventions.envelopes = .lists("items")
            case .nextURL:
                conventions.paging = .nextLink()
                conventions.envelopes = .lists("items")
            }
            return conventions
        }
    }

    let style: Style
    let size: Int
    let hasValidators: Bool
    /// The posts in the order of the lists.
    let posts: Box<[Int]>
    /// The change of the posts before a request is answered.
    let change = Box<(@Sendable (inout [Int]) -> Void)?>(nil)

    init(_ posts: [Int], style: Style = .link, size: Int = 2, hasValidators: Bool = true) {
        self.posts = Box(posts)
        (self.style, self.size, self.hasValidators) = (style, size, hasValidators)
    }

    var stub: StubTransport {
        StubTransport { [self] request throws(TransportError) in answer(request) }
    }

    func store(_ location: Store.Location = .temporary, stub: StubTransport) throws -> Store {
        try Store(
            location, models: Blog.models,
            api: API("https://api.example.com", conventions: style.conventions, transport: stub))
    }

    func answer(_ request: APIRequest) -> StubTransport.Reply {
        var posts = posts.value
        if let change = change.value {
            change(&posts)
            self.posts.value = posts
        }
        let path = request.url.path()
        if path == "/authors/1" { return .json(#"{"id": 1, "name": "Ada"}"#) }
        if request.method == .post { return .json(#"{"id": 900, "title": "mine", "author": {"id": 1}}"#, status: 201) }
        let query = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        func number(_ name: String) -> Int? { query.first { $0.name == name }?.value.flatMap { Int($0) } }
        let size = style == .oneAnswer ? .max : number("per_page") ?? size
        let start =
            switch style {
            case .link, .pageNumber, .nextURL: ((number("page") ?? 1) - 1) * min(size, 1_000)
            case .offset: number("offset") ?? 0
            case .cursorByIndex: number("cursor") ?? 0
            case .after:
                // After the place where that one is, or was: the order is by number.
                number("starting_after").map { last in posts.firstIndex { $0 > last } ?? posts.count } ?? 0
            case .oneAnswer: 0
            }
        let page = Array(posts.dropFirst(start).prefix(size))
        return reply(page, request, hasMore: posts.count > start + page.count, at: start)
    }

    private func reply(_ page: [Int], _ request: APIRequest, hasMore: Bool, at start: Int) -> StubTransport.Reply {
        let list =
            "["
            + page.map { "{\"id\": \($0), \"title\": \"p\($0)\", \"author\": {\"id\": 1}}" }
            .joined(separator: ", ") + "]"
        let path = request.url.path()
        let number = start / max(size, 1) + 2
        var fields: HTTPFields = [:]
        var body = list
        switch style {
        case .link:
            if hasMore {
                let own = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems?
                    .first { $0.name == "per_page" }?.value
                let next = "page=\(own.flatMap { Int($0) }.map { start / $0 + 2 } ?? number)"
                let query = own.map { "per_page=\($0)&\(next)" } ?? next
                fields[HTTPField.Name("Link")!] = "<https://api.example.com\(path)?\(query)>; rel=\"next\""
            }
        case .cursorByIndex:
            body = "{\"items\": \(list), \"next\": \(hasMore ? "\"\(start + page.count)\"" : "null")}"
        case .after: body = "{\"items\": \(list), \"has_more\": \(hasMore)}"
        case .nextURL: body = "{\"items\": \(list), \"next\": \(hasMore ? "\"\(path)?page=\(number)\"" : "null")}"
        case .pageNumber, .offset, .oneAnswer: break
        }
        guard hasValidators else { return .json(body, headerFields: fields) }
        let tag = "\"\(stableHash(body + (fields[HTTPField.Name("Link")!] ?? "")))\""
        fields[.eTag] = tag
        if request.headerFields[.ifNoneMatch] == tag { return .status(304, headerFields: [.eTag: tag]) }
        return .json(body, headerFields: fields)
    }
}
