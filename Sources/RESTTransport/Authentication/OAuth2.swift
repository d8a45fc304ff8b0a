import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// How ``OAuth2`` gets its first tokens.
public struct OAuth2Grant: Sendable {
    enum Kind: Sendable {
        case clientCredentials
        case refreshToken(String)
        case device(URL, @Sendable (DevicePrompt) async throws -> Void)
    }

    let kind: Kind
    let scope: String?

    /// The program authenticates itself, with its client's secret
    /// ([RFC 6749 §4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4)).
    ///
    /// - Parameter scope: The scopes, separated by spaces; nil for the server's default.
    public static func clientCredentials(scope: String? = nil) -> OAuth2Grant {
        OAuth2Grant(kind: .clientCredentials, scope: scope)
    }

    /// A user signed in elsewhere, and the program has the refresh token
    /// ([RFC 6749 §6](https://www.rfc-editor.org/rfc/rfc6749#section-6)).
    ///
    /// - Parameters:
    ///   - token: The first refresh token. A refresh token in the ``TokenStorage`` takes precedence.
    ///   - scope: The scopes, separated by spaces; nil for all of the token.
    public static func refreshToken(_ token: String, scope: String? = nil) -> OAuth2Grant {
        OAuth2Grant(kind: .refreshToken(token), scope: scope)
    }

    /// A user signs in on another device, such as a phone ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)).
    ///
    /// ```swift
    /// let gitHub = OAuth2(.device(at: deviceURL, scope: "repo") { prompt in
    ///     print("Open \(prompt.verificationURL) and enter \(prompt.userCode)")
    /// }, client: client, storage: TokenFile(file))
    /// try await gitHub.signIn()
    /// ```
    ///
    /// - Parameters:
    ///   - url: The server's device authorization endpoint.
    ///   - scope: The scopes, separated by spaces; nil for the server's default.
    ///   - show: Shows the user where to sign in. The first token request is sent once it returns.
    public static func device(
        at url: URL, scope: String? = nil, show: @escaping @Sendable (DevicePrompt) async throws -> Void
    ) -> OAuth2Grant {
        OAuth2Grant(kind: .device(url, show), scope: scope)
    }
}

extension OAuth2Grant: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "OAuth2Grant" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

/// Authenticates requests with tokens from an authorization server, and renews them
/// ([RFC 6749](https://www.rfc-editor.org/rfc/rfc6749)).
///
/// ```swift
/// let client = OAuth2Client(id: "…", secret: "…", tokenURL: tokenURL)
/// let api = API("https://api.example.com") { OAuth2(.clientCredentials(scope: "read"), client: client) }
/// ```
///
/// Tokens in the ``TokenStorage`` are used first. They are renewed after a 401, and up to 30 seconds before they
/// expire: with the refresh token, or else by the grant. Waiting requests share one renewal. If it fails, they fail
/// with ``TransportError/Reason/tokenRefused(_:)``, or ``TransportError/Reason/connectionFailed(_:)`` if the
/// authorization server is unreachable, or answers 429 or 5xx. After `invalid_grant` for a refresh token, the stored
/// tokens are removed, and the next request starts with the grant. Tokens that another program has saved meanwhile are
/// used instead.
///
/// Requests to the authorization server skip the API's middleware, and don't follow redirects. Copies share their
/// tokens.
public struct OAuth2: AuthenticationProvider {
    /// A name for the account; nil if each token is an account of its own.
    public let account: String?
    private let source: TokenSource
    private let keeper: TokenKeeper

    /// Authenticates with tokens from an authorization server.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests to the authorization server.
    ///   - account: A name for the account, so that its limits survive a new token.
    public init(
        _ grant: OAuth2Grant, client: OAuth2Client, storage: any TokenStorage = TokenMemory(),
        transport: any Transport = HTTPTransport.standard, account: String? = nil
    ) {
        self.init(grant, client: client, storage: storage, transport: transport, account: account, time: .system)
    }

    package init(
        _ grant: OAuth2Grant, client: OAuth2Client, storage: any TokenStorage = TokenMemory(),
        transport: any Transport, account: String? = nil, time: TimeSource
    ) {
        let source = TokenSource(
            grant, endpoint: TokenEndpoint(client, transport), storage: storage, time: time)
        self.source = source
        self.account = account
        keeper = TokenKeeper { rejected in try await source.token(replacing: rejected) }
    }

    package var waiting: Int { keeper.waiting }

    /// Gets a token before a request needs one, so that a user has more time to sign in than a request's timeout.
    ///
    /// Returns immediately if there is a token. Requests meanwhile wait for this one.
    public func signIn() async throws(OAuth2Error) {
        switch await keeper.token(replacing: nil) {
        case .success: return
        case .failure(let error as OAuth2Error): throw error
        case .failure: throw OAuth2Error(source.grantName, .cancelled)
        }
    }

    /// Whether the request's `Authorization` field is missing. False for requests that get a token.
    public func accepts(_ request: APIRequest) -> Bool {
        !request.headerFields.contains(.authorization) && !keeper.isAskedFor
    }

    /// Adds the token. Renews it first if it expires soon.
    public func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest {
        let token = try await keeper.usableToken(replacing: nil, for: request)
        guard source.isExpiring(token) else { return request.bearing(token) }
        return request.bearing(try await keeper.usableToken(replacing: token, for: request))
    }

    /// Renews the token, unless another request has already renewed it.
    public func credentialsRejected(
        _: APIResponse, to request: APIRequest
    ) async throws(TransportError) -> Bool {
        guard let rejected = request.bearerToken else { return false }
        return try await keeper.usableToken(replacing: rejected, for: request) != rejected
    }
}

extension OAuth2: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "OAuth2" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
