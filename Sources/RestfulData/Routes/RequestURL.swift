import Conventions
import Foundation
import ObjectStore
import RESTTransport

/// The URL of a request: a path below the API's base URL, or an absolute URL. It is escaped.
struct RequestURL: Sendable, Hashable {
    let text: String

    init(_ text: some StringProtocol) { self.text = String(text) }

    /// Makes the URL of a caller's template and its values.
    ///
    /// - Throws: ``APIError/route(_:)`` if the template is malformed, or the values don't fit it.
    init(
        _ template: URLTemplate, _ values: [String: any RouteValueConvertible], query: RouteQuery = [:],
        at client: APIClient
    ) throws(APIError) {
        let (text, own) = try template.named()
        self = try RequestURL(text, values.merging(own) { given, _ in given }, query: query, at: client)
    }

    /// Makes the URL of a template's text, in the URL style of the API's conventions.
    ///
    /// - Throws: ``APIError/route(_:)`` if the template is malformed, or the values don't fit it.
    init(
        _ template: String, _ values: [String: any RouteValueConvertible], query: RouteQuery = [:],
        at client: APIClient
    ) throws(APIError) {
        let template = try client.routes.template(of: template)
        self = try RequestURL(template, values, at: client).adding(query, at: client)
    }

    init(
        _ template: RouteTemplate, _ values: [String: any RouteValueConvertible], at client: APIClient
    ) throws(APIError) {
        let values = values.routeValues(as: client.api.conventions.values)
        try template.checkNames(of: values)
        do {
            let urls = client.api.conventions.urls
            text = try template.checked(against: values.keys.sorted()).styled(by: urls).expand(values)
        } catch {
            throw .route(.template(error))
        }
    }

    /// Adds a query. All characters except the unreserved ones of RFC 3986 are escaped. Parameters without a value are
    /// left out.
    ///
    /// - Throws: ``APIError/route(_:)`` for a value without text.
    func adding(_ query: RouteQuery, at client: APIClient) throws(APIError) -> RequestURL {
        do { return adding(try query.texts(as: client.api.conventions.values)) } catch { throw .route(error) }
    }

    private func adding(_ query: [(name: String, text: String)]) -> RequestURL {
        let pairs = query.map { parameter in
            [parameter.name, parameter.text]
                .compactMap { $0.addingPercentEncoding(withAllowedCharacters: Self.unreserved) }
                .joined(separator: "=")
        }
        guard !pairs.isEmpty else { return self }
        return RequestURL(text + (text.contains("?") ? "&" : "?") + pairs.joined(separator: "&"))
    }

    func addingMissing(_ query: [(name: String, text: String)]) -> RequestURL {
        let known = Set(parameters.map(\.name))
        return adding(query.filter { !known.contains($0.name) })
    }

    /// Adds the parameters of a call whose query was sent before, so its values have texts.
    func addingMissing(_ query: RouteQuery, at client: APIClient) -> RequestURL {
        addingMissing((try? query.texts(as: client.api.conventions.values)) ?? [])
    }

    func has(_ names: Set<String>) -> Bool { !names.isEmpty && parameters.contains { names.contains($0.name) } }

    /// The parameters of the query: the unescaped name and the text of each pair.
    private var parameters: [(name: String, text: Substring)] {
        guard let mark = text.firstIndex(of: "?") else { return [] }
        return text[text.index(after: mark)...].split(separator: "&").map { pair in
            let name = pair.split(separator: "=", maxSplits: 1).first.map(String.init) ?? ""
            return (name.removingPercentEncoding ?? name, pair)
        }
    }

    /// The part of the query that identifies a listing: all parameters except the page size. If parameters may be
    /// secret, a digest behind `#` replaces them.
    var scope: String { Self.scope(query { PageSigns.key($0) != .limit }) }

    /// The path and ``scope``.
    var scopeWithPath: String {
        Self.scope(String(text.prefix { $0 != "?" }) + query { PageSigns.key($0) != .limit })
    }

