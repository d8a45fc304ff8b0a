import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The links of a reply's `Link` header fields by relation
/// ([RFC 8288](https://www.rfc-editor.org/rfc/rfc8288)); how most APIs page.
///
/// Targets are absolute `http` or `https` URLs, resolved against the URL that answered, and otherwise exactly as the
/// server wrote them: follow them as they stand. A link that is about something else (`anchor`), or that can't be
/// read, is left out; the others stay.
public struct Links: Sendable, Hashable {
    private var targets: [String: URL] = [:]

    /// The page that follows, if there is one.
    public var next: URL? { self["next"] }
    /// The page before, if there is one; `rel="previous"` counts as well.
    public var prev: URL? { self["prev"] ?? self["previous"] }
    /// The first page.
    public var first: URL? { self["first"] }
    /// The last page.
    public var last: URL? { self["last"] }

    /// The first target of a relation, in any case; nil when there is none.
    public subscript(relation: String) -> URL? { targets[relation.lowercased()] }

    /// Reads the value of a `Link` field, or of several joined by commas.
    ///
    /// - Parameters:
    ///   - field: For example `<https://api.github.com/user/repos?page=2>; rel="next"`.
    ///   - base: The URL that relative targets are resolved against.
    public init(_ field: String, relativeTo base: URL) {
        var reader = LinkFieldReader(field)
        while let link = reader.next() {
            guard link.parameters["anchor"] == nil, let relations = link.parameters["rel"],
                let target = URL(string: link.target, relativeTo: base)?.absoluteURL, Origin(target) != nil
            else { continue }
            for relation in relations.split(separator: " ") {
                let relation = relation.lowercased()
                if targets[relation] == nil { targets[relation] = target }
            }
        }
    }
}

extension APIResponse {
    /// The links of this reply by relation; empty when there are none.
    public var links: Links { Links(headerFields[.link] ?? "", relativeTo: url) }
}

extension HTTPField.Name {
    // A valid token, so the fallback is never taken.
    fileprivate static let link = Self("Link") ?? .location
}
