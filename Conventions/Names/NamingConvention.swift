/// A pair of words: what the API calls something in JSON, and what it is called in Swift.
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
/// Letter case does not matter to matching; it is kept where Swift writes an acronym (`URL`), but at the beginning of
/// a name, where an acronym is in lower case (`url`; a property called `URL` is understood, too). A convention with a
/// side that contains no word matches nothing.
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
