import Conventions
import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport

/// How the page that follows is asked for.
enum NextPage {
    case url(String)
    /// The same URL again, with a parameter that takes the identity of the last element.
    case after(parameter: String)
    /// The same URL again, with a parameter.
    case same(parameter: String, value: String)

    /// The URL of the page.
    ///
    /// - Parameters:
    ///   - current: the URL of the page before.
    ///   - last: finds the last object of the page before.
    /// - Returns: nil when the last object has no identity to send.
    func url(after current: RequestURL, last: () -> (any OutboundRow)?) -> RequestURL? {
        switch self {
        case .url(let url): return RequestURL(url)
        case .same(let parameter, let value): return current.replacing(parameter, by: value)
        case .after(let parameter):
            guard let last = last(), let index = last.model.identity.last,
                case let property = last.model[index], property.link == nil,
                let text = KeyPathResolver.value(of: property, in: last).text
            else { return nil }
            return current.replacing(parameter, by: text)
        }
    }
}

extension Reply {
    /// Reads what the header fields say of further pages.
    mutating func readHead(_ paging: APIConventions.Paging) {
        let links = response.links
        nextPage = links.next.map { .url($0.absoluteString) }
        hasPrevious = links.prev != nil
        guard case .pageHeader(let field, let parameter) = paging, let name = HTTPField.Name(field),
            let page = response.headerFields[name], !page.isEmpty
        else { return }
        nextPage = .same(parameter: parameter, value: page)
    }

    /// Reads what the body says of further pages.
    mutating func readBody(_ outline: ReplyOutline, _ paging: APIConventions.Paging) {
        switch paging {
        case .linkHeader, .pageHeader: return
        case .nextLink(let key):
            let path = key.keys
            if let url = outline.url(at: path, of: response) { nextPage = .url(url) }
            let hasLink = ["prev", "previous"].contains { outline.url(at: path.with(last: $0), of: response) != nil }
            hasPrevious = hasPrevious || hasLink
        case .more(let key, let parameter):
            if outline[key.keys]?.kind == .true { nextPage = .after(parameter: parameter) }
            hasPrevious = hasPrevious || response.url.hasParameter(parameter)
        case .cursor(let key, let parameter):
            if let value = outline[key.keys], value.kind != .null, let text = value.text, !text.isEmpty {
                nextPage = .same(parameter: parameter, value: text)
            }
            hasPrevious = hasPrevious || response.url.hasParameter(parameter)
        }
    }
}

extension APIConventions.Paging {
    /// What of a body has to be known.
    var keyPaths: [[String]] {
        switch self {
        case .linkHeader, .pageHeader: []
        case .nextLink(let key):
            // A link may be an object with an `href` (JSON:API 1.1, "Links").
            ["next", "prev", "previous"].reduce(into: [key.keys, key.keys + ["href"]]) { paths, name in
                let path = key.keys.with(last: name)
                paths += [path, path + ["href"]]
            }
        case .more(let key, _), .cursor(let key, _): [key.keys]
        }
    }
}

extension String {
    fileprivate var keys: [String] { split(separator: ".").map(String.init) }
}

extension [String] {
    /// The key path of a key beside the last one.
    fileprivate func with(last key: String) -> [String] { dropLast() + [key] }
}

extension ReplyOutline {
    /// The absolute URL at a key path, or in the `href` of an object there.
    fileprivate func url(at path: [String], of response: APIResponse) -> String? {
        guard let text = self[path]?.kind == .object ? self[path + ["href"]]?.text : self[path]?.text,
            self[path]?.kind == .object || self[path]?.kind == .string,
            let url = URL(string: text, relativeTo: response.url)?.absoluteURL, Origin(url) != nil
        else { return nil }
        return url.absoluteString
    }
}

extension URL {
    fileprivate func hasParameter(_ name: String) -> Bool {
        URLComponents(url: self, resolvingAgainstBaseURL: true)?.queryItems?.contains { $0.name == name } ?? false
    }
}
