import Conventions
import Foundation
import ObjectStore
import RESTTransport

// Routes in objects of the server: `"_links": {"orders": {"href": "/customers/5/orders"}}` (HAL), and `"labels_url":
// "https://api.github.com/repos/octocat/Hello-World/labels{/name}"` (GitHub).

extension RouteTemplate {
    /// For a template like `/:ordersURL`.
    fileprivate var onlyPlaceholder: Placeholder? {
        guard placeholders.count == 1, case let only = placeholders[0], only.position == .path,
            text == "/:\(only.name)" || text == "/:{\(only.name)}"
        else { return nil }
        return only
    }
}

extension APIClient {
    /// The URL in an attribute, for a route that is just this attribute. A relative reference is resolved against the
    /// base URL (RFC 3986 §5.2). Expressions of a URI template (RFC 6570) become empty.
    ///
    /// - Returns: nil for other templates, and if the value is no URL.
    /// - Throws: ``RouteProblem/invalidURL(_:)`` for a malformed URI template, and for another server's URL, since only
    ///   the API's server may get its data.
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

/// RFC 6570.
enum URITemplate {
    /// Expands each expression with a known operator to the empty text (§3.2.1).
    ///
    /// - Returns: nil if an expression is unclosed or empty, or has a reserved operator (§2.2).
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