    private static func scope(_ text: String) -> String {
        let shown = RedactedURL.text(ofRequest: text)
        return shown == text ? text : "\(shown)#\(AnswerDigest(text).text)"
    }

    /// The URL shared by all pages of a list: without page number, offset and page size.
    ///
    /// - Parameter size: the API's parameter for the page size, in addition to the usual ones.
    func ofAllPages(sizedBy size: String) -> RequestURL {
        let query = query { $0 != size && ![.limit, .page, .offset].contains(PageSigns.key($0)) }
        return RequestURL(text.prefix { $0 != "?" } + query)
    }

    /// The URL without its page size.
    ///
    /// - Parameter size: the API's parameter for the page size, in addition to the usual ones.
    func ofAnyLength(sizedBy size: String) -> RequestURL {
        let query = query { $0 != size && PageSigns.key($0) != .limit }
        return RequestURL(text.prefix { $0 != "?" } + query)
    }

    /// The wanted parameters sorted by name, since their order is meaningless. Parameters with the same name keep their
    /// order, which may have one.
    private func query(where isWanted: (String) -> Bool) -> String {
        let wanted = parameters.filter { isWanted($0.name) }.enumerated()
        let sorted = wanted.sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
        return sorted.isEmpty ? "" : "?" + sorted.map(\.element.text).joined(separator: "&")
    }

    /// Sets a query parameter, in place of its former values.
    func replacing(_ parameter: String, by value: String) -> RequestURL {
        guard let mark = text.firstIndex(of: "?") else { return adding([(parameter, value)]) }
        let kept = parameters.filter { $0.name != parameter }.map(\.text)
        let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return RequestURL(text[..<mark] + query).adding([(parameter, value)])
    }

    /// The URL of a list's member: the member's key follows as one path segment. Slashes in the key are escaped, since
    /// they would lead to another resource. If the list's URL ends in a slash, the result does, too.
    ///
    /// - Parameter isPath: whether the key may have several segments.
    /// - Throws: ``APIError/route(_:)`` for a key that is empty, `.` or `..`.
    func member(_ key: RouteValue, isPath: Bool) throws(APIError) -> RequestURL {
        let path: String
        do { path = try RouteTemplate("/:key").expand(["key": key]) } catch { throw .route(.template(error)) }
        let pieces = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let segment = pieces.joined(separator: isPath ? "/" : "%2F")
        let end = text.firstIndex(of: "?") ?? text.endIndex
        let endsInSlash = text[..<end].hasSuffix("/")
        return RequestURL(text[..<end] + (endsInSlash ? segment + "/" : "/" + segment) + text[end...])
    }

    /// RFC 3986 §2.3.
    private static let unreserved = CharacterSet(
        charactersIn: "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

extension RouteTemplate {
    /// Throws unless each name has a value and each value has a name, because a surplus on either side is a mistake.
    fileprivate func checkNames(of values: [String: RouteValue]) throws(APIError) {
        let given = values.keys.sorted()
        // The given names decide where a name ends before a suffix, as in `:id.json`.
        let names = (try? checked(against: given))?.placeholders.map(\.name)
        let known = Set(names ?? placeholders.map { values[$0.name] == nil ? $0.plainName(among: values) : $0.name })
        let missing = known.subtracting(given).sorted()
        let surplus = given.filter { !known.contains($0) }
        guard missing.isEmpty, surplus.isEmpty else {
            throw .route(.values(template: description, missing: missing, surplus: surplus))
        }
    }

    /// Parses a caller's template.
    init(route text: String) throws(APIError) {
        do { try self.init(text) } catch { throw .route(.template(error)) }
    }
}

extension RouteTemplate.Placeholder {
    /// The name `id` of `:id.json`, if there is only a value for `id`.
    fileprivate func plainName(among values: [String: RouteValue]) -> String {
        let shorter = keyPath.dropLast().joined(separator: ".")
        return values[shorter] == nil ? name : shorter
    }
}
