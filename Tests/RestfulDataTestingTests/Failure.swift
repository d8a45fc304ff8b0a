import RestfulData

/// The error that an operation throws.
@MainActor func failure(_ body: () async throws -> Void) async -> (any Error)? {
    do { try await body() } catch { return error }
    return nil
}

extension Error {
    /// The server's reply to a request that it rejected.
    var reply: ReplyError? {
        switch self as? APIError {
        case .reply(let error): error
        default: nil
        }
    }

    /// The reason why the reply is missing.
    var lost: TransportError.Reason? {
        if case .transport(let error) = self as? APIError { error.reason } else { nil }
    }
}
