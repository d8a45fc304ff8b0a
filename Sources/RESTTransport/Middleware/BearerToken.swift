import HTTPTypes

/// Sends a token with every request to the API's own origin, as `Authorization: Bearer …`
/// ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750)).
///
/// A request that has an `Authorization` already keeps it; other origins get nothing. Where the token comes from a
/// provider, a reply with status 401 makes it ask for another one, once for all requests that wait for it, and each of
/// them is sent once more.
public struct BearerToken: Middleware {
    private let keeper: TokenKeeper
    private let isFixed: Bool

    /// Sends this token.
    ///
    /// - Parameter token: The token; blanks and line ends around it are left out, as files and shells add them.
    public init(_ token: String) {
        keeper = TokenKeeper { _ in token }
        isFixed = true
    }

    /// Sends the token that a provider gives.
    ///
    /// The provider is asked when the first request needs a token, and again after the server has rejected it. It never
    /// runs twice at once, and is cancelled when no request waits for it any more.
    ///
    /// - Parameter provider: Returns a token. Its argument is nil at first, later the token that was rejected. What it
    ///   throws becomes ``TransportError/Reason/credentialUnavailable(_:)`` with the name of the error's type alone,
    ///   since its description might hold secrets; ``TransportError`` goes through as it is.
    public init(_ provider: @escaping @Sendable (_ rejected: String?) async throws -> String) {
        keeper = TokenKeeper(provider)
        isFixed = false
    }

    /// Sends the request with `Authorization` added; after a 401 once more with another token, if there is one.
    public func intercept(
        _ request: APIRequest, next: @Sendable (APIRequest) async throws(TransportError) -> APIResponse
    ) async throws(TransportError) -> APIResponse {
        guard request.mayCarryCredentials, !request.headerFields.contains(.authorization) else {
            return try await next(request)
        }
        let token = try await usableToken(replacing: nil, for: request)
        let reply = try await next(authenticated(request, token))
        guard reply.status == .unauthorized, !isFixed else { return reply }
        let replacement = try await usableToken(replacing: token, for: request)
        return replacement == token ? reply : try await next(authenticated(request, replacement))
    }

    private func authenticated(_ request: APIRequest, _ token: String) -> APIRequest {
        var request = request
        request.headerFields[.authorization] = "Bearer \(token)"
        return request
    }

    private func usableToken(replacing rejected: String?, for request: APIRequest) async throws(TransportError)
        -> String
    {
        switch await keeper.token(replacing: rejected) {
        case .success(let token) where token.isEmpty:
            throw TransportError(.credentialUnavailable("the token is empty"), request)
        case .success(let token) where token.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }):
            throw TransportError(.credentialUnavailable("the token has characters that no token has"), request)
        case .success(let token):
            return token
        case .failure(let error as TransportError):
            throw error
        case .failure(is CancellationError):
            throw TransportError(.cancelled, request)
        case .failure(let error):
            throw TransportError(.credentialUnavailable("the provider threw \(type(of: error))"), request)
        }
    }
}

extension BearerToken: CustomStringConvertible, CustomReflectable {
    /// The type's name alone.
    public var description: String { "BearerToken" }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
