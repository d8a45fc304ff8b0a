import HTTPTypes

/// Sends a token with every request to the API's own origin, as `Authorization: Bearer …`
/// ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750)).
///
/// A request that has an `Authorization` already keeps it; other origins get nothing. If the token comes from a
/// provider, a reply with status 401 makes it request another one, once for all requests that wait for it, and each of
/// them is sent once more. For the tokens of OAuth 2 use ``OAuth2``.
public struct BearerToken: AuthenticationProvider {
    /// A name for the account, the same for all of its tokens; nil if each token is an account of its own.
    public let account: String?
    private let keeper: TokenKeeper
    private let isFixed: Bool

    /// Sends this token.
    ///
    /// - Parameters:
    ///   - token: The token; white space around it, which files and shells add, is removed.
    ///   - account: A name for the account; see ``AuthenticationProvider/account``.
    public init(_ token: String, account: String? = nil) {
        keeper = TokenKeeper { _ in token }
        isFixed = true
        self.account = account
    }

    /// Sends the token that a provider gives.
    ///
    /// The provider is asked when the first request needs a token, and again after the server has rejected it. It never
    /// runs twice at once, and is cancelled when no request waits for it any longer. It may use the same API or store:
    /// its own requests, to refresh the token for example, go out without one, and what is answered to them is final. A
    /// detached task of its own is not told apart from others, and waits for the token.
    ///
    /// - Parameters:
    ///   - account: A name for the account, so that its limits survive a new token; see
    ///     ``AuthenticationProvider/account``.
    ///   - provider: Returns a token. Its argument is nil at first, later the token that was rejected. What it throws
    ///     becomes ``TransportError/Reason/credentialUnavailable(_:)`` with the name of the error's type alone, since
    ///     its description might hold secrets; a ``TransportError`` is rethrown as it is.
    public init(account: String? = nil, _ provider: @escaping @Sendable (_ rejected: String?) async throws -> String) {
        keeper = TokenKeeper(provider)
        isFixed = false
        self.account = account
    }

    /// Whether the request has no `Authorization`, and isn't one of the provider's own.
    public func accepts(_ request: APIRequest) -> Bool {
        !request.headerFields.contains(.authorization) && !keeper.isAskedFor
    }

    /// Adds the token, which the provider is asked for if there is none.
    public func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest {
        request.bearing(try await keeper.usableToken(replacing: nil, for: request))
    }

    /// Asks the provider for another token.
    ///
    /// - Returns: Whether it is another one; false for a fixed token.
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

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension APIRequest {
    /// The request with this token.
    func bearing(_ token: String) -> APIRequest {
        var request = self
        request.headerFields[.authorization] = "Bearer \(token)"
        return request
    }

    /// The token that ``bearing(_:)`` has added.
    var bearerToken: String? {
        guard let value = headerFields[.authorization], value.hasPrefix("Bearer ") else { return nil }
        return String(value.dropFirst("Bearer ".count))
    }
}
