import Conventions
import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport

/// How the page that follows is asked for.
enum NextPage: Codable, Hashable {
    case url(String)
    /// The same URL again, with a parameter that takes the identity of the last element.
    case after(parameter: String)
    /// The same URL again, with a parameter.
    case same(parameter: String, value: String)
    /// The same URL again, with a number that is one more; it is `first` where the URL has none.
    case number(parameter: String, first: Int)
    /// The same URL again, with a number that is as much more as the page has elements.
    case offset(parameter: String)

    /// Whether the reply leads to it. Numbers go on until a page is empty.
    var isCertain: Bool {
        switch self {
        case .url, .after, .same: true
        case .number, .offset: false
        }
    }

    /// The URL of the page.
    ///
    /// - Parameters:
    ///   - current: the URL of the page before.
    ///   - count: how many elements that had.
    ///   - last: finds its last object.
    /// - Returns: nil when the last object has no identity to send, or no number is left.
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
            guard let last = last(), let index = last.model.identity.last,
                case let property = last.model[index], property.link == nil,
                let text = KeyPathResolver.value(of: property, in: last).text
            else { return nil }
            return current.replacing(parameter, by: text)
        }
    }
}

extension RequestURL {
    /// The whole number that a query parameter is; nil for another value, one that leaves no room for more, or none.
    fileprivate func number(of parameter: String) -> Int? {
        let items = URLComponents(string: text)?.queryItems ?? []
        guard let number = items.last(where: { $0.name == parameter })?.value.flatMap({ Int($0) }),
            (0...Int(Int32.max)).contains(number)
        else { return nil }
        return number
    }
}

extension Reply {
    /// Whether what was read is the whole list: by declaration, or as nothing says that there is more.
    ///
    /// - Parameter count: how many elements it has.
    func isWhole(_ list: List, of count: Int) -> Bool {
        guard nextPage?.isCertain != true, !hasPrevious else { return false }
        if let merges = list.options.merges { return !merges && nextPage == nil }
        return signs.areOfWhole(PageSigns.Extent(elements: count))
    }

    /// Finds out whether what leads back leads to a page before: only from a page that was asked for by its number or
    /// a cursor. What was asked for without is the first page, whatever it leads to: Mastodon's leads to what will be
    /// new.
    mutating func judgeStart(_ paging: APIConventions.Paging) {
        guard hasPrevious || signs.leadsBack else { return }
        if !PageSigns.isPage(response.url, by: paging.parameter) {
            hasPrevious = false
        } else if signs.leadsBack {
            signs.notePrevious()
        }
    }

    /// Reads what the head says of further pages.
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

    /// Reads what the body says of further pages.
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
            // 0 and false are nothing, as null and "" are: no page but the first begins there.
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
    /// The parameter by which a page is asked for; nil where the server gives its URL.
    fileprivate var parameter: String? {
        switch self {
        case .linkHeader, .nextLink: nil
        case .pageHeader(_, let parameter), .more(_, let parameter), .cursor(_, let parameter),
            .pageNumber(let parameter, _), .offset(let parameter):
            parameter
        }
    }

    /// What of a body has to be known.
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
    /// The key path of a key beside the last one.
    fileprivate func with(last key: String) -> [String] { dropLast() + [key] }
}

extension ReplyOutline {
    /// What is at the first of the paths that a key path may be.
    fileprivate func first(of key: JSONKeyPath) -> Value? { key.alternatives.lazy.compactMap { self[$0] }.first }

    /// The absolute URL at a key path, in the `href` of an object there, or of the link to the next page in an array
    /// there.
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
