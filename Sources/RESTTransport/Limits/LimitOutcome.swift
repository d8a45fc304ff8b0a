import HTTPTypes

/// A request's outcome, as far as limits are concerned.
package struct LimitOutcome: Sendable {
    private enum Failure: Sendable {
        case ofServer(String)
        case ofConnection(String)
        /// Status 500.
        case here(String)
        case unknown
    }

    /// Nil if the reply states none.
    package private(set) var stated: LimitStatement?
    private(set) var refusal: LimitRefusal?
    /// Whether the server has replied, even with an error, or unusably.
    private(set) var isAnswer = false
    private(set) var mayCount = true
    private var failure: Failure?

    /// A shorter timeout says nothing about the server.
    private static let patience = Duration.seconds(5)

    /// - Parameters:
    ///   - isOwn: whether the API's own server replied.
    ///   - localTime: seconds since 1970, in place of the server's.
    package init(_ reply: borrowing APIResponse, isOwn: Bool = true, localTime: @autoclosure () -> Int) {
        isAnswer = true
        guard isOwn else { return }
        let status = reply.status.code
        let statement = LimitStatement(reply.headerFields, localTime: localTime())
        if !statement.quotas.isEmpty || statement.retryAfter != nil { stated = statement }
        if status == 429 || status == 403 { refusal = LimitRefusal(reply, statement) }
        // Most servers don't count a 304.
        mayCount = status != 304
        switch status {
        case 500: failure = .here("500")
        case 502...504, 520...530: failure = .ofServer("\(status)")
        default: break
        }
    }

    /// - Parameters:
    ///   - duration: of the request until the error.
    ///   - isOverdue: whether its deadline has passed.
    package init(_ error: TransportError, after duration: Duration, isOverdue: Bool) {
        switch error.reason {
        case .connectionRefused, .connectionFailed:
            failure = .ofConnection(error.reason.description)
            mayCount = false
        case .connectionLost: failure = .ofConnection(error.reason.description)
        case .timedOut where duration >= Self.patience: failure = .ofServer("no reply in time")
        case .cancelled where isOverdue && duration >= Self.patience: failure = .ofServer("no reply in time")
        case .malformedResponse, .undecoded, .tooLarge, .tooManyRedirects, .redirectLoop, .insecureRedirect,
            .invalidRedirect, .redirectedWrite, .unwritableFile:
            isAnswer = true
        case .timedOut, .cancelled, .tls, .unreadableBody, .other: failure = .unknown
        case .invalidURL, .credentialUnavailable, .tokenRefused, .limited, .circuitOpen:
            (failure, mayCount) = (.unknown, false)
        }
    }

    var isRefused: Bool { refusal != nil }

    /// Whether to send it again after a known wait.
    var isHeld: Bool { (refusal?.wait ?? .zero) > .zero }

    /// - Parameter path: With the query.
    func sign(_ path: Substring) -> Circuit.Sign {
        switch failure {
        case .ofServer(let name): .failure(name, isOfConnection: false)
        case .ofConnection(let name): .failure(name, isOfConnection: true)
        case .here(let name): .failureHere(name, path: String(path.prefix { $0 != "?" }))
        case .unknown: .nothing
        case nil: .answer
        }
    }
}
