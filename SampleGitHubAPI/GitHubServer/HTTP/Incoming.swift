#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct Incoming: Sendable {
    let method: String
    /// Percent-encoded.
    let path: String
    /// Percent-encoded.
    let query: String
    /// By name in lower case.
    let headers: [String: String]
    let body: Data

    var target: String { query.isEmpty ? path : "\(path)?\(query)" }
    var isWrite: Bool { method != "GET" && method != "HEAD" }
}
