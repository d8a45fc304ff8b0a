import Observation
import RestfulData
import RestfulDataTesting

/// The signed-in user, and the store of the user's data.
@MainActor @Observable
public final class Session {
    /// A user and their store. Each user has a separate file, because all users of one file share its objects.
    struct Account {
        let login: String
        let store: Store
        /// The demo's server, in memory; nil for GitHub.
        var demoServer: TestServer?
    }

    private(set) var account: Account?

    /// Whether the demo's server is unreachable. It simulates a lost network.
    var isOffline = false {
        didSet {
            account?.demoServer?.isDown = isOffline
            if !isOffline { account?.store.outbox.wake() }
        }
    }

    /// Makes the app's session, from local data alone. The user of the last one is still signed in, if the keychain has
    /// the token.
    public init() {
        guard let stored = Keychain.load() else { return }
        account = try? Self.account(of: stored.login, token: stored.token)
    }

    /// Makes the session of a preview.
    init(account: Account?) { self.account = account }

    /// Signs in with a personal access token of GitHub.
    func signIn(token: String) async throws(APIError) {
        let user: UserInfo = try await Self.gitHub { BearerToken(token) }.json("/user")
        do {
            account = try Self.account(of: user.login, token: token)
        } catch {
            throw .store(error)
        }
        Keychain.save(StoredLogin(login: user.login, token: token))
    }

    /// Signs in to the demo, with a server in this process.
    func signInToDemo() throws { account = try Demo.account() }

    /// Signs out, and deletes the user's data, including unsent changes.
    func signOut() async throws(StoreError) {
        guard let account else { return }
        self.account = nil
        isOffline = false
        Keychain.save(nil)
        try await account.store.erase()
    }

    private static func account(of login: String, token: String) throws(StoreError) -> Account {
        // A named account stays the same when its token is replaced. So its waiting changes are sent with the new one.
        let api = gitHub {
            BearerToken(token, account: login)
            Retry()
        }
        let store = try Store(.applicationSupport("RestfulData Issues of \(login)"), models: models, api: api)
        store.outbox.start()
        return Account(login: login, store: store)
    }

    private static func gitHub(@MiddlewareBuilder middleware: () -> [any Middleware]) -> API {
        API("https://api.github.com", conventions: .github, middleware: middleware)
    }
}

/// The reply to `GET /user`, as far as a sign-in needs it. It is decoded directly, because the store is opened
/// afterwards.
nonisolated private struct UserInfo: Decodable, Sendable {
    let login: String
}
