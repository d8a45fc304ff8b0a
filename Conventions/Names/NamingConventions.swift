/// The naming rules of an API: its letter case in JSON, and pairs of corresponding JSON and Swift words.
///
/// ```swift
/// let conventions = NamingConventions.github.registering(json: "repo", swift: "repository")
/// ```
///
/// They convert the names of all declared properties to JSON names, once, when a store opens. An explicit name in a
/// declaration takes precedence. If several conventions match the same words, the choice is:
///
/// - the convention with the most words,
/// - among these, the model's own before its superclass's, then those that you registered, then those of the predefined
///   value,
/// - among these, the one registered last.
///
/// This is a value type: registering returns a new value.
public struct NamingConventions: Hashable, Sendable {
    /// The API's letter case and word separators.
    public var jsonCase: JSONCase

    /// The oldest first.
    private(set) var entries: [Entry]

    struct Entry: Hashable, Sendable {
        let convention: NamingConvention
        /// For explanations: "default convention".
        let origin: String
    }

    /// Creates a registry of the given conventions only. The default ones are excluded.
    ///
    /// - Parameters:
    ///   - conventions: The conventions, the oldest first. If two match the same words, the later one takes precedence.
    ///   - jsonCase: The API's letter case and word separators.
    public init(_ conventions: [NamingConvention] = [], jsonCase: JSONCase = .snakeCase) {
        self.jsonCase = jsonCase
        self.entries = conventions.map { Entry(convention: $0, origin: Self.registeredOrigin) }
    }

    /// All conventions, the oldest first.
    public var conventions: [NamingConvention] {
        entries.map(\.convention)
    }

    /// Returns this registry with one more convention. It takes precedence over those that match as many words.
    ///
    /// - Parameters:
    ///   - json: The word or words in JSON, such as `repo`.
    ///   - swift: The word or words in Swift, such as `repository`.
    public func registering(json: String, swift: String) -> NamingConventions {
        registering(NamingConvention(json: json, swift: swift))
    }

    /// Returns this registry with more conventions. Among those that match as many words, the last takes precedence.
    public func registering(_ conventions: NamingConvention...) -> NamingConventions {
        registering(conventions, origin: Self.registeredOrigin)
    }

    /// Returns this registry for an API with another letter case.
    public func writing(_ jsonCase: JSONCase) -> NamingConventions {
        var copy = self
        copy.jsonCase = jsonCase
        return copy
    }

    func registering(_ conventions: [NamingConvention], origin: String) -> NamingConventions {
        var copy = self
        copy.entries += conventions.map { Entry(convention: $0, origin: origin) }
        return copy
    }

    private static let registeredOrigin = "registered convention"
}

extension NamingConventions {
    /// snake_case names, with `id` ↔ `identifier`, `ids` ↔ `identifiers`, `url` ↔ `URL` and `urls` ↔ `URLs`.
    public static let `default` = NamingConventions().registering(
        [
            NamingConvention(json: "id", swift: "identifier"),
            NamingConvention(json: "ids", swift: "identifiers"),
            NamingConvention(json: "url", swift: "URL"),
            NamingConvention(json: "urls", swift: "URLs"),
        ],
        origin: "default convention")

    /// Names in Rails' JSON: the same as ``default``.
    public static let rails = NamingConventions.default

    /// Names in GitHub's REST API: ``default``, and `+1` ↔ `plusOne`, `-1` ↔ `minusOne` for reactions.
    public static let github = NamingConventions.default.registering(
        [
            NamingConvention(json: "+1", swift: "plusOne"),
            NamingConvention(json: "-1", swift: "minusOne"),
        ],
        origin: "GitHub convention")

    /// Names in Django REST Framework's serializers, which are Python names: the same as ``default``.
    public static let djangoREST = NamingConventions.default

    /// Member names as JSON:API 1.1 recommends them: camelCase, with the words of ``default``.
    ///
    /// See <https://jsonapi.org/recommendations/#naming>.
    public static let jsonAPI = NamingConventions.default.writing(.camelCase)

    /// camelCase names, with the words of ``default``: `userId` ↔ `userIdentifier`, `avatarUrl` ↔ `avatarURL`.
    public static let camelCase = NamingConventions.default.writing(.camelCase)
}

/// A pair of corresponding words: the API's word in JSON, and the word in Swift.
///
/// ```swift
/// NamingConvention(json: "id", swift: "identifier")      // user_id     ↔ userIdentifier
/// NamingConvention(json: "url", swift: "URL")            // avatar_url  ↔ avatarURL
/// NamingConvention(json: "repo", swift: "repository")    // repo_name   ↔ repositoryName
/// NamingConvention(json: "pr", swift: "pullRequest")     // pr_title    ↔ pullRequestTitle
/// ```
///
/// A convention matches whole words, in both directions, anywhere in a name: `id` matches in `id`, `user_id` and
/// `id_type`, but not in `video` or `guid`. Each side may have several words, in any case.
///
/// Matching ignores letter case. A Swift acronym (`URL`) keeps its case, except at the beginning of a name, where it is
/// in lower case (`url`; a property named `URL` is accepted, too). A convention with an empty side has no effect.
public struct NamingConvention: Hashable, Sendable {
    /// The word or words in JSON, such as `id` or `pull_request`.
    public let json: String

    /// The word or words in Swift, such as `identifier` or `pullRequest`.
    public let swift: String

    /// Creates a convention. Register it with ``NamingConventions`` or a model.
    public init(json: String, swift: String) {
        self.json = json
        self.swift = swift
    }
}

extension NamingConvention: CustomStringConvertible {
    /// `"id" ↔ "identifier"`.
    public var description: String {
        "\"\(json)\" ↔ \"\(swift)\""
    }
}

/// The letter case and word separators of member names in an API's JSON.
public enum JSONCase: Hashable, Sendable, CaseIterable {
    /// `created_at`, as in Rails, Django REST Framework and GitHub.
    case snakeCase

    /// `createdAt`, as JSON:API 1.1 recommends.
    case camelCase

    /// `created-at`.
    case kebabCase

    /// `CreatedAt`.
    case pascalCase

    var explanation: String {
        switch self {
        case .snakeCase: "words joined with \"_\""
        case .kebabCase: "words joined with \"-\""
        case .camelCase: "words joined in camelCase"
        case .pascalCase: "words joined in PascalCase"
        }
    }
}
