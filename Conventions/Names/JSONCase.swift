/// How an API writes the words of a member name in JSON.
public enum JSONCase: Hashable, Sendable, CaseIterable {
    /// `created_at`, as Rails, Django REST Framework and GitHub have it.
    case snakeCase

    /// `createdAt`, as JSON:API 1.1 recommends.
    case camelCase

    /// `created-at`.
    case kebabCase

    /// `CreatedAt`.
    case pascalCase

    /// The rule in words, for explanations.
    var explanation: String {
        switch self {
        case .snakeCase: "words joined with \"_\""
        case .kebabCase: "words joined with \"-\""
        case .camelCase: "words joined in camelCase"
        case .pascalCase: "words joined in PascalCase"
        }
    }
}
