import Conventions
import ObjectStore

extension ModelSchema {
    /// Throws if a caller passes a path or URL in place of a key, unless it can be a key of this model.
    ///
    /// - Parameters:
    ///   - name: the API that takes the key: `User.repositories`.
    ///   - call: the correct call, for the message.
    /// - Throws: ``RouteProblem/keyExpected(of:call:model:found:)``.
    func checkKey(_ key: RouteValue, of name: String, as call: String) throws(APIError) {
        guard let text = key.text, let property = self.key.map({ self[$0] }), isURL(text, at: property) else { return }
        throw .route(
            .keyExpected(of: name, call: call, model: modelName, found: RedactedURL.text(of: text)))
    }

    private func isURL(_ text: String, at key: Property) -> Bool {
        // Such text is invalid as a key, because an initial or double slash makes an empty segment.
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
