import Conventions

/// Where a page of a list has the next page's URL or parameter.
///
/// A `Link` field with `rel="next"` (RFC 8288) counts in each case if the page has no other sign of a next page. URLs
/// of next pages are followed as they are, with credentials for the API's own host only.
public enum ListPaging: Sendable, Hashable {
    /// The reply's `Link` field.
    case linkHeader
    /// A URL in the body: `next` of Django REST Framework, `links.next` of JSON:API, `["@odata.nextLink"]`. In an
    /// object, `href` is the URL. In an array of links, the one with the `relation` or `rel` `next` has it, as in FHIR.
    case nextLink(at: JSONKeyPath = "next")
    /// A flag in the body for further pages, and a parameter for the identity of the last element, as of Stripe.
    case more(at: JSONKeyPath = "has_more", after: String = "starting_after")
    /// A cursor in the body, and a parameter for it.
    case cursor(at: JSONKeyPath, parameter: String = "cursor")
    /// A header field with the next page's number, and a parameter for it, as of GitLab.
    case pageHeader(String = "X-Next-Page", parameter: String = "page")
    /// A parameter with the page's number, which counts up from `from`. A total or a flag in the reply ends the list,
    /// otherwise an empty page.
    case pageNumber(parameter: String = "page", from: Int = 1)
    /// A parameter with the number of elements before the page. The list ends as with ``pageNumber(parameter:from:)``.
    case offset(parameter: String = "offset")
}

/// A path in JSON: keys, each within the value of the previous one.
///
/// ```swift
/// conventions.paging = .nextLink(at: "links.next")             // keys with dots between
/// conventions.paging = .nextLink(at: ["@odata.nextLink"])      // keys as they are
/// ```
///
/// In a text, `\.` is a dot within a key, as in `@Attribute("@odata\\.etag")`. A text without backslashes also matches
/// one key that is the whole text, such as `"@odata.nextLink"`.
public struct JSONKeyPath: Sendable, Hashable {
    /// The keys.
    public let keys: [String]
    /// The text that the path was made from. It may be a single key with dots.
    private let text: String?

    /// Creates a path of these keys. Dots are part of a key.
    public init(_ keys: [String]) {
        self.keys = keys
        text = nil
    }

    /// Creates a path from keys with dots between them, or from one key.
    public init(_ text: String) {
        keys = (text.keyPathKeys ?? [text]).filter { !$0.isEmpty }
        self.text = text
    }

    /// The possible paths, the most likely one first.
    package var alternatives: [[String]] { [keys] + (wholeKey.map { [[$0]] } ?? []) }

    /// A single key that may stand for the whole path.
    package var wholeKey: String? { keys.count > 1 && text?.contains("\\") == false ? text : nil }
}

extension JSONKeyPath: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// Creates a path from keys with dots between them, or from one key.
    public init(stringLiteral value: String) { self.init(value) }
    /// Creates a path of these keys. Dots are part of a key.
    public init(arrayLiteral elements: String...) { self.init(elements) }
    /// The keys with dots between them.
    public var description: String { text ?? keys.joined(separator: ".") }
}
