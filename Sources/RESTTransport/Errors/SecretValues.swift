package import Conventions
import Synchronization

/// Secret values of query parameters, independent of the parameters' names: API keys.
///
/// The set is global to the process, because URLs with a key also appear far from their request: in links to next
/// pages, errors and bookmarks. It contains only hashes of the keys.
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
    /// A request's URL with its secrets replaced, API keys included. Every text that shows such a URL uses it.
    package static func text(ofRequest url: String) -> String { text(of: url, hiding: SecretValues.contain) }

    /// Whether the value of a query parameter is an API key (``APIKey``), for a parameter of any name.
    package static func isAPIKey(_ value: String) -> Bool { SecretValues.contain(value) }
}
