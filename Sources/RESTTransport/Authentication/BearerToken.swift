import HTTPTypes

/// Sends a token with every request to the API's own origin, as `Authorization: Bearer …`
/// ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750)).
///
/// A request's own `Authorization` field stays. If a provider supplies the token, a 401 requests another one. Waiting
/// requests share it, and each is sent once more. For OAuth 2 tokens, use ``OAuth2``.
public struct BearerToken: AuthenticationProvider {
    /// A name for the account; nil if each token is an account of its own.
    public let account: String?
    private let keeper: TokenKeeper
    private let isFixed: Bool

    /// Sends this token.
    ///
    /// Name the account if a store's outbox keeps changes: they wait for the account that queued them.
    ///
    /// - Parameters:
    ///   - token: The token; white space around it is removed.
    ///   - account: A name for the account.
    public init(_ token: String, account: String? = nil) {
        keeper = TokenKeeper { _ in token }
        isFixed = true
        self.account = account
    }

    /// Sends the token that a provider returns.
    ///
    /// The provider is called when the first request needs a token, and again after the server has rejected it. After
    /// an empty text, the waiting requests fail, and the next one calls it again. Calls never overlap. The provider is
    /// cancelled when all requests that wait for it are. It may use the same API or store: its own requests are sent
    /// unauthenticated, and it gets a 401. Requests of a detached task that it starts wait for the token.
    ///
    /// - Parameters:
    ///   - account: A name for the account, so that its limits survive a new token.
    ///   - provider: Returns a token. Its argument is the rejected token, or nil. A ``TransportError`` is rethrown. Any
    ///     other error becomes ``TransportError/Reason/credentialUnavailable(_:)`` with only its type's name, because
    ///     its description might contain secrets.
    public init(account: String? = nil, _ provider: @escaping @Sendable (_ rejected: String?) async throws -> String) {
        keeper = TokenKeeper(provider)
        isFixed = false
        self.account = account
    }

    /// Whether the request's `Authorization` field is missing. False for the provider's own requests.
    public func accepts(_ request: APIRequest) -> Bool {
        !request.headerFields.contains(.authorization) && !keeper.isAskedFor
    }

    /// Adds the token; calls the provider first if there is none.
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
    /// The type's name.
    public var description: String { "BearerToken" }

    /// The description alone.
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
