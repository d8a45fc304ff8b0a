import Foundation
import HTTPTypes
import JSONBytes
import ObjectStore
import RESTTransport

extension PageSigns {
    /// - Parameter links: the response's `Link` field.
    mutating func readHead(of response: APIResponse, _ links: Links) {
        for field in response.headerFields where Self.maySayPage(field.name) { read(field) }
        if links.has("next") {
            noteNext()
        } else if (links.first ?? links.last ?? links.prev) != nil {
            noteEnd()
        }
        if links.prev != nil { noteWayBack() }
        if let last = links.last { readLast(last) }
        let hasTotal = readRange(response.headerFields[.contentRange])
        if response.status == .partialContent, !hasTotal { noteNext() }
        readQuery(of: response.url)
    }

    /// Excludes most fields by their first letter, which is faster.
    private static func maySayPage(_ name: HTTPField.Name) -> Bool {
        guard let first = name.canonicalName.utf8.first else { return false }
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
        return !isLetter || "xptnh".utf8.contains(first)
    }

    /// Reads fields such as `X-Total-Count`, `X-Pagination-Total-Pages` and `X-Next-Page`.
    private mutating func read(_ field: HTTPField) {
        let letters = Self.letters(of: field.name.rawName)
        let prefix = Self.prefixes.first { letters.hasPrefix($0) }
        let isNamed = prefix != nil || ["total", "next", "has", "page"].contains(where: letters.hasPrefix)
        guard isNamed else { return }
        let value = field.value.trimmingCharacters(in: .whitespaces)
        if letters.hasSuffix("pagination"), value.first == "{" { return readJSON(value) }
        var key = Self.key(letters.dropFirst(prefix?.count ?? 0))
        // Accepts `X-WP-TotalPages` and `X-Items-Total`, but not `X-RateLimit-Total`.
        if key == nil, prefix == "x", !letters.contains("limit") {
            key = Self.suffixes.first { letters.hasSuffix($0) }.flatMap { Self.key($0) }
        }
        // `X-Remaining` belongs to a rate limit.
        guard let key, ![.container, .statistics, .remaining].contains(key) else { return }
        if let repeated = Self.repeated(value) { noteRepeated(key, repeated) } else { note(key, Value(value)) }
    }

    /// The value of a field that a proxy has repeated: `45, 45`.
    private static func repeated(_ text: String) -> Value? {
        let parts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        return parts.count > 1 && Set(parts).count == 1 ? Value(parts[0]) : nil
    }

    /// A repeated value is too weak to show the end.
    private mutating func noteRepeated(_ key: Key, _ value: Value) {
        guard value.isSomething else { return }
        note(key == .total ? .count : key, value)
    }

    private static let prefixes = ["xpagination", "xpaging", "pagination", "paging", "x"]
    private static let suffixes = [
        "totalcount", "totalitems", "totalpages", "total", "nextpage", "nextcursor", "hasmore",
    ]

    private mutating func readJSON(_ text: String) {
        // The bytes are valid during this closure.
        unsafe Array(text.utf8).withUnsafeBytes { bytes in
            guard var reader = unsafe try? JSONReader(unsafe: bytes) else { return }
            try? read(.container, &reader)
        }
    }

    /// Reads `items 0-19/45` ([RFC 9110 §14.4](https://www.rfc-editor.org/rfc/rfc9110#section-14.4)).
    ///
    /// - Returns: whether the field has the total.
    private mutating func readRange(_ field: String?) -> Bool {
        guard let range = field?.split(separator: " ").last?.split(separator: "/"), range.count == 2 else {
            return false
        }
        // Some services count from 1.
        if let start = range[0].split(separator: "-").first.flatMap({ Int($0) }) { note(.page, .number(start)) }
        guard let total = Int(range[1]) else {
            if range[1] == "*" { noteOpenRange(range[0]) }
            return false
        }
        note(.total, .number(total))
        return true
    }

    /// Takes the length of `0-19/*` as the page's limit: a page of 20 has more after it, unless the request had a
    /// greater limit or another sign marks the end.
    private mutating func noteOpenRange(_ range: Substring) {
        let ends = range.split(separator: "-").compactMap { Int($0) }
        guard ends.count == 2, ends[0] <= ends[1] else { return }
        note(.limit, .number(ends[1] &- ends[0] &+ 1))
    }

    private mutating func readQuery(of url: URL) {
        guard url.query() != nil else { return }
        let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        for item in items {
            let value = Value(item.value ?? "")
            switch Self.key(item.name) {
            case .page: note(.page, value)
            case .offset: note(.offset, value)
            case .limit: note(.limit, value)
            default:
                if Self.cursors.contains(Self.letters(of: item.name)), item.value?.isEmpty == false { notePrevious() }
            }
        }
    }

    private mutating func readLast(_ url: URL) {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        for item in items where Self.key(item.name) == .page { note(.pages, Value(item.value ?? "")) }
    }

    private static let cursors: Set<String> = [
        "cursor", "after", "startingafter", "before", "endingbefore", "pagetoken", "marker", "continuationtoken",
        "pagecursor", "pageafter", "pagebefore", "pageoffset", "maxid", "minid", "sinceid",
    ]

    /// - Parameter parameter: the API's own parameter of pages.
    static func isPage(_ url: URL, by parameter: String?) -> Bool {
        guard url.query() != nil else { return false }
        let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        return items.contains { item in
            item.value?.isEmpty == false && (item.name == parameter || isPage(byParameter: item.name))
        }
    }

    private static func isPage(byParameter name: String) -> Bool {
        switch key(name) {
        case .page, .offset, .cursor, .next, .previous, .after, .before: true
        default: cursors.contains(letters(of: name))
        }
    }
}
