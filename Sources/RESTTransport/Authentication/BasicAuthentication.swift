import HTTPTypes

/// Sends a user name and a password with every request to the API's own origin, as `Authorization: Basic …`
/// ([RFC 7617](https://www.rfc-editor.org/rfc/rfc7617)).
///
/// A request's own `Authorization` field stays.
public struct BasicAuthentication: AuthenticationProvider {
    /// A name for the account; nil if user and password identify it.
    public let account: String?
    private let login: Login

    /// Authenticates as this user.
    ///
    /// - Parameters:
    ///   - user: The user name, without a colon.
    ///   - account: A name for the account, so that its limits survive a new password.
    public init(user: String, password: String, account: String? = nil) {
        login = Login(user: user, password: password)
        self.account = account
    }

    /// Adds `Authorization`.
    ///
    /// - Throws: ``TransportError/Reason/credentialUnavailable(_:)`` if the user name contains a colon, which would
    ///   split it.
    public func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest {
        var request = request
        request.headerFields[.authorization] = try login.basic(for: request)
        return request
    }
}

extension BasicAuthentication: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "BasicAuthentication" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
