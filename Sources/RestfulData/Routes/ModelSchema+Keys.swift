import Conventions
import ObjectStore

extension ModelSchema {
    /// Refuses a path or a URL in place of a key, where no key of such objects can be one.
    ///
    /// - Parameters:
    ///   - name: what takes the key: `User.repositories`.
    ///   - call: how it is called with one.
    /// - Throws: ``RouteProblem/keyExpected(of:call:model:found:)``.
    func checkKey(_ key: RouteValue, of name: String, as call: String) throws(APIError) {
        guard let text = key.text, let property = self.key.map({ self[$0] }), isURL(text, at: property) else { return }
        throw .route(
            .keyExpected(of: name, call: call, model: modelName, found: RedactedURL.text(of: text)))
    }

    private func isURL(_ text: String, at key: Property) -> Bool {
        // Neither can be sent as a key anyway: two slashes, or one at the beginning, make an empty segment.
        let begins = ["/", "https://", "http://"].contains { text.lowercased().hasPrefix($0) }
        guard case .attribute(let kind, _, _) = key.kind else { return begins }
        return switch kind {
        // Hyperlinked APIs name their objects so.
        case .url: false
        case .boolean, .integer, .unsigned, .wideInteger, .real, .float, .decimal, .uuid: text.contains("/")
        case .text, .date, .data, .json, .list, .set, .dictionary: begins
        }
    }
}
