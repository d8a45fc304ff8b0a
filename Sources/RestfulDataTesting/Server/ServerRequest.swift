import Foundation
public import HTTPTypes
public import RestfulData

extension TestServer {
    /// A request, as a handler receives it.
    public struct Request: Sendable {
        /// The request as the client sent it.
        public let request: APIRequest
        /// The unescaped values of the route's names: `parameters["number"]` for `/issues/:number`.
        public internal(set) var parameters: [String: String] = [:]
        /// The percent-encoded path below the base URL, or else the whole path.
        public let path: String
        /// The unescaped query parameters; of a repeated one, the last value.
        public let query: [String: String]
        /// The bytes of the body, which may be empty.
        public let body: [UInt8]

        /// The method.
        public var method: HTTPRequest.Method { request.method }
        /// The header fields.
        public var headerFields: HTTPFields { request.headerFields }
        /// The body as JSON, or a form as an object of texts; nil for an empty body, and for other formats.
        public var json: JSONValue? {
            guard !body.isEmpty else { return nil }
            let type = headerFields[.contentType] ?? ""
            guard type.hasPrefix("application/x-www-form-urlencoded") else { return JSONValue(body) }
            return .object(ServerForm(String(decoding: body, as: UTF8.self)).members)
        }

        private let basePath: String
        /// Whether the path is below that of the base URL. Only a handler can answer another request.
        let isBelowBase: Bool

        init(_ request: APIRequest, body: [UInt8], below basePath: String) {
            (self.request, self.body, self.basePath) = (request, body, basePath)
            let components = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
            let whole = components?.percentEncodedPath ?? request.url.path(percentEncoded: true)
            isBelowBase = basePath.isEmpty || whole == basePath || whole.hasPrefix(basePath + "/")
            let path = isBelowBase ? String(whole.dropFirst(basePath.count)) : whole
            self.path = path.isEmpty ? "/" : path
            query = Dictionary((components?.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { $1 }
        }

        /// The base URL under which the client knows the server.
        var baseURL: String {
            let whole = request.url.absoluteString
            let origin = whole.firstRange(of: "://").map { range in
                whole[..<(whole[range.upperBound...].firstIndex { "/?#".contains($0) } ?? whole.endIndex)]
            }
            return (origin.map(String.init) ?? "") + basePath
        }

        var line: String { "\(method.rawValue) \(path)" }

        /// The page size in `Prefer` (RFC 7240).
        func preferredSize(_ name: String?) -> String? {
            guard let name, let field = HTTPField.Name("Prefer"), let value = headerFields[field] else { return nil }
            let parts = value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            return parts.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
        }
    }
}
