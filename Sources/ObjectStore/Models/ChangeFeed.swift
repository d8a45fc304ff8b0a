import Conventions

/// The URL that lists the changes of a model's objects since the last request.
///
/// ```swift
/// @Model("/issues", changes: "/issues?since=:updated_at")
/// @Model("/events", changes: .token("/events", at: "nextSyncToken", parameter: "syncToken"))
/// @Model("/messages", changes: .link("/messages/delta"))
/// ```
public struct ChangeFeed: Sendable, Hashable, ExpressibleByStringLiteral {
    package enum Kind: Sendable, Hashable {
        case since
        case link(JSONKeyPath)
        case token(JSONKeyPath, parameter: String)
    }

    /// The URL template of each request; for ``link(_:at:)``, of the first one only.
    package let template: String
    package let kind: Kind

    private init(_ template: String, _ kind: Kind) { (self.template, self.kind) = (template, kind) }

    /// A URL template with a query parameter for an attribute, in JSON naming: `:updated_at`. The first request omits
    /// it; later ones have the greatest value received.
    ///
    /// Replies should include objects with exactly this value, since an earlier reply may have had only some of them.
    public static func since(_ template: String) -> ChangeFeed { ChangeFeed(template, .since) }

    /// A URL for the first request. A reply's last page has the next request's URL at `keyPath`.
    public static func link(_ template: String, at keyPath: JSONKeyPath = ["@odata.deltaLink"]) -> ChangeFeed {
        ChangeFeed(template, .link(keyPath))
    }

    /// A URL, and a token for a query parameter. A reply's last page has the next request's token at `keyPath`:
    /// `nextSyncToken` and `syncToken` of Google.
    public static func token(_ template: String, at keyPath: JSONKeyPath, parameter: String) -> ChangeFeed {
        ChangeFeed(template, .token(keyPath, parameter: parameter))
    }

    /// Creates the feed ``since(_:)``.
    public init(stringLiteral template: String) { self = .since(template) }
}
