import Conventions
import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport

/// One request to the API and what its reply means: the way from a route to bytes.
struct Exchange: Sendable {
    let bridge: Bridge
    let method: HTTPRequest.Method
    let url: String
    var body: [UInt8]?
    /// Whose names the field errors of a reply are told in.
    var table: Table?

    /// Sends the request.
    ///
    /// - Returns: the reply, of a success or of 304.
    /// - Throws: ``APIError`` for a URL that is none, no reply, or one that is no success.
    func send() async throws(APIError) -> Response {
        var fields: HTTPFields = [.accept: "application/json"]
        if body != nil { fields[.contentType] = "application/json" }
        let request: Request
        let response: Response
        do {
            request = try Request(
                method, bridge.api.url(url), headerFields: fields, body: body, timeout: bridge.api.timeout)
            response = try await bridge.api.transport.send(request)
        } catch {
            throw .transport(error)
        }
        guard response.isSuccess || response.status == .notModified else {
            throw .reply(ReplyError(response, table))
        }
        return response
    }
}

extension Response {
    /// Whether there is something to import.
    var hasBody: Bool { status != .noContent && status != .notModified && !body.isEmpty }
}

extension APIError {
    /// What the store says of a reply's body.
    init(_ error: StoreError, _ response: Response) {
        if case .json(let json) = error {
            self = .body(json, RequestSummary(response.request))
        } else {
            self = .store(error)
        }
    }
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
