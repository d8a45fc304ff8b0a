import Conventions
import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request's method and URL with secrets replaced, for errors, logs and histories.
///
/// The URL's user name, password and fragment are removed. Parameters whose name or value looks secret (`access_token`,
/// `api_key`, `signature`, `ghp_…`), and keys of an ``APIKey``, read `REDACTED`.
public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
    /// The method, for example `GET`.
    public let method: String
    /// The URL, with secrets replaced.
    public let url: String

    /// Summarizes a request.
    public init(_ request: APIRequest) {
        self.init(method: request.method.rawValue, url: request.url.absoluteString)
    }

    /// Summarizes a method and a URL, which may be invalid.
    public init(method: String, url: String) {
        self.method = method
        self.url = RedactedURL.text(ofRequest: url)
    }

    /// For example `GET https://api.github.com/user/repos?page=2`.
    public var description: String { "\(method) \(url)" }
}
