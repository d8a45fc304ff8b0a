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
