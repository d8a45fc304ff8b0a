import Conventions

/// Where a service says what has changed of a model's objects since it was last asked.
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

    /// What is asked first, or, with a value, each time.
    package let template: String
    package let kind: Kind

    private init(_ template: String, _ kind: Kind) { (self.template, self.kind) = (template, kind) }

    /// A template with a query parameter that takes the newest value of an attribute, in JSON's naming, that came the
    /// last time: `"/issues?since=:updated_at"`. The first time the parameter is left out.
    ///
    /// What has just that value should be among what comes, as it is at most services: others may have got it at the
    /// same time.
    public static func since(_ template: String) -> ChangeFeed { ChangeFeed(template, .since) }

    /// A URL to ask first; the last page has the one to ask the next time: `@odata.deltaLink`.
    public static func link(_ template: String, at keyPath: JSONKeyPath = ["@odata.deltaLink"]) -> ChangeFeed {
        ChangeFeed(template, .link(keyPath))
    }

    /// The same with a token for a query parameter: `nextSyncToken` and `syncToken` of Google.
    public static func token(_ template: String, at keyPath: JSONKeyPath, parameter: String) -> ChangeFeed {
        ChangeFeed(template, .token(keyPath, parameter: parameter))
    }

    /// The same as ``since(_:)``.
    public init(stringLiteral template: String) { self = .since(template) }
}
