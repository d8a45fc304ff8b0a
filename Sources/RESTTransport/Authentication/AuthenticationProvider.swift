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
/// Its `intercept` has the rule of all providers, so that a type of your own needs no other function:
///
/// - Credentials go to the API's own origin only. A request that has an `Authorization` already keeps it.
/// - After a reply with status 401 the provider is asked for other credentials. If there are some, the request is sent
///   once more, unless its body can't be read again or a redirect by 303 has answered it already.
/// - A 401 of another origin, to which a redirect led, says nothing about the credentials.
public protocol AuthenticationProvider: Middleware {
    /// A name for the account, the same after its credentials have been renewed. It is never sent or logged.
    ///
    /// Each account has its own limits in a ``Governor``. Without a name, other credentials count as another account.
    var account: String? { get }

    /// Whether a request gets credentials of this provider; by default each one that has no `Authorization`.
    func accepts(_ request: APIRequest) -> Bool

    /// Adds the credentials to a request.
    ///
    /// - Returns: The request to send; unchanged if the server has to ask for credentials first.
    /// - Throws: ``TransportError/Reason/credentialUnavailable(_:)`` if there are none; nothing is sent then.
    func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest

    /// Handles a reply with status 401; by default there are no other credentials.
    ///
    /// - Parameters:
    ///   - reply: The reply.
    ///   - request: The request with the rejected credentials, as ``authenticated(_:)`` returned it.
    /// - Returns: Whether ``authenticated(_:)`` adds other credentials now. The request is sent once more then;
    ///   otherwise the caller gets the reply.
    /// - Throws: ``TransportError`` if the credentials are used up, and the caller has to know why.
    func credentialsRejected(_ reply: APIResponse, to request: APIRequest) async throws(TransportError) -> Bool

    /// Handles a reply of any other status; by default does nothing.
    func credentialsAccepted(_ reply: APIResponse, to request: APIRequest)
}

extension AuthenticationProvider {
    /// No name.
    public var account: String? { nil }

    /// Whether the request has no `Authorization`.
    public func accepts(_ request: APIRequest) -> Bool { !request.headerFields.contains(.authorization) }

    /// Returns false: there are no other credentials.
    public func credentialsRejected(_: APIResponse, to _: APIRequest) async throws(TransportError) -> Bool { false }

    /// Does nothing.
    public func credentialsAccepted(_: APIResponse, to _: APIRequest) {}

    /// Sends the request with credentials added; after a 401 once more with other ones, if there are some.
    ///
    /// - Throws: The errors of `next` and of the provider.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        try await authenticate(request, next: next)
    }

    /// The rule of all providers.
    func authenticate(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        guard request.mayCarryCredentials, accepts(request) else { return try await next(request) }
        var request = request
        if let account, let required = request.passage.requiredAccount, required != account {
            throw TransportError(.credentialUnavailable("another account is signed in"), request)
        }
        if let account { request.passage.account = account }
        let sent = try await authenticated(request)
        let reply = try await next(sent)
        guard reply.isOfAPI(of: sent) else { return reply }
        guard reply.status == .unauthorized else {
            credentialsAccepted(reply, to: sent)
            return reply
        }
        guard reply.mayBeAskedAgain(request), try await credentialsRejected(reply, to: sent) else { return reply }
        var sentAgain = try await authenticated(request)
        sentAgain.passage.resends += 1
        let secondReply = try await next(sentAgain)
        if secondReply.status != .unauthorized, secondReply.isOfAPI(of: sentAgain) {
            credentialsAccepted(secondReply, to: sentAgain)
        }
        return secondReply
    }
}

extension APIResponse {
    /// Whether the API's own origin gave this reply. A reply of the store, and one behind a redirect through another
    /// origin, are not: they say nothing about the request's credentials.
    func isOfAPI(of request: APIRequest) -> Bool {
        unsent == nil && !hasLeftOrigin && Origin(url) == request.apiOrigin
    }
}
