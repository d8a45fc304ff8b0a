import Foundation
import HTTPTypes
import RestfulData

/// A page of a list, and the information about the other pages.
struct ServerPage {
    let rows: [ServerRow]
    private let paging: APIConventions.Paging
    private let url: URL
    /// The number of objects before the page, and in the whole list.
    private let start: Int
    private let total: Int
    /// The size of a page; nil for the whole list.
    private let size: Int?
    private let parameter: String

    /// - Parameters:
    ///   - all: The whole list.
    ///   - unfiltered: The list before the query's filters, which may contain an object of an earlier page.
    ///   - size: The size of a page, if the request leaves it open.
    /// - Throws: 400 if the object before the page is missing.
    init(
        of all: [ServerRow], from unfiltered: [ServerRow], for request: TestServer.Request,
        paging: APIConventions.Paging, _ conventions: APIConventions, size: Int?, naming name: (ServerRow) -> String?
    ) throws(Refusal) {
        (self.paging, url, total) = (paging, request.request.url, all.count)
        let asked = request.query[conventions.pageSize] ?? request.preferredSize(conventions.pageSizePreference)
        self.size = (asked.flatMap { Int($0) } ?? size).map { max(1, $0) }
        parameter = paging.parameter(beside: conventions.pageSize)
        let value = request.query[parameter]
        let number = value.flatMap { Int($0) }
        switch paging {
        case .linkHeader, .nextLink, .pageHeader: start = Self.start(of: number, from: 1, self.size)
        case .pageNumber(_, let first): start = Self.start(of: number, from: first, self.size)
        case .offset: start = max(0, number ?? 0)
        case .more:
            if let last = value {
                guard let index = unfiltered.firstIndex(where: { name($0) == last }) else {
                    throw Refusal(status: 400, message: "There is no object \"\(last)\" to start after")
                }
                let earlier = Set(unfiltered[...index].map(\.number))
                start = all.filter { earlier.contains($0.number) }.count
            } else {
                start = 0
            }
        case .cursor:
            // Starts after the last row of the page before, even if that row was deleted.
            start =
                number.map { last in
                    all.firstIndex { $0.number == last }.map { $0 + 1 } ?? all.firstIndex { $0.number > last }
                        ?? all.count
                } ?? 0
        }
        rows = Array(all.dropFirst(start).prefix(self.size ?? all.count))
    }

    /// - Parameters:
    ///   - number: The page that the client asks for; nil for the first one.
    ///   - size: The size of a page; nil for the whole list.
    private static func start(of number: Int?, from first: Int, _ size: Int?) -> Int {
        guard let number, number > first else { return 0 }
        let (page, isTooFar) = number.subtractingReportingOverflow(first)
        guard let size, !isTooFar else { return .max }
        let (start, isBeyond) = page.multipliedReportingOverflow(by: size)
        return isBeyond ? .max : start
    }

    private var hasMore: Bool { start < total && start + rows.count < total }
    private var page: Int { size.map { start / $0 } ?? 0 }

    private var next: String? { hasMore ? link(to: following(page + 1, first: 1)) : nil }
    private var previous: String? { start > 0 && size != nil ? link(to: following(max(0, page - 1), first: 1)) : nil }

    private func following(_ page: Int, first: Int) -> String { "\(page + first)" }

    private func link(to value: String) -> String {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        // The other parameters stay as they are written: another escaping can have another meaning.
        let others = (components?.percentEncodedQuery ?? "").split(separator: "&").filter { item in
            RedactedURL.decoded(item.prefix { $0 != "=" }) != parameter
        }
        var own = URLComponents()
        own.queryItems = [URLQueryItem(name: parameter, value: value)]
        let all = others.map(String.init) + [own.percentEncodedQuery ?? ""]
        components?.percentEncodedQuery = all.joined(separator: "&")
        return components?.url?.absoluteString ?? url.absoluteString
    }

    /// Adds the paging information to a body that is an object.
    ///
    /// - Returns: Whether this style of paging uses the body.
    func describe(in body: inout [String: JSONValue]) -> Bool {
        switch paging {
        case .nextLink(let place): describeLinks(at: place.keys, in: &body)
        case .more(let place, _): body.set(.bool(hasMore), at: place.keys[...])
        case .cursor(let place, _):
            if hasMore, let last = rows.last { body.set(.string("\(last.number)"), at: place.keys[...]) }
        case .linkHeader, .pageHeader, .pageNumber, .offset: return false
        }
        return true
    }

    private func describeLinks(at path: [String], in body: inout [String: JSONValue]) {
        guard let last = path.last else { return }
        if last == "link" {
            // The links of a FHIR Bundle.
            let links = [("self", url.absoluteString as String?), ("next", next), ("previous", previous)]
            body.set(
                .array(
                    links.compactMap { relation, url in
                        url.map { ["relation": .string(relation), "url": .string($0)] }
                    }), at: path[...])
            return
        }
        let isHAL = path.first == "_links"
        func value(_ url: String?) -> JSONValue? {
            guard let url else { return isHAL || last.hasPrefix("@") ? nil : .null }
            return isHAL ? ["href": .string(url)] : .string(url)
        }
        if let next = value(next) { body.set(next, at: path[...]) }
        guard last == "next" else { return }
        if let previous = value(previous) {
            body.set(previous, at: (path.dropLast() + [path.count == 1 ? "previous" : "prev"])[...])
        }
        if path.count == 1 { body["count"] = .number("\(total)") }
    }

    /// Adds the paging information to the head.
    ///
    /// - Parameter isInBody: Whether the body already has it.
    func describe(in fields: inout HTTPFields, isInBody: Bool) {
        switch paging {
        case .pageHeader(let name, _): fields.set(name, hasMore ? following(page + 1, first: 1) : "")
        case .pageNumber, .offset: fields.set("X-Total-Count", "\(total)")
        case .linkHeader, .nextLink, .more, .cursor:
            guard !isInBody else { return }
            let links = [("next", next), ("prev", previous)].compactMap { relation, url in
                url.map { "<\($0)>; rel=\"\(relation)\"" }
            }
            if !links.isEmpty { fields.set("Link", links.joined(separator: ", ")) }
        }
    }
}

extension APIConventions.Paging {
    /// The query parameter that selects the page.
    ///
    /// - Parameter size: The query parameter for the size of a page.
    func parameter(beside size: String) -> String {
        switch self {
        case .linkHeader, .nextLink: size.hasPrefix("page[") ? "page[number]" : "page"
        case .more(_, let parameter), .cursor(_, let parameter), .pageHeader(_, let parameter),
            .pageNumber(let parameter, _), .offset(let parameter):
            parameter
        }
    }
}

extension HTTPFields {
    mutating func set(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { self[name] = value }
    }
}
