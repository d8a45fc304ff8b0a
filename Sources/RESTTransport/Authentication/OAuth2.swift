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

    /// The program acts for itself, with its client's secret
    /// ([RFC 6749 §4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4)).
    ///
    /// - Parameter scope: What to ask for, separated by spaces; nil for what the server gives.
    public static func clientCredentials(scope: String? = nil) -> OAuth2Grant {
        OAuth2Grant(kind: .clientCredentials, scope: scope)
    }

    /// A user signed in elsewhere, in a browser for example, and this is the refresh token
    /// ([RFC 6749 §6](https://www.rfc-editor.org/rfc/rfc6749#section-6)).
    ///
    /// - Parameters:
    ///   - token: The first refresh token. One in the ``TokenStorage`` is used before it.
    ///   - scope: What to ask for, separated by spaces; nil for what the token is good for.
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
    ///   - scope: What to ask for, separated by spaces; nil for what the server gives.
    ///   - show: Shows the user where to sign in, and returns.
    public static func device(
        at url: URL, scope: String? = nil, show: @escaping @Sendable (DevicePrompt) async throws -> Void
    ) -> OAuth2Grant {
        OAuth2Grant(kind: .device(url, show), scope: scope)
    }
}

extension OAuth2Grant: CustomStringConvertible, CustomReflectable {
    /// The type's name alone.
    public var description: String { "OAuth2Grant" }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

/// Sends tokens that an authorization server gives, and renews them
/// ([RFC 6749](https://www.rfc-editor.org/rfc/rfc6749)).
///
/// ```swift
/// let client = OAuth2Client(id: "…", secret: "…", tokenURL: tokenURL)
/// let api = API("https://api.example.com") { OAuth2(.clientCredentials(scope: "read"), client: client) }
/// ```
///
/// Tokens of the ``TokenStorage`` are used first. A token is renewed when the API answers 401, and half a minute before
/// it expires: with the refresh token if there is one, otherwise by the grant. One request renews it for all requests
/// that wait, and its error is the error of all of them: ``TransportError/Reason/tokenRefused(_:)``. After
/// `invalid_grant` the stored tokens are removed, and the next request begins with the grant again.
///
/// Requests to the authorization server go through a transport of their own, without the API's middleware and
/// credentials, and are not redirected. Copies share their tokens.
public struct OAuth2: AuthenticationProvider {
    /// A name for the account, the same for all of its tokens; nil if each token is an account of its own.
    public let account: String?
    private let source: TokenSource
    private let keeper: TokenKeeper

    /// Authenticates with tokens of an authorization server.
    ///
    /// - Parameters:
    ///   - grant: How to get the first tokens.
    ///   - client: The program, as the server knows it.
    ///   - storage: Where tokens are kept.
    ///   - transport: What sends the requests to the authorization server.
    ///   - account: A name for the account, so that its limits survive a new token; see
    ///     ``AuthenticationProvider/account``.
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

    /// How many requests wait for a token.
    package var waiting: Int { keeper.waiting }

    /// Gets a token now, rather than with the first request, whose timeout would end a sign-in on another device.
    ///
    /// Returns at once if there is a token. Requests that need a token meanwhile wait for this one.
    ///
    /// - Throws: ``OAuth2Error``.
    public func signIn() async throws(OAuth2Error) {
        switch await keeper.token(replacing: nil) {
        case .success: return
        case .failure(let error as OAuth2Error): throw error
        case .failure: throw OAuth2Error(source.grantName, .cancelled)
        }
    }

    /// Whether the request has no `Authorization`, and doesn't itself get a token.
    public func accepts(_ request: APIRequest) -> Bool {
        !request.headerFields.contains(.authorization) && !keeper.isAskedFor
    }

    /// Adds the token, and renews it before if it expires soon.
    public func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest {
        let token = try await keeper.usableToken(replacing: nil, for: request)
        guard source.isExpiring(token) else { return request.bearing(token) }
        return request.bearing(try await keeper.usableToken(replacing: token, for: request))
    }

    /// Renews the token, if no other request has done so.
    public func credentialsRejected(
        _: APIResponse, to request: APIRequest
    ) async throws(TransportError) -> Bool {
        guard let rejected = request.bearerToken else { return false }
        return try await keeper.usableToken(replacing: rejected, for: request) != rejected
    }
}

extension OAuth2: CustomStringConvertible, CustomReflectable {
    /// The type's name alone.
    public var description: String { "OAuth2" }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
