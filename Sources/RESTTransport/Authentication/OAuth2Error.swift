/// Why OAuth 2 gave no token. ``OAuth2/signIn()`` throws it, and ``TransportError/Reason/tokenRefused(_:)`` has it.
///
/// Its description has the server's own words, shortened, and without the secrets that were sent.
public struct OAuth2Error: Error, Sendable, Hashable {
    /// How a token was asked for.
    public enum Grant: String, Sendable, Hashable {
        /// With the program's own credentials.
        case clientCredentials = "client credentials"
        /// With the refresh token.
        case refreshToken = "refresh token"
        /// By a user on another device.
        case device = "device"
    }

    /// What went wrong.
    public enum Reason: Sendable, Hashable {
        /// The server's `error` and `error_description`
        /// ([RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)): `invalid_grant`, `access_denied`. A
        /// device code that expires here counts as `expired_token`.
        case refused(code: String, description: String?)
        /// The reply isn't one of a token server; the text explains why.
        case unreadable(status: Int, String)
        /// The ``TokenStorage`` can't be read or written; the text explains why. Tokens that can't be written are used
        /// until the process ends.
        case storage(String)
        /// The request for a token has no reply, and why.
        indirect case unreachable(TransportError)
        /// Your code that shows the user code threw an error of this type.
        case promptFailed(String)
        /// All tasks that waited for the token were cancelled.
        case cancelled
    }

    /// How a token was asked for.
    public let grant: Grant
    /// What went wrong.
    public let reason: Reason

    /// Makes an error; for tests and token sources of your own.
    public init(_ grant: Grant, _ reason: Reason) { (self.grant, self.reason) = (grant, reason) }

    /// Whether the user or the program has to sign in again, as the same credentials will not do.
    public var needsSignIn: Bool {
        guard case .refused(let code, _) = reason else { return false }
        return ["invalid_grant", "access_denied", "expired_token"].contains(code)
    }
}

extension OAuth2Error {
    /// The error of a request to the API that was not sent, as there is no token.
    ///
    /// Where the authorization server can't be reached, it is as if the API couldn't be either: the request may be sent
    /// again, and the store may answer. A reply that was lost on the way would say that the API may have acted.
    func transportError(for request: APIRequest) -> TransportError {
        switch reason {
        case .cancelled: TransportError(.cancelled, request)
        case .unreachable(let error) where error.isTransient || error.isTimeout:
            TransportError(.connectionFailed(summary), request)
        default: TransportError(.tokenRefused(self), request)
        }
    }
}

extension OAuth2Error: CustomStringConvertible {
    /// One line: the grant, what went wrong, and what to do if that is known.
    public var description: String { advice.map { "\(summary); \($0)" } ?? summary }

    /// The grant, and what went wrong.
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

    /// What to do, in a few words; nil if the reason suffices.
    public var advice: String? {
        switch reason {
        case .refused(let code, _): Self.advice(code, grant)
        case .unreadable: "check the URL of the token endpoint"
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
