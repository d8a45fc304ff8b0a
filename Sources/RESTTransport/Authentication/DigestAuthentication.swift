import HTTPTypes
import Synchronization

/// Proves knowledge of a password to the API's own origin: `Authorization: Digest …`
/// ([RFC 7616](https://www.rfc-editor.org/rfc/rfc7616)).
///
/// The first request is sent unauthenticated, and again with the answer to the server's challenge. Later requests
/// include an answer at once, with the same nonce and a counter. A new nonce replaces an expired one, or one that
/// `Authentication-Info` replaces.
///
/// The first challenge with MD5, MD5-sess, SHA-256 or SHA-256-sess is answered. The answer covers the body (`auth-int`)
/// only if the server requires it. It then needs a body in memory: with a file or stream, you get the 401.
///
/// The answer is bound to the URL. If the server redirects within its origin, write `FollowRedirects()` before this
/// middleware, and use an ``HTTPTransport`` with `redirects: FollowRedirects(limit: 0)`.
public struct DigestAuthentication: AuthenticationProvider {
    /// The account's name: the user name, unless you gave another one.
    public let account: String?
    private let login: Login
    private let sessions: DigestSessions

    /// Authenticates as this user.
    ///
    /// - Parameters:
    ///   - user: The user name, without a colon. Non-ASCII names are sent in UTF-8.
    ///   - account: A name for the account; nil for the user name.
    public init(user: String, password: String, account: String? = nil) {
        self.init(user: user, password: password, account: account) {
            // Cryptographically secure.
            String(UInt64.random(in: 0 ... .max), radix: 16) + String(UInt64.random(in: 0 ... .max), radix: 16)
        }
    }

    package init(
        user: String, password: String, account: String? = nil, clientNonce: @escaping @Sendable () -> String
    ) {
        login = Login(user: user, password: password)
        sessions = DigestSessions(clientNonce)
        self.account = account ?? user
    }

    /// Adds the answer to the last challenge, if there was one.
    ///
    /// - Throws: ``TransportError/Reason/credentialUnavailable(_:)`` if the user name contains a colon.
    public func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest {
        try login.checkUser(for: request)
        var request = request
        request.headerFields[.authorization] = sessions.answer(to: request, as: login)
        return request
    }

    /// Starts a session with the reply's challenge.
    ///
    /// - Returns: Whether to send the request again: if it was unauthenticated, or its nonce was replaced meanwhile.
    ///   After a rejected answer, only if the server says `stale=true` or has accepted the password before.
    public func credentialsRejected(
        _ reply: APIResponse, to request: APIRequest
    ) async throws(TransportError) -> Bool {
        sessions.begin(by: reply.challenges, to: request)
    }

    /// Records that the server accepts the password, and the next nonce if the reply has one.
    public func credentialsAccepted(_ reply: APIResponse, to request: APIRequest) {
        guard let nonce = request.digestNonce else { return }
        let information = reply.headerFields[.authenticationInfo].map(AuthenticationChallenge.parameters(ofField:))
        sessions.noteAccepted(nonce, successor: information?["nextnonce"])
    }
}

extension DigestAuthentication: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "DigestAuthentication" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

private final class DigestSessions: Sendable {
    private let current = Mutex<DigestSession?>(nil)
    private let clientNonce: @Sendable () -> String

    init(_ clientNonce: @escaping @Sendable () -> String) { self.clientNonce = clientNonce }

    func answer(to request: APIRequest, as login: Login) -> String? {
        current.withLock { session in
            guard session?.canAnswer(for: request) == true else { return nil }
            return session?.answer(to: request, as: login)
        }
    }

    /// Starts a session by the first challenge that can be answered, unless a concurrent request has.
    ///
    /// - Returns: Whether the request may succeed in the current session.
    func begin(by challenges: [AuthenticationChallenge], to request: APIRequest) -> Bool {
        let clientNonce = clientNonce()
        let usable = challenges.lazy.compactMap { challenge in
            DigestSession(challenge, clientNonce: clientNonce).map { (session: $0, isStale: challenge.isStale) }
        }
        guard let next = usable.first(where: { $0.session.canAnswer(for: request) }) else { return false }
        let rejected = request.digestNonce
        return current.withLock { session in
            if let session, session.nonce != rejected, session.canAnswer(for: request) { return true }
            let wasAccepted = session?.isAccepted == true
            session = next.session
            return rejected == nil || next.isStale || wasAccepted
        }
    }

    func noteAccepted(_ nonce: String, successor: String?) {
        current.withLock { session in
            guard session?.nonce == nonce else { return }
            session?.isAccepted = true
            if let successor { session?.proceed(to: successor) }
        }
    }
}

extension APIRequest {
    fileprivate var digestNonce: String? {
        guard let value = headerFields[.authorization] else { return nil }
        return AuthenticationChallenge.list(value).first?.parameters["nonce"]
    }
}

extension AuthenticationChallenge {
    /// Whether only the nonce was rejected, as too old.
    fileprivate var isStale: Bool { parameters["stale"]?.lowercased() == "true" }
}
