import Conventions
import Foundation
import ObjectStore
import RESTTransport

// Routes that the server says in its objects: `"_links": {"orders": {"href": "/customers/5/orders"}}` of HAL, and
// `"labels_url": "https://api.github.com/repos/octocat/Hello-World/labels{/name}"` of GitHub.

extension RouteTemplate {
    /// The placeholder of a template that has nothing else: `/:ordersURL`.
    fileprivate var onlyPlaceholder: Placeholder? {
        guard placeholders.count == 1, case let only = placeholders[0], only.position == .path,
            text == "/:\(only.name)" || text == "/:{\(only.name)}"
        else { return nil }
        return only
    }
}

extension APIClient {
    /// The URL that an object has for a route which is one attribute and nothing else. A relative reference is resolved
    /// against the base URL (RFC 3986 §5.2); expressions of a URI template (RFC 6570) have no values, so they vanish.
    ///
    /// - Returns: nil for any other template, and for a value that is no URL.
    /// - Throws: ``RouteProblem/invalidURL(_:)`` for a malformed URI template, and for a URL of another server.
    func linkedURL(_ template: RouteTemplate, of row: any OutboundRow) throws(APIError) -> RequestURL? {
        guard let placeholder = template.onlyPlaceholder,
            let text = KeyPathResolver(schema).value(placeholder.keyPath, of: row.known)?.text,
            text.hasPrefix("/") || text.hasPrefix("https://") || text.hasPrefix("http://")
        else { return nil }
        let reference = URITemplate.expandingToNothing(text)
        let url = URL(string: api.baseURL).flatMap { base in reference.flatMap { URL(string: $0, relativeTo: base) } }
        return try ownURL(url?.absoluteURL, from: text)
    }
}

/// Templates of RFC 6570, as servers write them in links.
enum URITemplate {
    /// A template in which no variable has a value: each expression of a known operator is empty (§3.2.1).
    ///
    /// - Returns: nil for an expression that doesn't end, is empty, or has an operator that is reserved (§2.2).
    static func expandingToNothing(_ template: String) -> String? {
        var (text, rest) = ("", template[...])
        while let start = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[start] == "{", let end = rest[start...].firstIndex(of: "}") else { return nil }
            var name = rest[rest.index(after: start)..<end]
            if let first = name.first, "+#./;?&".contains(first) { name = name.dropFirst() }
            guard let first = name.first, first.isLetter || first.isNumber || first == "_" || first == "%",
                !name.contains("{")
            else { return nil }
            text += rest[..<start]
            rest = rest[rest.index(after: end)...]
        }
        return text + rest
    }
}
