#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request as it came in.
struct Incoming: Sendable {
    let method: String
    /// The path, still percent-encoded.
    let path: String
    /// The query, still percent-encoded.
    let query: String
    /// By name in lower case.
    let headers: [String: String]
    let body: Data

    var target: String { query.isEmpty ? path : "\(path)?\(query)" }
    var isWrite: Bool { method != "GET" && method != "HEAD" }
}
