import Conventions

/// Where a page of a list says what the next one is, and how that is asked for.
///
/// A `Link` field with `rel="next"` (RFC 8288) counts with each of them, when the rest says nothing. What leads to the
/// next page is followed as it is; credentials go to the API's own host alone.
public enum ListPaging: Sendable, Hashable {
    /// The reply's `Link` field.
    case linkHeader
    /// A URL in the body: `next` of Django REST Framework, `links.next` of JSON:API, `["@odata.nextLink"]`. Where an
    /// object is there it is the object's `href`; of an array of links, the one whose `relation` or `rel` is `next`, as
    /// in the `link` of FHIR.
    case nextLink(at: JSONKeyPath = "next")
    /// A flag in the body that says whether there is more, and a parameter that takes the identity of the last element:
    /// `has_more` and `starting_after` of Stripe.
    case more(at: JSONKeyPath = "has_more", after: String = "starting_after")
    /// A cursor in the body, and a parameter that takes it.
    case cursor(at: JSONKeyPath, parameter: String = "cursor")
    /// A field of the reply's head with the next page's number, and a parameter that takes it: `X-Next-Page` of GitLab.
    case pageHeader(String = "X-Next-Page", parameter: String = "page")
    /// A parameter with the page's number, one more for each. The pages end where the reply says so, by a total or a
    /// flag, and else with one that is empty.
    case pageNumber(parameter: String = "page", from: Int = 1)
    /// A parameter with the number of elements before the page, and the same end.
    case offset(parameter: String = "offset")
}

/// Where something is in JSON: keys, each within the one before.
///
/// ```swift
/// conventions.paging = .nextLink(at: "links.next")             // keys with dots between
/// conventions.paging = .nextLink(at: ["@odata.nextLink"])      // keys as they are
/// let items = try await Item.fetchAll("/search", at: "data.items", in: context)
/// ```
///
/// In a text `\.` is a dot within a key, as in `@Attribute("@odata\\.etag")`. A key that is the whole text counts as
/// well, where the text has no backslash, so `"@odata.nextLink"` finds it too. A `String` variable becomes one by
/// `JSONKeyPath(text)`.
public struct JSONKeyPath: Sendable, Hashable {
    /// The keys.
    public let keys: [String]
    /// The text that they were, which may be one key with dots in it.
    private let text: String?

    /// These keys; a dot within one is part of it.
    public init(_ keys: [String]) {
        self.keys = keys
        text = nil
    }

    /// Keys with dots between them, or one key.
    public init(_ text: String) {
        keys = (text.keyPathKeys ?? [text]).filter { !$0.isEmpty }
        self.text = text
    }

    /// The paths that it may be, the likeliest first.
    package var alternatives: [[String]] { [keys] + (wholeKey.map { [[$0]] } ?? []) }

    /// The one key that it may be as well.
    package var wholeKey: String? { keys.count > 1 && text?.contains("\\") == false ? text : nil }
}

extension JSONKeyPath: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// Keys with dots between them, or one key.
    public init(stringLiteral value: String) { self.init(value) }
    /// These keys; a dot within one is part of it.
    public init(arrayLiteral elements: String...) { self.init(elements) }
    /// The keys with dots between them.
    public var description: String { text ?? keys.joined(separator: ".") }
}
