import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Sends an API key with every request to the API's own origin, in a header field or in the query.
///
/// ```swift
/// APIKey("…", in: .header("X-API-Key"))
/// APIKey("…", in: .query("api_key"))
/// ```
///
/// A request's own field or parameter stays. A redirect to another origin drops the key.
///
/// A key in the query is removed from the URLs of replies, and shown as `REDACTED`. Servers and proxies may log it.
public struct APIKey: AuthenticationProvider {
    /// Where a key is sent.
    public enum Place: Sendable, Hashable {
        /// In the header field with this name, for example `X-API-Key`.
        case header(String)
        /// In the query parameter with this name, for example `api_key`.
        case query(String)
    }

    /// A name for the account; nil if the key identifies it.
    public let account: String?
    private let key: String
    private let place: Place

    /// Sends this key.
    ///
    /// - Parameters:
    ///   - key: The key; white space around it is removed.
    ///   - account: A name for the account, so that its limits survive a new key.
    public init(_ key: String, in place: Place, account: String? = nil) {
        self.key = key.trimmingBlanks
        self.place = place
        self.account = account
        if case .query = place { SecretValues.insert(self.key) }
    }

    /// Whether the request lacks the header field; always true for a key in the query.
    public func accepts(_ request: APIRequest) -> Bool {
        guard case .header(let name) = place, let name = HTTPField.Name(name) else { return true }
        return !request.headerFields.contains(name)
    }

    /// Adds the key.
    ///
    /// - Throws: ``TransportError/Reason/credentialUnavailable(_:)`` if the key is empty, or the key or field name is
    ///   invalid.
    public func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest {
        guard !key.isEmpty else { throw TransportError(.credentialUnavailable("the API key is empty"), request) }
        var request = request
        switch place {
        case .header(let name):
            guard let field = HTTPField.Name(name) else {
                throw TransportError(.credentialUnavailable("\"\(name)\" is no name of a header field"), request)
            }
            guard key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw TransportError(.credentialUnavailable("the API key has characters that no field has"), request)
            }
            request.headerFields[field] = key
            request.credentialFields.insert(field)
        case .query(let name):
            request.chainState.queryKeys.append(key)
            if !request.url.hasParameter(name) { request.url = request.url.adding(key, as: name) }
        }
        return request
    }
}

extension APIKey {
    /// Sends the request with the key. Removes it from the reply's URL.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        var reply = try await authenticate(request, next: next)
        guard case .query = place else { return reply }
        reply.url = reply.request.url == reply.url ? request.url : reply.url.removingParameters(valued: key)
        reply.request.url = request.url
        return reply
    }
}

extension APIRequest {
    /// The URL before ``APIKey``s added their keys to the query.
    package var urlWithoutKey: URL { chainState.queryKeys.reduce(url) { $0.removingParameters(valued: $1) } }
}

extension APIKey: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "APIKey" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
