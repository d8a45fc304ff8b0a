import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Gets tokens from the storage, by the refresh token, or by the grant.
final class TokenSource: Sendable {
    /// The longest time between renewal and expiry, in seconds.
    private static let longestMargin = 30

    private struct State {
        /// The last token returned, and when to renew it, in seconds since 1970; nil if unknown.
        var given: (token: String, renewal: Int?)?
        /// Tokens that the storage failed to save.
        var unsaved: OAuth2Tokens?
        /// The last exchange of a refresh token, which may have ended.
        var refreshing: Task<Result<OAuth2Tokens, OAuth2Error>, Never>?
    }

    private let grant: OAuth2Grant
    private let endpoint: TokenEndpoint
    private let storage: any TokenStorage
    private let time: TimeSource
    private let state = Mutex(State())

    init(_ grant: OAuth2Grant, endpoint: TokenEndpoint, storage: any TokenStorage, time: TimeSource) {
        (self.grant, self.endpoint, self.storage, self.time) = (grant, endpoint, storage, time)
    }

    var grantName: OAuth2Error.Grant {
        switch grant.kind {
        case .clientCredentials: .clientCredentials
        case .refreshToken: .refreshToken
        case .device: .device
        }
    }

    func isExpiring(_ token: String) -> Bool {
        let renewal = state.withLock { $0.given?.token == token ? $0.given?.renewal : nil }
        return renewal.map { $0 <= time.localTime() } ?? false
    }

    /// A fresh token other than the rejected one. Only one call may run at a time.
    func token(replacing rejected: String?) async throws(OAuth2Error) -> String {
        // A refresh continues after its callers' cancellation.
        _ = await state.withLock(\.refreshing)?.value
        let known = try await knownTokens()
        if let known, known.accessToken != rejected {
            give(stored: known)
            if !isExpiring(known.accessToken) { return known.accessToken }
        }
        return try await newTokens(replacing: known).accessToken
    }

    private func give(stored tokens: OAuth2Tokens) {
        give(tokens.accessToken, until: tokens.end.map { $0 - Self.longestMargin })
    }

    private func give(_ token: String, until renewal: Int?) { state.withLock { $0.given = (token, renewal) } }

    // MARK: Requesting tokens

    private func newTokens(replacing known: OAuth2Tokens?) async throws(OAuth2Error) -> OAuth2Tokens {
        switch grant.kind {
        case .clientCredentials:
            let form = [("grant_type", "client_credentials")] + scope
            return try await keep(try await endpoint.tokens(form, by: .clientCredentials, hiding: []))
        case .refreshToken(let first):
            return try await refresh(known?.refreshToken ?? first, replacing: known)
        case .device(let url, let show):
            if let stored = known?.refreshToken { return try await refresh(stored, replacing: known) }
            let flow = DeviceFlow(authorizationURL: url, show: show, endpoint: endpoint, time: time)
            return try await keep(try await flow.tokens(scope: scope))
        }
    }

    /// Exchanges a refresh token, even if the callers are cancelled: the server may have replaced it already.
    private func refresh(
        _ token: String, replacing known: OAuth2Tokens?
    ) async throws(OAuth2Error) -> OAuth2Tokens {
        let refreshing = Task { await self.outcome(ofRefreshing: token, replacing: known) }
        state.withLock { $0.refreshing = refreshing }
        return try await refreshing.value.get()
    }

    private func outcome(
        ofRefreshing token: String, replacing known: OAuth2Tokens?
    ) async -> Result<OAuth2Tokens, OAuth2Error> {
        let form = [("grant_type", "refresh_token"), ("refresh_token", token)] + scope
        do throws(OAuth2Error) {
            let reply = try await endpoint.tokens(form, by: .refreshToken, hiding: [token])
            return .success(try await keep(reply, refreshedBy: token))
        } catch {
            guard case .refused("invalid_grant", _) = error.reason else { return .failure(error) }
            // Another program may have exchanged this token first.
            if let newer = await tokensSaved(after: known) {
                give(stored: newer)
                return .success(newer)
            }
            // The next request starts with the grant. If this fails, the server rejects the token again.
            try? await save(nil)
            return .failure(error)
        }
    }

    private var scope: TokenEndpoint.Form { grant.scope.map { [("scope", $0)] } ?? [] }

    // MARK: Storing tokens

    /// - Parameter refreshToken: Kept unless the reply has a new one.
    private func keep(
        _ reply: TokenReply, refreshedBy refreshToken: String? = nil
    ) async throws(OAuth2Error) -> OAuth2Tokens {
        let now = time.localTime()
        // The endpoint has checked that there is a token.
        let token = reply.accessToken ?? ""
        give(token, until: reply.expiresIn.map { now + $0 - min(Self.longestMargin, $0 / 4) })
        let tokens = OAuth2Tokens(
            accessToken: token, refreshToken: reply.refreshToken ?? refreshToken,
            expiresAt: reply.expiresIn.map { Date(timeIntervalSince1970: Double(now + $0)) })
        try await save(tokens)
        return tokens
    }

    /// Unsaved tokens, else those of the storage, which other processes may share.
    private func knownTokens() async throws(OAuth2Error) -> OAuth2Tokens? {
        if let unsaved = state.withLock({ $0.unsaved }) {
            try? await save(unsaved)
            return unsaved
        }
        do { return try await storage.load() } catch { throw storageError(error) }
    }

    /// Nil if no other program has saved tokens after these were read.
    private func tokensSaved(after known: OAuth2Tokens?) async -> OAuth2Tokens? {
        // Unsaved tokens are newer than the storage's.
        guard state.withLock({ $0.unsaved == nil }), let stored = try? await storage.load(), stored != known else {
            return nil
        }
        return stored
    }

    private func save(_ tokens: OAuth2Tokens?) async throws(OAuth2Error) {
        do {
            try await storage.save(tokens)
            state.withLock { $0.unsaved = nil }
        } catch {
            state.withLock { $0.unsaved = tokens }
            throw storageError(error)
        }
    }

    private func storageError(_ error: any Error) -> OAuth2Error {
        OAuth2Error(grantName, .storage((error as? TokenFileError)?.description ?? "\(type(of: error))"))
    }
}

extension OAuth2Tokens {
    /// The expiry in seconds since 1970; nil if unknown, or after the year 9999.
    fileprivate var end: Int? {
        guard let seconds = expiresAt?.timeIntervalSince1970, seconds < 253_402_300_800 else { return nil }
        return Int(max(seconds, 0))
    }
}
