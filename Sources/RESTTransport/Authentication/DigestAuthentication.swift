import HTTPTypes
import Synchronization

/// Proves to the API's own origin that a password is known, without sending it: `Authorization: Digest …`
/// ([RFC 7616](https://www.rfc-editor.org/rfc/rfc7616)).
///
/// The first request goes out without credentials, and again with the answer to the server's challenge. Later requests
/// answer ahead of time, with the same nonce and a count, so that each is sent once. Requests at the same time share
/// the nonce. A nonce that has expired, or that the server replaces by `Authentication-Info`, is exchanged for its
/// successor.
///
/// Of several challenges the first one is answered that names MD5, MD5-sess, SHA-256 or SHA-256-sess. The body is
/// covered (`auth-int`) only if the server offers nothing else; a body from a file or stream is then not sent again,
/// and you get the reply with status 401.
///
/// The answer is bound to the URL. If the server redirects within its origin, write `FollowRedirects()` before this,
/// and use an ``HTTPTransport`` with `redirects: FollowRedirects(limit: 0)`.
public struct DigestAuthentication: AuthenticationProvider {
    /// A name for the account: the user's name unless you gave another one.
    public let account: String?
    private let login: Login
    private let sessions: DigestSessions

    /// Authenticates as this user.
    ///
    /// - Parameters:
    ///   - user: The user name, without a colon. Names beyond ASCII are sent in UTF-8.
    ///   - password: The password. It is never sent.
    ///   - account: A name for the account; nil for the user's name. See ``AuthenticationProvider/account``.
    public init(user: String, password: String, account: String? = nil) {
        self.init(user: user, password: password, account: account) {
            // The standard generator is one for cryptography.
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

    /// Adds the answer to the last challenge; nothing before there is one.
    ///
    /// - Throws: ``TransportError/Reason/credentialUnavailable(_:)`` when the user name has a colon.
    public func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest {
        try login.checkUser(for: request)
        var request = request
        request.headerFields[.authorization] = sessions.answer(to: request, as: login)
        return request
    }

    /// Takes the challenge of the reply.
    ///
    /// - Returns: Whether it can be answered, and the answer wasn't refused already: the server says `stale=true`, or
    ///   has accepted the password before.
    public func credentialsRejected(
        _ reply: APIResponse, to request: APIRequest
    ) async throws(TransportError) -> Bool {
        sessions.begin(by: reply.challenges, to: request)
    }

    /// Notes that the server accepts the password, and which nonce it wants next.
    public func credentialsAccepted(_ reply: APIResponse, to request: APIRequest) {
        guard let nonce = request.digestNonce else { return }
        let information = reply.headerFields[.authenticationInfo].map(AuthenticationChallenge.parameters(ofField:))
        sessions.noteAccepted(nonce, successor: information?["nextnonce"])
    }
}

extension DigestAuthentication: CustomStringConvertible, CustomReflectable {
    /// The type's name alone.
    public var description: String { "DigestAuthentication" }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

/// The session that all requests share.
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

    /// Begins a session by the first challenge that can be answered, unless another request has begun one meanwhile.
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
    /// The nonce that it answers.
    fileprivate var digestNonce: String? {
        guard let value = headerFields[.authorization] else { return nil }
        return AuthenticationChallenge.list(value).first?.parameters["nonce"]
    }
}

extension AuthenticationChallenge {
    /// Whether only the nonce was refused, since it is too old, and not the password.
    fileprivate var isStale: Bool { parameters["stale"]?.lowercased() == "true" }
}
