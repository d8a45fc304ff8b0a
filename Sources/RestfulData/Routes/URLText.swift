import Conventions
import Foundation
import ObjectStore

/// Adds a query to a URL, everything but the unreserved characters of RFC 3986 escaped.
func url(_ url: String, query: KeyValuePairs<String, RouteValue>) -> String {
    let unreserved = CharacterSet(charactersIn: "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    let pairs = query.compactMap { name, value -> String? in
        guard let text = value.text else { return nil }
        let escaped = [name, text].compactMap { $0.addingPercentEncoding(withAllowedCharacters: unreserved) }
        return escaped.joined(separator: "=")
    }
    guard !pairs.isEmpty else { return url }
    return url + (url.contains("?") ? "&" : "?") + pairs.joined(separator: "&")
}

/// Adds a key to a list's URL, as one segment of its path: a slash within the key would lead to another resource. Where the
/// list's URL ends in a slash, so does the member's.
///
/// - Throws: ``RouteTemplateError`` for a key that is empty, `.` or `..`.
func url(_ url: String, member key: RouteValue) throws(RouteTemplateError) -> String {
    let path = try RouteTemplate("/:key").expand(["key": key])
    let segment = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).joined(separator: "%2F")
    let end = url.firstIndex(of: "?") ?? url.endIndex
    let endsInSlash = url[..<end].hasSuffix("/")
    return url[..<end] + (endsInSlash ? segment + "/" : "/" + segment) + url[end...]
}

extension RouteTemplate {
    /// The URL for an object.
    func url(for object: ObjectState, _ schema: Schema) throws(APIError) -> String {
        let resolver = KeyPathResolver(schema)
        do {
            return try expand { resolver.value($0.keyPath, of: object) }
        } catch let error as RouteTemplateError {
            throw .route(.template(error))
        } catch {
            throw .route(.invalidURL(text))
        }
    }
}

extension RouteValue {
    /// What stands for a key of a model in a URL: its text in JSON, as the server writes it.
    init<Value: AttributeValue>(key value: Value, of table: ModelSchema, in context: ObjectContext) {
        let shape = table.key.map { context.shapes[table.index, $0] } ?? .standard
        let text = try? OutboundJSON(WireText(value.stored, Value.kind, shape))
        self = text?.routeText.map { RouteValue($0) } ?? .missing
    }
}
