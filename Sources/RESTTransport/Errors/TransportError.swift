// TransportError: there is no complete reply. (A reply with an error status is an APIResponse, not an error.)

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The error of a request without a reply.
///
/// Secrets of the request are replaced.
public struct TransportError: Error, Sendable, Hashable {
    /// The reason of the failure.
    public enum Reason: Sendable, Hashable {
        /// The URL is unusable; the text explains why. The request stays unsent.
        case invalidURL(String)
        /// The token or password is missing or unusable; the text explains why. The request stays unsent.
        case credentialUnavailable(String)
        /// Getting a token by OAuth 2 failed; the error explains why. The request stays unsent.
        case tokenRefused(OAuth2Error)
        /// Reading the request's body failed; the text explains why. The server may have received a part of it.
        case unreadableBody(String)
        /// Requests are held back until this date, which is after the request's timeout. The limits are the server's,
        /// from its replies, or if `isOwn` is true the API's own ``RequestLimits``. The request stays unsent.
        case limited(until: Date, isOwn: Bool = false)
        /// The server has failed `failures` times in a row; the text is the last failure. Requests are stopped until
        /// this date. Then one request tests whether the server has recovered. This request stays unsent.
        case circuitOpen(until: Date, failures: Int, String)
        /// The port refuses connections. The request stays unsent.
        case connectionRefused
        /// Connecting failed; the text explains why. The request stays unsent.
        case connectionFailed(String)
        /// The secure connection failed or broke; the text explains why.
        case tls(String)
        /// The connection ended early. The server may have acted on the request.
        case connectionLost
        /// The reply is invalid HTTP or contradicts itself; the text explains how. The server may have acted.
        case malformedResponse(String)
        /// The body has this content encoding, for example `br`, which this library can't decode. The server has acted.
        case undecoded(encoding: String)
        /// The body is longer than `limit` bytes, counted after decompression. The server has acted.
        case tooLarge(limit: Int)
        /// Writing the reply's body to its file failed; the text explains why. The server has acted.
        case unwritableFile(String)
        /// There were more redirects than `limit`.
        case tooManyRedirects(limit: Int)
        /// Redirects lead back to this URL, in which secrets are replaced.
        case redirectLoop(to: String)
        /// A redirect, or the link to a list's next page, leads from `https` to this unencrypted URL, in which secrets
        /// are replaced.
        case insecureRedirect(to: String)
        /// A redirect points to this text, in which secrets are replaced. `why` is the problem, for example "which
        /// names no host". Only `http` and `https` URLs with a host are followed.
        case invalidRedirect(to: String, why: String)
        /// A 301 or 302 redirect points a write to this URL, in which secrets are replaced. Most clients would send a
        /// GET instead of a POST, and the write would be lost. 307 and 308 keep the method.
        case redirectedWrite(to: String)
        /// The exchange exceeded its timeout. The server may have acted on the request.
        case timedOut(after: Duration)
        /// The calling task was cancelled. The server may have acted on the request.
        case cancelled
        /// Another failure. Secrets are removed from its description.
        case other(String)
    }

    /// The reason of the failure.
    public let reason: Reason

    /// The request, with secrets replaced.
    public let request: RequestSummary

    /// Whether the request ended before it was sent, for an error whose reason leaves that open. Equality ignores it.
    private var isUnsent = false

    /// Creates an error, for transports and middleware.
    ///
    /// - Parameter reason: The reason; its texts must be free of secrets.
    public init(_ reason: Reason, _ request: RequestSummary) {
        self.reason = reason
        self.request = request
    }

    /// Creates an error, for transports and middleware.
    public init(_ reason: Reason, _ request: APIRequest) {
        self.init(reason, RequestSummary(request))
    }

    /// The error of a request that was cancelled before this attempt, and is unsent unless it was repeated.
    static func cancelled(before request: APIRequest) -> TransportError {
        var error = TransportError(.cancelled, request)
        error.isUnsent = request.chainState.resends == 0
        return error
    }

    /// The time-out that a cancellation stands for.
    func timedOut(_ request: APIRequest) -> TransportError {
        var error = TransportError(.timedOut(after: request.timeout), request)
        error.isUnsent = isUnsent
        return error
    }

    /// Compares the reasons and the requests.
    public static func == (a: TransportError, b: TransportError) -> Bool {
        a.reason == b.reason && a.request == b.request
    }

