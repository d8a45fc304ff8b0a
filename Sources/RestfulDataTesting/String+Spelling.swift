extension String {
    /// The name without its letter case, underscores and hyphens, which `access_token` and `accessToken` share.
    var withoutSpelling: String { lowercased().filter { $0 != "_" && $0 != "-" } }
}
