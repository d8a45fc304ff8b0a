/// A request that the server received, and how it was answered.
public struct RecordedRequest: Sendable, CustomStringConvertible {
    /// The request's method.
    public let method: String
    /// The path, percent-encoded as it was sent.
    public let path: String
    /// The query, percent-encoded as it was sent; empty if absent.
    public let query: String
    /// By name in lower case, with their credentials.
    public let headers: [String: String]
    /// The body as text; empty if absent.
    public let body: String
    /// The status of the reply; nil before the reply, and if the connection was dropped.
    public internal(set) var status: Int?

    /// Path and query as they were sent.
    public var target: String { query.isEmpty ? path : "\(path)?\(query)" }

    /// `PATCH /repos/octocat/Hello-World/issues/1 {"state":"closed"} → 200`. Headers are left out.
    public var description: String {
        "\(method) \(target)\(body.isEmpty ? "" : " " + body) → \(status.map(String.init) ?? "dropped")"
    }

    init(_ request: Incoming) {
        (method, path, query, headers) = (request.method, request.path, request.query, request.headers)
        body = String(decoding: request.body, as: UTF8.self)
    }
}
