/// A failure to get a token, thrown by ``OAuth2/signIn()`` or within ``TransportError/Reason/tokenRefused(_:)``.
///
/// Its description quotes the server's message, shortened, without the secrets that were sent.
public struct OAuth2Error: Error, Sendable, Hashable {
    /// How the token was requested.
    public enum Grant: String, Sendable, Hashable {
        /// With the program's own credentials.
        case clientCredentials = "client credentials"
        /// With the refresh token.
        case refreshToken = "refresh token"
        /// By a user on another device.
        case device = "device"
    }

    /// The reason of the failure.
    public enum Reason: Sendable, Hashable {
        /// The server's `error` and `error_description`
        /// ([RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)), for example `invalid_grant` or
        /// `access_denied`. An expired device code is `expired_token`.
        case refused(code: String, description: String?)
        /// The reply isn't one of a token server, or the server fails for now (429, 5xx); the text explains why.
        case unreadable(status: Int, String)
        /// Reading or writing the ``TokenStorage`` failed; the text explains why. Unsaved tokens are used until the
        /// process ends.
        case storage(String)
        /// The token request failed without a reply; the error explains why.
        indirect case unreachable(TransportError)
        /// Your code that shows the user code threw an error of this type.
        case promptFailed(String)
        /// All tasks that waited for the token were cancelled.
        case cancelled
    }

    /// How the token was requested.
    public let grant: Grant
    /// The reason of the failure.
    public let reason: Reason

    /// Creates an error, for tests and token sources of your own.
    public init(_ grant: Grant, _ reason: Reason) { (self.grant, self.reason) = (grant, reason) }

    /// Whether to sign in again, because the same credentials would be rejected.
    public var needsSignIn: Bool {
        guard case .refused(let code, _) = reason else { return false }
        return ["invalid_grant", "access_denied", "expired_token"].contains(code)
    }
}

extension OAuth2Error {
    /// The error of an API request for which there is no token.
    ///
    /// If the authorization server is unreachable or fails for now, this is `connectionFailed`, so the request may be
    /// retried, or answered by the store. `connectionLost` would mean that the API may have acted.
    func transportError(for request: APIRequest) -> TransportError {
        switch reason {
        case .cancelled: .cancelled(before: request)
        default: TransportError(mayPass ? .connectionFailed(summary) : .tokenRefused(self), request)
        }
    }

    /// Whether the same request may get a token later.
    package var mayPass: Bool {
        switch reason {
        case .unreachable(let error): error.isTransient || error.isTimeout
        case .unreadable(let status, _): status == 429 || status.isPassingFailure
        case .refused("server_error", _), .refused("temporarily_unavailable", _): true
        default: false
        }
    }
}

extension OAuth2Error: CustomStringConvertible {
    /// One line: the grant, the reason, and advice if there is some.
    public var description: String { advice.map { "\(summary); \($0)" } ?? summary }

    var summary: String { "the \(grant.rawValue) grant of OAuth 2 gave no token: \(what)" }

    private var what: String {
        switch reason {
        case .refused(let code, let description): description.map { "\(code) (\($0))" } ?? code
        case .unreadable(let status, let why): "the server answered \(status), \(why)"
        case .storage(let why): "the storage of tokens failed: \(why)"
        case .unreachable(let error): error.description
        case .promptFailed(let type): "the user code could not be shown: \(type)"
        case .cancelled: "nobody waits for it any longer"
        }
    }

    /// Advice in a few words; nil if the reason suffices.
    public var advice: String? {
        switch reason {
        case .refused(let code, _): Self.advice(code, grant)
        case .unreadable: mayPass ? nil : "check the URL of the token endpoint"
        case .storage: "check the file's place and permissions"
        case .unreachable, .promptFailed, .cancelled: nil
        }
    }

    private static func advice(_ code: String, _ grant: Grant) -> String? {
        switch code {
        case "invalid_client", "unauthorized_client":
            "check the client's id and secret, where they are sent, and which grants the server allows it"
        case "invalid_grant" where grant == .refreshToken: "sign in again, as the refresh token is no longer valid"
        case "invalid_scope": "ask for scopes that the server knows"
        case "unsupported_grant_type": "use a grant that the server knows"
        case "access_denied": "sign in again, and grant the access"
        case "expired_token": "sign in again, and enter the code in time"
        default: nil
        }
    }
}
