package import Conventions
import Synchronization

/// Values of query parameters that are secret, whatever the parameters are called: API keys.
///
/// A key is known to the whole process, since URLs with it come back in places that know no request: in links to next
/// pages, errors and bookmarks. Only hashes are kept, so that no key stays in memory for its sake.
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
    /// The URL without its secrets, API keys included: what every text shows of a URL that requests go to.
    package static func text(ofRequest url: String) -> String { text(of: url, hiding: SecretValues.contain) }
}
