/// Who asks.
struct Viewer: Sendable {
    /// The account that acts; nil for an anonymous request to a server that wants a token.
    let userID: Int?
    /// Whether the request had credentials.
    let hasCredentials: Bool
}
