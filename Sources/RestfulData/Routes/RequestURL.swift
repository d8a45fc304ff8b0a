import Conventions
import Foundation
import ObjectStore
import RESTTransport

/// Where a request goes: a path below the API's base URL, or an absolute URL. Everything in it is escaped already.
struct RequestURL: Sendable, Hashable {
    let text: String

    init(_ text: some StringProtocol) { self.text = String(text) }

    /// The URL of a template that a caller wrote, with the values that stand in it.
    ///
    /// - Throws: ``APIError/route(_:)`` when the template is wrong, or the values don't fit it.
    init(
        _ template: URLTemplate, _ values: [String: any RouteValueConvertible], query: RouteQuery = [:],
        at client: APIClient
    ) throws(APIError) {
        let (text, own) = try template.named()
        self = try RequestURL(text, values.merging(own) { given, _ in given }, query: query, at: client)
    }

    /// The URL of a template's text, spelt as the API's conventions spell URLs.
    ///
    /// - Throws: ``APIError/route(_:)`` when the template is wrong, or the values don't fit it.
    init(
        _ template: String, _ values: [String: any RouteValueConvertible], query: RouteQuery = [:],
        at client: APIClient
    ) throws(APIError) {
        let template = try client.routes.template(of: template)
        self = try RequestURL(template, values, at: client).adding(query, at: client)
    }

    /// The same for a template that is parsed already.
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

    /// With a query added, everything but the unreserved characters of RFC 3986 escaped. A missing value is left out.
    ///
    /// - Throws: ``APIError/route(_:)`` for a value that has no text.
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

    /// With those parameters of a query added whose names it doesn't have.
    func addingMissing(_ query: [(name: String, text: String)]) -> RequestURL {
        let known = Set(parameters.map(\.name))
        return adding(query.filter { !known.contains($0.name) })
    }

    /// Whether its query has one of these parameters.
    func has(_ names: Set<String>) -> Bool { !names.isEmpty && parameters.contains { names.contains($0.name) } }

    /// What stands behind the question mark: the name of each parameter, unescaped, with its text.
    private var parameters: [(name: String, text: Substring)] {
        guard let mark = text.firstIndex(of: "?") else { return [] }
        return text[text.index(after: mark)...].split(separator: "&").map { pair in
            let name = pair.split(separator: "=", maxSplits: 1).first.map(String.init) ?? ""
            return (name.removingPercentEncoding ?? name, pair)
        }
    }

    /// What of its query tells one listing of a list from another: all but how long a page may be. Of what may be
    /// secret it has a digest behind a `#`, as that tells them apart too.
    var scope: String { Self.scope(query { PageSigns.key($0) != .limit }) }

    /// The same with the path.
    var scopeWithPath: String {
        Self.scope(String(text.prefix { $0 != "?" }) + query { PageSigns.key($0) != .limit })
    }

    private static func scope(_ text: String) -> String {
        let shown = RedactedURL.text(ofRequest: text)
        return shown == text ? text : "\(shown)#\(AnswerDigest(text).text)"
    }

    /// The same URL for all pages of a list: without what says which page it is, and how long.
    ///
    /// - Parameter size: the parameter that says how long, beside those that say so everywhere.
    func ofAllPages(sizedBy size: String) -> RequestURL {
        let query = query { $0 != size && ![.limit, .page, .offset].contains(PageSigns.key($0)) }
        return RequestURL(text.prefix { $0 != "?" } + query)
    }

    /// The same page of a list, whatever is said of how long a page may be.
    ///
    /// - Parameter size: the parameter that says so, beside those that do everywhere.
    func ofAnyLength(sizedBy size: String) -> RequestURL {
        let query = query { $0 != size && PageSigns.key($0) != .limit }
        return RequestURL(text.prefix { $0 != "?" } + query)
    }

    /// The parameters whose names are so, by their names, as in which order they stand means nothing; of one name in
    /// their order, as that may.
    private func query(where isWanted: (String) -> Bool) -> String {
        let wanted = parameters.filter { isWanted($0.name) }.enumerated()
        let sorted = wanted.sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
        return sorted.isEmpty ? "" : "?" + sorted.map(\.element.text).joined(separator: "&")
    }

    /// With a query parameter set to a value, in place of the one that it has.
    func replacing(_ parameter: String, by value: String) -> RequestURL {
        guard let mark = text.firstIndex(of: "?") else { return adding([(parameter, value)]) }
        let kept = parameters.filter { $0.name != parameter }.map(\.text)
        let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return RequestURL(text[..<mark] + query).adding([(parameter, value)])
    }

    /// The URL of a list's member: with the member's key behind it, as one segment of the path, as a slash within the
    /// key would lead to another resource. When the list's URL ends in a slash, so does the member's.
    ///
    /// - Parameter isPath: whether the key is several segments.
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

    /// Of RFC 3986 §2.3.
    private static let unreserved = CharacterSet(
        charactersIn: "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

extension RouteTemplate {
    /// Whether each name has a value, and each value a name: what is written on one side alone is a mistake.
    fileprivate func checkNames(of values: [String: RouteValue]) throws(APIError) {
        let given = values.keys.sorted()
        // A name with a suffix, as in `:id.json`, is known by what is given.
        let names = (try? checked(against: given))?.placeholders.map(\.name)
        let known = Set(names ?? placeholders.map { values[$0.name] == nil ? $0.plainName(among: values) : $0.name })
        let missing = known.subtracting(given).sorted()
        let surplus = given.filter { !known.contains($0) }
        guard missing.isEmpty, surplus.isEmpty else {
            throw .route(.values(template: description, missing: missing, surplus: surplus))
        }
    }

    /// A template that a caller wrote.
    init(route text: String) throws(APIError) {
        do { try self.init(text) } catch { throw .route(.template(error)) }
    }
}

extension RouteTemplate.Placeholder {
    /// `id` of `:id.json`, where that has a value and `id.json` has none.
    fileprivate func plainName(among values: [String: RouteValue]) -> String {
        let shorter = keyPath.dropLast().joined(separator: ".")
        return values[shorter] == nil ? name : shorter
    }
}
