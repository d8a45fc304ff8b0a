import Conventions
import ObjectStore

extension ModelSchema {
    /// - Parameters:
    ///   - name: the API that takes the key: `User.repositories`.
    ///   - call: the correct call, for the message.
    /// - Throws: ``RouteProblem/keyExpected(of:call:model:found:)`` for a path or URL that is no key of this model.
    func checkKey(_ key: RouteValue, of name: String, as call: String) throws(APIError) {
        guard let text = key.text, let property = self.key.map({ self[$0] }), isURL(text, at: property) else { return }
        throw .route(
            .keyExpected(of: name, call: call, model: modelName, found: RedactedURL.text(of: text)))
    }

    private func isURL(_ text: String, at key: Property) -> Bool {
        // A slash at the beginning, or two, would make an empty segment.
        let begins = ["/", "https://", "http://"].contains { text.lowercased().hasPrefix($0) }
        guard case .attribute(let kind, _, _) = key.kind else { return begins }
        return switch kind {
        // Hyperlinked APIs have URLs as keys.
        case .url: false
        case .boolean, .integer, .unsigned, .wideInteger, .real, .float, .decimal, .uuid: text.contains("/")
        case .text, .date, .data, .json, .list, .set, .dictionary: begins
        }
    }
}
