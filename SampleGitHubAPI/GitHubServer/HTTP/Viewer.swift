/// The user of a request.
struct Viewer: Sendable {
    /// The account that acts; nil for an anonymous request to a server that wants a token.
    let userID: Int?
    let hasCredentials: Bool
}
