import Logging
import ObjectStore
import RESTTransport

/// Entries that wait because they were queued with an account's name and the API has none, or the other way around.
///
/// Entries of another named account are no strays: they are sent when that account returns.
struct StrayEntries {
    /// The number of entries without a name, while the API names an account.
    private var unnamed = 0
    /// The number of entries with a name, while the API names no account.
    private var named = 0

    mutating func note(_ account: String, at api: API) {
        guard account.isEmpty != api.account.isEmpty else { return }
        if account.isEmpty { unnamed += 1 } else { named += 1 }
    }

    /// A warning for developers; nil if there are none. It leaves out the names, which are never logged.
    var warning: String? {
        if unnamed > 0 {
            return """
                \(Self.changes(unnamed)) in the outbox \(unnamed == 1 ? "was" : "were") queued by an account without a name, and \
                the API now names its account, so they aren't sent. To send them, drain the outbox once with the \
                middleware of that time, such as BearerToken(_:) without an account. Otherwise, discard them.
                """
        }
        guard named > 0 else { return nil }
        return """
            \(Self.changes(named)) in the outbox \(named == 1 ? "was" : "were") queued by a named account, and the API names \
            none, so they aren't sent. Give the token the name of its account: BearerToken(_:account:).
            """
    }

    private static func changes(_ count: Int) -> String { count == 1 ? "1 change" : "\(count) changes" }
}

extension OutboxEngine {
    /// Logs a warning about strays, once for each API.
    func warn(of strays: StrayEntries, at client: APIClient) {
        guard let warning = strays.warning, read({ $0.warned.insert(client.index).inserted }) else { return }
        client.api.makeLogger().warning("\(warning)")
    }
}
