// TransportError: no whole reply came. (A reply with an error status is an APIResponse, not an error.)
// ├─ the request can't be sent
// │   ├─ invalidURL               not an absolute http or https URL
// │   ├─ unreadableBody           its file is missing, or its stream ended early
// │   ├─ credentialUnavailable    no token to send
// │   └─ tokenRefused             the authorization server gave no token
// ├─ it is held back
// │   ├─ limited                  the server's limits, or the API's own, let nothing through in time
// │   └─ circuitOpen              the server has failed too often in a row
// ├─ there is no connection
// │   ├─ connectionRefused        nothing listens there
// │   ├─ connectionFailed         no such host, no route, no answer
// │   └─ tls                      certificate or handshake
// ├─ the reply can't be read
// │   ├─ connectionLost           the connection ended before the reply did
// │   ├─ malformedResponse        what came isn't HTTP, or contradicts its header fields
// │   ├─ undecoded                a content encoding that no client here knows
// │   ├─ tooLarge                 more bytes than allowed
// │   └─ unwritableFile           the file that it goes to can't be written
// ├─ redirects
// │   ├─ tooManyRedirects         more hops than allowed
// │   ├─ redirectLoop             back where it was
// │   ├─ insecureRedirect         from https to http
// │   ├─ invalidRedirect          to what is not an http or https URL, or one with a password
// │   └─ redirectedWrite          of what changes something, by 301 or 302
// ├─ time
// │   ├─ timedOut                 the request's timeout passed
// │   └─ cancelled                the calling task was cancelled
// └─ other                        anything else, from a client or from middleware

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why a request has no reply: the one error type of this module.
///
/// It names the request without its secrets: they are in no description of it.
public struct TransportError: Error, Sendable, Hashable {
    /// What went wrong.
    public enum Reason: Sendable, Hashable {
        /// A request can't go to this URL; the text explains why. Nothing was sent.
        case invalidURL(String)
        /// There is no usable token or password; the text explains why. Nothing was sent.
        case credentialUnavailable(String)
        /// OAuth 2 gave no token, and why. Nothing was sent to the API.
        case tokenRefused(OAuth2Error)
        /// The request's body can't be read to its end; the text explains why. The server may have got a part of it.
        case unreadableBody(String)
        /// The server's limits, as its replies say them, or where `isOwn` the API's own ``RequestLimits``, let no
        /// request through before this moment, which is after the request's timeout. Nothing was sent.
        case limited(until: Date, isOwn: Bool = false)
        /// The server has failed `failures` times in a row, the last time by what the text says; no request is sent
        /// until this moment, and then one, to see whether it is back. Nothing was sent.
        case circuitOpen(until: Date, failures: Int, String)
        /// Nothing listens at the host and port. Nothing was sent.
        case connectionRefused
        /// No connection could be made; the text explains why. Nothing was sent.
        case connectionFailed(String)
        /// The secure connection could not be made or broke; the text explains why.
        case tls(String)
        /// The connection ended before the reply did. The server may have acted on the request.
        case connectionLost
        /// What came back isn't HTTP, or contradicts itself; the text explains how. The server may have acted.
        case malformedResponse(String)
        /// The body is in this content encoding, which wasn't asked for and isn't known: `br`. The server has acted.
        case undecoded(encoding: String)
        /// The body is longer than `limit` bytes, counted after decompression. The server has acted.
        case tooLarge(limit: Int)
        /// The reply's body can't be written to the file that it was meant for; the text explains why. The server has
        /// acted.
        case unwritableFile(String)
        /// There were more redirects than `limit`.
        case tooManyRedirects(limit: Int)
        /// Redirects returned to a URL that had redirected already, given without secrets.
        case redirectLoop(to: String)
        /// A redirect, or the way to a list's next page, leads from `https` to this URL, given without secrets, where
        /// others could read the request.
        case insecureRedirect(to: String)
        /// A redirect points to this text, given without secrets, which isn't an `http` or `https` URL that can be
        /// followed, and why: "which names no host".
        case invalidRedirect(to: String, why: String)
        /// A redirect by 301 or 302 points a request that changes something to this URL, given without secrets. Most
        /// clients would make a GET of a POST, which changes nothing; 307 and 308 keep the method.
        case redirectedWrite(to: String)
        /// The time allowed for the whole exchange passed. The server may have acted on the request.
        case timedOut(after: Duration)
        /// The calling task was cancelled. The server may have acted on the request.
        case cancelled
        /// Something else, named without secrets.
        case other(String)
    }

    /// What went wrong.
    public let reason: Reason

    /// The method and URL of the request, without secrets.
    public let request: RequestSummary

    /// Makes an error; what transports and middleware do.
    ///
    /// - Parameters:
    ///   - reason: What went wrong; its texts must not contain secrets.
    ///   - request: The request that has no reply.
    public init(_ reason: Reason, _ request: RequestSummary) {
        self.reason = reason
        self.request = request
    }

    /// Makes an error about a request; what transports and middleware do.
    public init(_ reason: Reason, _ request: APIRequest) {
        self.init(reason, RequestSummary(request))
    }

    /// Whether nothing was sent, as the API's limits or its circuit held it back.
    package var isOfLimits: Bool {
        switch reason {
        case .limited, .circuitOpen: true
        default: false
        }
    }

    /// Whether no reply came in time.
    var isTimeout: Bool { if case .timedOut = reason { true } else { false } }

    /// Whether nothing was sent, so that the server can't have acted.
    package var saysUnsent: Bool {
        switch reason {
        case .connectionRefused, .connectionFailed, .invalidURL, .credentialUnavailable, .tokenRefused, .limited,
            .circuitOpen:
            true
        default: false
        }
    }

    /// Whether the same request may succeed a moment later: no connection, or one that broke.
    ///
    /// Whether it may be sent again is another question: after ``Reason/connectionLost`` the server may have acted.
    public var isTransient: Bool {
        switch reason {
        case .connectionRefused, .connectionFailed, .connectionLost: true
        default: false
        }
    }
}

extension TransportError: CustomStringConvertible {
    /// One line: the request without secrets, what went wrong, and what to do if that is known.
    public var description: String {
        let line = "\(request): \(reason)"
        return advice.map { "\(line); \($0)" } ?? line
    }

    /// The names of encodings that servers are known to send, though nobody has asked for them.
    private static let encodings = ["br": "Brotli", "zstd": "Zstandard", "compress": "LZW"]

    /// What the caller can do, in a few words; nil if the reason suffices.
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
    /// What went wrong, in a few words.
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
