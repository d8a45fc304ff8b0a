extension String {
    /// The name in lower case, underscores and hyphens removed. `access_token` and `accessToken` share it.
    var withoutSpelling: String { lowercased().filter { $0 != "_" && $0 != "-" } }
}
