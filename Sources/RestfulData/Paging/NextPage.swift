import Conventions
import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport

enum NextPage: Codable, Hashable {
    case url(String)
    /// The identity of the last element in a parameter.
    case after(parameter: String)
    case same(parameter: String, value: String)
    /// The next greater number; `first` counts as the number of a URL without one.
    case number(parameter: String, first: Int)
    /// The offset plus the page's number of elements.
    case offset(parameter: String)

    /// Whether the reply itself leads to the next page. Numbers and offsets continue until a page is empty.
    var isCertain: Bool {
        switch self {
        case .url, .after, .same: true
        case .number, .offset: false
        }
    }

    /// - Parameters:
    ///   - count: the number of elements on the current page.
    ///   - last: the page's last object.
    /// - Returns: nil if the last object lacks an identity, or the number is at its maximum.
    func url(after current: RequestURL, of count: Int, last: () -> (any OutboundRow)?) -> RequestURL? {
        switch self {
        case .url(let url): return RequestURL(url)
        case .same(let parameter, let value): return current.replacing(parameter, by: value)
        case .number(let parameter, let first):
            let (next, isBeyond) = (current.number(of: parameter) ?? first).addingReportingOverflow(1)
            return isBeyond ? nil : current.replacing(parameter, by: "\(next)")
        case .offset(let parameter):
            return current.replacing(parameter, by: "\((current.number(of: parameter) ?? 0) + count)")
        case .after(let parameter):
            // The server doesn't know an edited identity yet.
            guard let last = last()?.known, let index = last.model.identity.last,
                case let property = last.model[index], property.link == nil,
                let text = KeyPathResolver.value(of: property, in: last).text
            else { return nil }
            return current.replacing(parameter, by: text)
        }
    }
}

extension RequestURL {
    /// A parameter's number; nil outside of 0 to `Int32.max`.
    fileprivate func number(of parameter: String) -> Int? {
        let items = URLComponents(string: text)?.queryItems ?? []
        guard let number = items.last(where: { $0.name == parameter })?.value.flatMap({ Int($0) }),
            (0...Int(Int32.max)).contains(number)
        else { return nil }
        return number
    }
}

extension Reply {
    /// Whether the list is complete, by declaration or because no sign says that there is more.
    func isWhole(_ list: List, of count: Int) -> Bool {
        guard nextPage?.isCertain != true, !hasPrevious else { return false }
        if let merges = list.options.merges { return !merges && nextPage == nil }
        return signs.areOfWhole(PageSigns.Extent(elements: count))
    }

    /// A link back means earlier pages only if this page was requested by a number or cursor. Mastodon's first page
    /// links back to future posts.
    mutating func judgeStart(_ paging: APIConventions.Paging) {
        guard hasPrevious || signs.leadsBack else { return }
        if !PageSigns.isPage(response.url, by: paging.parameter) {
            hasPrevious = false
        } else if signs.leadsBack {
            signs.notePrevious()
        }
    }

    mutating func readHead(_ paging: APIConventions.Paging) {
        let links = response.links
        signs.readHead(of: response, links)
        hasPrevious = links.prev != nil
        switch paging {
        case _ where links.next != nil: nextPage = links.next.map { .url($0.absoluteString) }
        case .pageNumber(let parameter, let first): nextPage = .number(parameter: parameter, first: first)
        case .offset(let parameter): nextPage = .offset(parameter: parameter)
        default: break
        }
        signs.endsEmpty = nextPage?.isCertain == false
        guard case .pageHeader(let field, let parameter) = paging, let name = HTTPField.Name(field),
            let page = response.headerFields[name], !page.isEmpty
        else { return }
        nextPage = .same(parameter: parameter, value: page)
    }

    mutating func readBody(_ outline: ReplyOutline, _ paging: APIConventions.Paging) {
        signs = outline.signs
        switch paging {
        case .linkHeader, .pageHeader, .pageNumber, .offset: return
        case .nextLink(let key):
            for path in key.alternatives {
                if let url = outline.url(at: path, of: response) { nextPage = .url(url) }
                let hasLink = ["prev", "previous"].contains {
                    outline.url(at: path.with(last: $0), of: response) != nil || outline[path]?.links[$0] != nil
                }
                hasPrevious = hasPrevious || hasLink
            }
        case .more(let key, let parameter):
            if outline.first(of: key)?.kind == .true { nextPage = .after(parameter: parameter) }
            hasPrevious = hasPrevious || response.url.hasParameter(parameter)
        case .cursor(let key, let parameter):
            // Like null and "", 0 and false mean no next page, since only the first page starts there.
            if let value = outline.first(of: key), ![.null, .false].contains(value.kind), let text = value.text,
                !text.isEmpty, text != "0"
            {
                nextPage = .same(parameter: parameter, value: text)
            }
            hasPrevious = hasPrevious || response.url.hasParameter(parameter)
        }
    }
}

extension APIConventions.Paging {
    /// The parameter of further pages; nil if the server sends their URLs.
    fileprivate var parameter: String? {
        switch self {
        case .linkHeader, .nextLink: nil
        case .pageHeader(_, let parameter), .more(_, let parameter), .cursor(_, let parameter),
            .pageNumber(let parameter, _), .offset(let parameter):
            parameter
        }
    }

    var keyPaths: [[String]] {
        switch self {
        case .linkHeader, .pageHeader, .pageNumber, .offset: []
        case .nextLink(let key):
            // A link may be an object with an `href` (JSON:API 1.1, "Links").
            key.alternatives.flatMap { path in
                ([path] + ["next", "prev", "previous"].map(path.with(last:))).flatMap { [$0, $0 + ["href"]] }
            }
        case .more(let key, _), .cursor(let key, _): key.alternatives
        }
    }
}

extension [String] {
    fileprivate func with(last key: String) -> [String] { dropLast() + [key] }
}

extension ReplyOutline {
    fileprivate func first(of key: JSONKeyPath) -> Value? { key.alternatives.lazy.compactMap { self[$0] }.first }

    /// The absolute URL at a path. The value may be an object with `href`, or an array with a link to the next page.
    func url(at path: [String], of response: APIResponse) -> String? {
        let text: String? =
            switch self[path]?.kind {
            case .object: self[path + ["href"]]?.text
            case .array: self[path]?.links["next"]
            case .string: self[path]?.text
            default: nil
            }
        guard let text, let url = URL(string: text, relativeTo: response.url)?.absoluteURL, Origin(url) != nil
        else { return nil }
        return url.absoluteString
    }
}

extension URL {
    fileprivate func hasParameter(_ name: String) -> Bool {
        URLComponents(url: self, resolvingAgainstBaseURL: true)?.queryItems?.contains { $0.name == name } ?? false
    }
}
