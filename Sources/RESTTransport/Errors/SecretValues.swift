package import Conventions
import Synchronization

/// API keys in queries, independent of the parameters' names. Only hashes are kept.
///
/// The set is global, because URLs with a key also appear far from their request: in links to next pages, errors and
/// bookmarks.
enum SecretValues {
    private static let hashes = Mutex<Set<Int>>([])

    static func insert(_ value: String) {
        guard !value.isEmpty else { return }
        _ = hashes.withLock { $0.insert(hash(value)) }
    }

    static func contain(_ value: String) -> Bool {
        hashes.withLock { !$0.isEmpty && $0.contains(hash(value)) }
    }

    private static func hash(_ value: String) -> Int {
        var hasher = Hasher()
        hasher.combine(value)
        return hasher.finalize()
    }
}

extension RedactedURL {
    /// The URL with `REDACTED` for secrets, API keys included. Every text that shows a request's URL uses it.
    package static func text(ofRequest url: String) -> String { text(of: url, hiding: SecretValues.contain) }

    /// Whether a value is an API key, for a parameter of any name.
    package static func isAPIKey(_ value: String) -> Bool { SecretValues.contain(value) }
}
