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
/// A request that has the field or the parameter already keeps it, so that links to next pages that repeat the key
/// work. When a redirect leaves the origin, the key is dropped from it.
///
/// A key in the query is in no URL outside of this middleware, unless the server repeats it, and is shown as `REDACTED`
/// wherever this library shows a URL. Servers and proxies may log it: prefer a header field if the API takes one.
public struct APIKey: AuthenticationProvider {
    /// Where a key is sent.
    public enum Place: Sendable, Hashable {
        /// In a header field of this name: `X-API-Key`.
        case header(String)
        /// In a parameter of the query of this name: `api_key`.
        case query(String)
    }

    /// A name for the account; nil if the key tells it apart.
    public let account: String?
    private let key: String
    private let place: Place

    /// Sends this key.
    ///
    /// - Parameters:
    ///   - key: The key; spaces and line breaks around it, which files and shells add, are removed.
    ///   - place: Where it is sent.
    ///   - account: A name for the account, if its limits are to survive another key; see
    ///     ``AuthenticationProvider/account``.
    public init(_ key: String, in place: Place, account: String? = nil) {
        self.key = key.trimmingBlanks
        self.place = place
        self.account = account
        if case .query = place { SecretValues.insert(self.key) }
    }

    /// Whether the request doesn't have the header field; the query is looked at when the key is added.
    public func accepts(_ request: APIRequest) -> Bool {
        guard case .header(let name) = place, let name = HTTPField.Name(name) else { return true }
        return !request.headerFields.contains(name)
    }

    /// Adds the key.
    ///
    /// - Throws: ``TransportError/Reason/credentialUnavailable(_:)`` for a key or a field name that can't be sent.
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
            request.passage.queryKey = key
            if !request.url.hasParameter(name) { request.url = request.url.adding(key, as: name) }
        }
        return request
    }
}

extension APIKey {
    /// Sends the request with the key, and takes the key out of the URL of the reply.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        var reply = try await authenticate(request, next: next)
        guard case .query = place else { return reply }
        reply.url = reply.request.url == reply.url ? request.url : reply.url.removingParameters(valued: key)
        reply.request.url = request.url
        return reply
    }
}

extension APIRequest {
    /// The URL as it was before an ``APIKey`` joined its query.
    package var urlWithoutKey: URL { passage.queryKey.map(url.removingParameters(valued:)) ?? url }
}

extension APIKey: CustomStringConvertible, CustomReflectable {
    /// The type's name alone.
    public var description: String { "APIKey" }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
