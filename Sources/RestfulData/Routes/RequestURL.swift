import Conventions
import Foundation
import ObjectStore
import RESTTransport

/// A path below the API's base URL, or an absolute URL; escaped.
struct RequestURL: Sendable, Hashable {
    let text: String

    /// Drops a fragment, which is never sent (RFC 9110 §7.1), and would swallow added parameters.
    init(_ text: some StringProtocol) {
        let end = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        self.text = String(text[..<end])
    }

    /// - Throws: ``APIError/route(_:)`` if the template is malformed, or the values don't fit it.
    init(
        _ template: URLTemplate, _ values: [String: any RouteValueConvertible], query: RouteQuery = [:],
        at client: APIClient
    ) throws(APIError) {
        let (text, own) = try template.named()
        self = try RequestURL(text, values.merging(own) { given, _ in given }, query: query, at: client)
    }

    /// In the URL style of the API's conventions.
    ///
    /// - Throws: ``APIError/route(_:)``, for the same reasons.
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

    /// Escapes all characters except the unreserved ones of RFC 3986. Leaves out parameters without a value.
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

    /// For the query of a call that was sent before, so its values have texts.
    func addingMissing(_ query: RouteQuery, at client: APIClient) -> RequestURL {
        addingMissing((try? query.texts(as: client.api.conventions.values)) ?? [])
    }

    func has(_ names: Set<String>) -> Bool { !names.isEmpty && parameters.contains { names.contains($0.name) } }

    /// The unescaped name and the text of each pair of the query.
    private var parameters: [(name: String, text: Substring)] {
        guard let mark = text.firstIndex(of: "?") else { return [] }
        return text[text.index(after: mark)...].split(separator: "&").map { pair in
            let name = pair.split(separator: "=", maxSplits: 1).first.map(String.init) ?? ""
            return (name.removingPercentEncoding ?? name, pair)
        }
    }

    /// The query without the page size, which identifies a listing. A digest behind `#` replaces secrets.
    var scope: String { Self.scope(query { PageSigns.key($0) != .limit }) }

    /// The path and ``scope``.
    var scopeWithPath: String {
        Self.scope(String(text.prefix { $0 != "?" }) + query { PageSigns.key($0) != .limit })
    }

    private static func scope(_ text: String) -> String {
        let shown = RedactedURL.text(ofRequest: text)
        return shown == text ? text : "\(shown)#\(AnswerDigest(text).text)"
    }

    /// The URL without page number, offset and page size.
    ///
    /// - Parameter size: the API's parameter for the page size, besides the usual ones.
    func ofAllPages(sizedBy size: String) -> RequestURL {
        let query = query { $0 != size && ![.limit, .page, .offset].contains(PageSigns.key($0)) }
        return RequestURL(text.prefix { $0 != "?" } + query)
    }

    /// - Parameter size: the API's parameter for the page size, besides the usual ones.
    func ofAnyLength(sizedBy size: String) -> RequestURL {
        let query = query { $0 != size && PageSigns.key($0) != .limit }
        return RequestURL(text.prefix { $0 != "?" } + query)
    }

    /// Sorted by name. Parameters with the same name keep their order, which may have a meaning.
    private func query(where isWanted: (String) -> Bool) -> String {
        let wanted = parameters.filter { isWanted($0.name) }.enumerated()
        let sorted = wanted.sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
        return sorted.isEmpty ? "" : "?" + sorted.map(\.element.text).joined(separator: "&")
    }

    func replacing(_ parameter: String, by value: String) -> RequestURL {
        guard let mark = text.firstIndex(of: "?") else { return adding([(parameter, value)]) }
        let kept = parameters.filter { $0.name != parameter }.map(\.text)
        let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return RequestURL(text[..<mark] + query).adding([(parameter, value)])
    }

    /// The member's key follows the list's URL as one segment. A slash at the end stays at the end.
    ///
    /// - Parameter isPath: whether slashes in the key stay; otherwise they are escaped, as they would lead elsewhere.
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
    /// Each name must have a value, and each value a name.
    fileprivate func checkNames(of values: [String: RouteValue]) throws(APIError) {
        let given = values.keys.sorted()
        // They decide where a name ends before a suffix, as in `:id.json`.
        let names = (try? checked(against: given))?.placeholders.map(\.name)
        let known = Set(names ?? placeholders.map { values[$0.name] == nil ? $0.plainName(among: values) : $0.name })
        let missing = known.subtracting(given).sorted()
        let surplus = given.filter { !known.contains($0) }
        guard missing.isEmpty, surplus.isEmpty else {
            throw .route(.values(template: description, missing: missing, surplus: surplus))
        }
    }

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
