/// The naming rules of an API: how it writes words in JSON, and which of its words mean which words in Swift.
///
/// ```swift
/// let conventions = NamingConventions.github.registering(json: "repo", swift: "repository")
/// ```
///
/// These turn every name that a model declares into its JSON name, once, when a store opens; an explicit name in the
/// declaration takes precedence over them all. If several conventions match the same words,
/// - the one with the most words is taken,
/// - among equals a model's own before its superclass's, then those registered here, then those of the ready-made
///   value,
/// - among those again the one registered last.
///
/// A registry is a value: registering returns a new one, and nothing is shared.
public struct NamingConventions: Hashable, Sendable {
    /// How the API writes the words of a name.
    public var jsonCase: JSONCase

    /// The conventions with where they come from, the oldest first.
    private(set) var entries: [Entry]

    struct Entry: Hashable, Sendable {
        let convention: NamingConvention
        /// Where the convention comes from, for explanations: "default convention".
        let origin: String
    }

    /// A registry of the given conventions and no others, not even the default ones.
    ///
    /// - Parameters:
    ///   - conventions: The conventions, the oldest first: if two match the same words, the later one is taken.
    ///   - jsonCase: How the API writes the words of a name.
    public init(_ conventions: [NamingConvention] = [], jsonCase: JSONCase = .snakeCase) {
        self.jsonCase = jsonCase
        self.entries = conventions.map { Entry(convention: $0, origin: Self.registeredOrigin) }
    }

    /// All conventions, the oldest first.
    public var conventions: [NamingConvention] {
        entries.map(\.convention)
    }

    /// The same registry with one more convention, which is taken before those that match as many words.
    ///
    /// - Parameters:
    ///   - json: The word or words in JSON, such as `repo`.
    ///   - swift: The word or words in Swift, such as `repository`.
    public func registering(json: String, swift: String) -> NamingConventions {
        registering(NamingConvention(json: json, swift: swift))
    }

    /// The same registry with more conventions, of which the last is taken first among those that match as many
    /// words.
    public func registering(_ conventions: NamingConvention...) -> NamingConventions {
        registering(conventions, origin: Self.registeredOrigin)
    }

    /// The same registry for an API that writes the words of its names in another case.
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

    /// The names of Rails' JSON: the same as ``default``.
    public static let rails = NamingConventions.default

    /// The names of GitHub's REST API: ``default``, and `+1` ↔ `plusOne`, `-1` ↔ `minusOne` for its reactions.
    public static let github = NamingConventions.default.registering(
        [
            NamingConvention(json: "+1", swift: "plusOne"),
            NamingConvention(json: "-1", swift: "minusOne"),
        ],
        origin: "GitHub convention")

    /// The names of Django REST Framework's serializers, which are Python's: the same as ``default``.
    public static let djangoREST = NamingConventions.default

    /// Member names as JSON:API 1.1 recommends them: camelCase, with the words of ``default``.
    ///
    /// See <https://jsonapi.org/recommendations/#naming>.
    public static let jsonAPI = NamingConventions.default.writing(.camelCase)

    /// camelCase names, with the words of ``default``: `userId` ↔ `userIdentifier`, `avatarUrl` ↔ `avatarURL`.
    public static let camelCase = NamingConventions.default.writing(.camelCase)
}

/// A pair of words: the API's name for something in JSON, and its name in Swift.
///
/// ```swift
/// NamingConvention(json: "id", swift: "identifier")      // user_id     ↔ userIdentifier
/// NamingConvention(json: "url", swift: "URL")            // avatar_url  ↔ avatarURL
/// NamingConvention(json: "repo", swift: "repository")    // repo_name   ↔ repositoryName
/// NamingConvention(json: "pr", swift: "pullRequest")     // pr_title    ↔ pullRequestTitle
/// ```
///
/// A convention is matched on whole words, in both directions, wherever they occur in a name: `id` matches in `id`,
/// `user_id` and `id_type`, and neither in `video` nor in `guid`. Each side may be several words, written in any case.
/// Letter case doesn't matter for matching; it is kept where Swift writes an acronym (`URL`), except at the beginning
/// of a name, where an acronym is in lower case (`url`; a property called `URL` is understood, too). A convention with
/// a side that contains no word matches nothing.
public struct NamingConvention: Hashable, Sendable {
    /// The word or words in JSON, such as `id` or `pull_request`.
    public let json: String

    /// The word or words in Swift, such as `identifier` or `pullRequest`.
    public let swift: String

    /// Makes a convention, which has an effect once it is registered with ``NamingConventions`` or a model.
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
