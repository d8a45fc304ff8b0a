import HTTPTypes

/// Sends a token with every request to the API's own origin, as `Authorization: Bearer …`
/// ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750)).
///
/// A request that already has an `Authorization` field keeps it. If a provider supplies the token, a reply with status
/// 401 requests another one. All requests that wait share this token request, and each of them is sent once more. For
/// OAuth 2 tokens, use ``OAuth2``.
public struct BearerToken: AuthenticationProvider {
    /// A name for the account, the same for all of its tokens; nil if each token is an account of its own.
    public let account: String?
    private let keeper: TokenKeeper
    private let isFixed: Bool

    /// Sends this token.
    ///
    /// Name the account if a store's outbox keeps changes. They wait for the account that queued them, and an account
    /// without a name can't be told from another.
    ///
    /// - Parameters:
    ///   - token: The token. White space around it, which files and shells often add, is removed.
    ///   - account: A name for the account; see ``AuthenticationProvider/account``.
    public init(_ token: String, account: String? = nil) {
        keeper = TokenKeeper { _ in token }
        isFixed = true
        self.account = account
    }

    /// Sends the token that a provider returns.
    ///
    /// The provider is called when the first request needs a token, and again after the server has rejected it. If it
    /// returns an empty text, the waiting requests fail, and the next one calls it again. It never runs twice at once,
    /// and is cancelled when all requests that wait for it are cancelled. It may use the same API or store. Its own
    /// requests, for example to refresh the token, are sent unauthenticated, and a 401 is returned to the provider. A
    /// detached task that the provider starts is treated like any other caller: its requests wait for the token.
    ///
    /// - Parameters:
    ///   - account: A name for the account, so that its limits survive a new token; see
    ///     ``AuthenticationProvider/account``.
    ///   - provider: Returns a token. Its argument is nil at first, later the rejected token. A ``TransportError`` that
    ///     it throws is rethrown unchanged. Any other error becomes ``TransportError/Reason/credentialUnavailable(_:)``
    ///     with only the name of the error's type, because its description might contain secrets.
    public init(account: String? = nil, _ provider: @escaping @Sendable (_ rejected: String?) async throws -> String) {
        keeper = TokenKeeper(provider)
        isFixed = false
        self.account = account
    }

    /// Whether the request's `Authorization` field is missing. False for requests of the token provider itself.
    public func accepts(_ request: APIRequest) -> Bool {
        !request.headerFields.contains(.authorization) && !keeper.isAskedFor
    }

    /// Adds the token. If there is none yet, calls the provider first.
    public func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest {
        request.bearing(try await keeper.usableToken(replacing: nil, for: request))
    }

    /// Asks the provider for another token.
    ///
    /// - Returns: Whether the provider returned a different token; false for a fixed token.
    public func credentialsRejected(
        _: APIResponse, to request: APIRequest
    ) async throws(TransportError) -> Bool {
        guard !isFixed, let rejected = request.bearerToken else { return false }
        return try await keeper.usableToken(replacing: rejected, for: request) != rejected
    }
}

extension BearerToken: CustomStringConvertible, CustomReflectable {
    /// The type's name alone.
    public var description: String { "BearerToken" }

    /// A mirror that shows the description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension APIRequest {
    func bearing(_ token: String) -> APIRequest {
        var request = self
        request.headerFields[.authorization] = "Bearer \(token)"
        return request
    }

    var bearerToken: String? {
        guard let value = headerFields[.authorization], value.hasPrefix("Bearer ") else { return nil }
        return String(value.dropFirst("Bearer ".count))
    }
}
