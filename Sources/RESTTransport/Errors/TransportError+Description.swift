extension TransportError: CustomStringConvertible {
    /// One line: the request without secrets, what went wrong, and what to do where that is known.
    public var description: String {
        let line = "\(request): \(reason)"
        return advice.map { "\(line); \($0)" } ?? line
    }

    /// What the caller can do, in a few words; nil where the reason says all.
    public var advice: String? {
        switch reason {
        case .connectionRefused: "check that the server runs and that host and port are right"
        case .connectionFailed: "check the network and the host's name"
        case .tls: "check the scheme, the port and the server's certificate"
        case .connectionLost: "send it again if the request is safe to repeat"
        case .malformedResponse: "check that an HTTP server answers at this URL"
        case .tooLarge: "ask for less at once, or allow the transport a larger reply"
        case .tooManyRedirects, .redirectLoop, .invalidRedirect: "check the URL; the server misdirects it"
        case .insecureRedirect: "use the URL that the server means, or have the server fixed"
        case .timedOut: "allow the request a longer timeout, or ask for less at once"
        case .credentialUnavailable: "provide a valid token or password"
        case .invalidURL, .cancelled, .other: nil
        }
    }
}

extension TransportError.Reason: CustomStringConvertible {
    /// What went wrong, in a few words.
    public var description: String {
        switch self {
        case .invalidURL(let why): "the URL can't be used: \(why)"
        case .credentialUnavailable(let why): "there is no credential to send: \(why)"
        case .connectionRefused: "the connection was refused"
        case .connectionFailed(let why): "no connection could be made: \(why)"
        case .tls(let why): "the secure connection failed: \(why)"
        case .connectionLost: "the connection was lost before the whole reply had come"
        case .malformedResponse(let how): "the reply is not valid HTTP: \(how)"
        case .tooLarge(let limit): "the reply is larger than \(limit) bytes"
        case .tooManyRedirects(let limit): "there were more than \(limit) redirects"
        case .redirectLoop(let url): "redirects lead back to \(url)"
        case .insecureRedirect(let url): "a redirect leads from https to \(url)"
        case .invalidRedirect(let url): "a redirect leads to \(url), which is no http or https URL"
        case .timedOut(let limit): "no whole reply came within \(limit)"
        case .cancelled: "the request was cancelled"
        case .other(let what): what
        }
    }
}