    /// Hashes the reason and the request.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(reason)
        hasher.combine(request)
    }

    package var isOfLimits: Bool {
        switch reason {
        case .limited, .circuitOpen: true
        default: false
        }
    }

    var isTimeout: Bool { if case .timedOut = reason { true } else { false } }

    /// Whether the API got nothing, and so can't have acted.
    package var saysUnsent: Bool {
        if isUnsent { return true }
        return switch reason {
        case .connectionRefused, .connectionFailed, .invalidURL, .credentialUnavailable, .tokenRefused, .limited,
            .circuitOpen:
            true
        default: false
        }
    }

    /// Whether the request may succeed a moment later: connecting failed, or the connection broke.
    ///
    /// After ``Reason/connectionLost`` the server may have acted.
    public var isTransient: Bool {
        switch reason {
        case .connectionRefused, .connectionFailed, .connectionLost: true
        default: false
        }
    }
}

extension TransportError: CustomStringConvertible {
    /// One line: the request, the reason, and advice if there is some. Secrets are replaced.
    public var description: String {
        let line = "\(request): \(reason)"
        return advice.map { "\(line); \($0)" } ?? line
    }

    /// Some servers send these encodings unasked.
    private static let encodings = ["br": "Brotli", "zstd": "Zstandard", "compress": "LZW"]

    /// Advice for the caller in a few words; nil if the reason suffices.
    public var advice: String? {
        switch reason {
        case .limited(_, isOwn: true):
            "send it again then, allow it a longer timeout, or allow more in the RequestLimits"
        case .limited: "send it again then, or allow it a longer timeout"
        case .circuitOpen: "send it again then; the server or the way to it is in trouble"
        case .connectionRefused: "check that the server runs and that host and port are right"
        case .connectionFailed: "check the network and the host's name"
        case .tls: "check the scheme, the port and the server's certificate"
        case .connectionLost: "send it again if the request is safe to repeat"
        case .malformedResponse: "check that an HTTP server answers at this URL"
        case .undecoded(let encoding):
            "have the server send gzip or no encoding, or decode \(Self.encodings[encoding.lowercased()] ?? "it") in a "
                + "MapResponse"
        case .unreadableBody: "check the file or stream, and send the request again"
        case .unwritableFile: "check the place and the free disk space, and ask again"
        case .tooLarge: "ask for less at once, or allow the transport a larger reply"
        case .tooManyRedirects, .redirectLoop, .invalidRedirect: "check the URL; the server misdirects it"
        case .insecureRedirect: "use the URL that the server means, or have the server fixed"
        case .redirectedWrite:
            "send it to the new URL: check the base URL's scheme and host, and the slash at the path's end"
        case .timedOut: "allow the request a longer timeout, or ask for less at once"
        case .credentialUnavailable: "provide a valid token or password"
        case .tokenRefused(let error): error.advice
        case .invalidURL, .cancelled, .other: nil
        }
    }
}

extension TransportError.Reason: CustomStringConvertible {
    /// The failure in a few words.
    public var description: String {
        switch self {
        case .invalidURL(let why): "the URL can't be used: \(why)"
        case .credentialUnavailable(let why): "there is no credential to send: \(why)"
        case .tokenRefused(let error): error.summary
        case .limited(let date, let isOwn):
            "\(isOwn ? "the API's own" : "the server's") limits let no request through before \(date.ISO8601Format())"
        case .circuitOpen(let date, let failures, let last):
            """
            the server has failed \(failures) times in a row (the last time: \(last)), so nothing is sent to it before \
            \(date.ISO8601Format())
            """
        case .connectionRefused: "the connection was refused"
        case .connectionFailed(let why): "no connection could be made: \(why)"
        case .tls(let why): "the secure connection failed: \(why)"
        case .connectionLost: "the connection was lost before the whole reply had come"
        case .malformedResponse(let how): "the reply is not valid HTTP: \(how)"
        case .undecoded(let encoding): "the reply's body is encoded as \(encoding), which can't be decoded here"
        case .tooLarge(let limit): "the reply is larger than \(limit) bytes"
        case .unreadableBody(let why): "the request's body can't be sent: \(why)"
        case .unwritableFile(let why): "the reply's body can't be stored: \(why)"
        case .tooManyRedirects(let limit): "there were more than \(limit) redirects"
        case .redirectLoop(let url): "redirects lead back to \(url)"
        case .insecureRedirect(let url): "the server leads from https to \(url)"
        case .invalidRedirect(let url, let why): "a redirect leads to \(url), \(why)"
        case .redirectedWrite(let url): "the server moved this to \(url), and nothing was changed"
        case .timedOut(let limit): "no whole reply came and was stored within \(limit)"
        case .cancelled: "the request was cancelled"
        case .other(let what): what
        }
    }
}
