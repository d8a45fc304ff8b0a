import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends a user name and a password with every request to the API's own origin, as `Authorization: Basic …`
/// ([RFC 7617](https://www.rfc-editor.org/rfc/rfc7617)).
///
/// A request that has an `Authorization` already keeps it; other origins get nothing.
public struct BasicAuthentication: Middleware {
    private let user: String
    private let password: String

    /// Authenticates as this user.
    ///
    /// - Parameters:
    ///   - user: The user name, without a colon.
    ///   - password: The password.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Sends the request with `Authorization` added.
    ///
    /// - Throws: ``TransportError/Reason/credentialUnavailable(_:)`` when the user name has a colon, since the server
    ///   would read another name.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        guard request.mayCarryCredentials, !request.headerFields.contains(.authorization) else {
            return try await next(request)
        }
        guard !user.contains(":") else {
            throw TransportError(.credentialUnavailable("the user name has a colon"), request)
        }
        var authenticated = request
        authenticated.headerFields[.authorization] =
            "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        return try await next(authenticated)
    }
}

extension BasicAuthentication: CustomStringConvertible, CustomReflectable {
    /// The type's name alone.
    public var description: String { "BasicAuthentication" }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
