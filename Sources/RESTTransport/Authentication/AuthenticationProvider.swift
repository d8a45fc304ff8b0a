import HTTPTypes

/// Adds an account's credentials to requests, and replaces them when the server rejects them.
///
/// ```swift
/// struct Signature: AuthenticationProvider {
///     let account: String? = "robot"
///     func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest {
///         var request = request
///         request.headerFields[.authorization] = "Robot \(signature(of: request))"
///         return request
///     }
/// }
/// ```
///
/// The default `intercept` implements these rules, so your own type needs only `authenticated(_:)`:
///
/// - Credentials are sent to the API's own origin only. A request's own `Authorization` field stays.
/// - After a 401, the provider is asked for other credentials. If it has some, the request is sent once more, unless
///   its body can be read only once, or it isn't idempotent and a 303 redirect has answered it.
/// - A 401 after a redirect to another origin is returned.
public protocol AuthenticationProvider: Middleware {
    /// A name for the account, which stays the same when its credentials are renewed. It is never sent or logged.
    ///
    /// Each account has its own limits in a ``Governor``. If the name is nil, new credentials count as a new account.
    var account: String? { get }

    /// Whether this provider adds credentials to a request; by default, true if its `Authorization` field is missing.
    func accepts(_ request: APIRequest) -> Bool

    /// Adds the credentials to a request.
    ///
    /// - Returns: The request to send; unchanged if the server has to send a challenge first.
    /// - Throws: ``TransportError/Reason/credentialUnavailable(_:)`` if there are no credentials. The request is not
    ///   sent then.
    func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest

    /// Handles a reply with status 401. The default implementation returns false.
    ///
    /// - Parameters:
    ///   - reply: The reply.
    ///   - request: The request with the rejected credentials, as ``authenticated(_:)`` returned it.
    /// - Returns: Whether ``authenticated(_:)`` now adds other credentials. If true, the request is sent once more; if
    ///   false, the caller gets the reply.
    /// - Throws: ``TransportError`` if obtaining new credentials fails. The caller gets this error instead of the
    ///   reply.
    func credentialsRejected(_ reply: APIResponse, to request: APIRequest) async throws(TransportError) -> Bool

    /// Handles a reply of any other status. The default implementation does nothing.
    func credentialsAccepted(_ reply: APIResponse, to request: APIRequest)
}

extension AuthenticationProvider {
    /// Nil: each credential counts as an account.
    public var account: String? { nil }

    /// Whether the request's `Authorization` field is missing.
    public func accepts(_ request: APIRequest) -> Bool { !request.headerFields.contains(.authorization) }

    /// Returns false: the caller gets the reply.
    public func credentialsRejected(_: APIResponse, to _: APIRequest) async throws(TransportError) -> Bool { false }

    /// Does nothing.
    public func credentialsAccepted(_: APIResponse, to _: APIRequest) {}

    /// Sends the request with credentials, and once more after a 401 if there are others.
    ///
    /// - Throws: The errors of `next` and of the provider.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        try await authenticate(request, next: next)
    }

    /// The default `intercept`, for providers that wrap it.
    func authenticate(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        guard request.mayCarryCredentials, accepts(request) else { return try await next(request) }
        var request = request
        if let account, let required = request.chainState.requiredAccount, required != account {
            throw TransportError(.credentialUnavailable("another account is signed in"), request)
        }
        if let account { request.chainState.account = account }
        let sent = try await authenticated(request)
        let reply = try await next(sent)
        guard reply.isOfAPI(of: sent) else { return reply }
        guard reply.status == .unauthorized else {
            credentialsAccepted(reply, to: sent)
            return reply
        }
        guard reply.mayBeAskedAgain(request), try await credentialsRejected(reply, to: sent) else { return reply }
        var sentAgain = try await authenticated(request)
        sentAgain.chainState.resends += 1
        let secondReply = try await next(sentAgain)
        if secondReply.status != .unauthorized, secondReply.isOfAPI(of: sentAgain) {
            credentialsAccepted(secondReply, to: sentAgain)
        }
        return secondReply
    }
}

extension APIResponse {
    /// Whether the API's own origin, without a redirect through another one, has accepted or rejected the credentials.
    /// False for a reply from the store.
    func isOfAPI(of request: APIRequest) -> Bool {
        unsent == nil && !hasLeftOrigin && Origin(url) == request.apiOrigin
    }
}
