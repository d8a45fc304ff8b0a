import Conventions
import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request's method and URL with the secrets replaced: what errors, logs and histories keep of it.
///
/// Left out of the URL are user name, password and fragment. In the query, the value of each parameter whose
/// name or value looks secret (`access_token`, `api_key`, `signature`, `ghp_…`), or that has the key of an ``APIKey``,
/// reads `REDACTED`.
public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
    /// The method, for example `GET`.
    public let method: String
    /// The URL without secrets.
    public let url: String

    /// Summarizes a request.
    public init(_ request: APIRequest) {
        self.init(method: request.method.rawValue, url: request.url.absoluteString)
    }

    /// Summarizes a method and a URL, which need not be valid.
    public init(method: String, url: String) {
        self.method = method
        self.url = RedactedURL.text(ofRequest: url)
    }

    /// For example `GET https://api.github.com/user/repos?page=2`.
    public var description: String { "\(method) \(url)" }
}
