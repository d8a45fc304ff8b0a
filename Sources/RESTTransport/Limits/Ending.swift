import HTTPTypes

/// How a request has ended, as far as limits go.
package struct Ending: Sendable {
    private enum Failure: Sendable {
        case ofServer(String)
        case ofConnection(String)
        /// 500.
        case here(String)
        case unknown
    }

    /// What the reply says of limits; nil when it says nothing.
    package private(set) var said: LimitStatement?
    /// That the request was refused for them.
    private(set) var refusal: LimitRefusal?
    /// Whether the server has answered, be it by a failure.
    private(set) var isAnswer = false
    /// Whether the server may have counted it.
    private(set) var mayCount = true
    private var failure: Failure?

    /// A request that had no reply for less than this is no sign that the server fails: its caller was in a hurry.
    private static let patience = Duration.seconds(5)

    /// - Parameters:
    ///   - isOwn: whether the API's own server has answered.
    ///   - localTime: seconds since 1970, for servers that don't say theirs.
    package init(_ reply: borrowing APIResponse, isOwn: Bool = true, localTime: @autoclosure () -> Int) {
        isAnswer = true
        guard isOwn else { return }
        let status = reply.status.code
        let statement = LimitStatement(reply.headerFields, localTime: localTime())
        if !statement.quotas.isEmpty || statement.retryAfter != nil { said = statement }
        if status == 429 || status == 403 { refusal = LimitRefusal(reply, statement) }
        // What has not changed costs nothing at most servers.
        mayCount = status != 304
        switch status {
        case 500: failure = .here("500")
        case 502...504, 520...530: failure = .ofServer("\(status)")
        default: break
        }
    }

    /// - Parameters:
    ///   - duration: how long it was under way.
    ///   - isOverdue: whether its time was over.
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

    /// Whether the request was refused for the server's limits.
    var isRefused: Bool { refusal != nil }

    /// Whether it is to be sent again once it may: nobody knows when where the server hasn't said.
    var isHeld: Bool { (refusal?.wait ?? .zero) > .zero }

    /// What it tells of the server.
    func sign(_ path: Substring) -> Circuit.Sign {
        switch failure {
        case .ofServer(let name): .failure(name, isOfConnection: false)
        case .ofConnection(let name): .failure(name, isOfConnection: true)
        case .here(let name): .failureHere(name, path: String(path))
        case .unknown: .nothing
        case nil: .answer
        }
    }
}
