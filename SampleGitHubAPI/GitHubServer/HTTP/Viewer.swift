struct Viewer: Sendable {
    /// nil for an anonymous request to a server that wants a token.
    let userID: Int?
    let hasCredentials: Bool
}
