import Conventions

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension RequestHistory {
    /// The entries as a file that the developer tools of browsers open:
    /// [HAR 1.2](https://w3c.github.io/web-performance/specs/HAR/Overview.html), JSON in UTF-8.
    ///
    /// ```swift
    /// try history.har.write(to: URL(filePath: "requests.har"))
    /// ```
    ///
    /// The file omits bodies and all header fields except `Content-Type`. Probable secrets are removed from URLs,
    /// except from paths and parameters with ordinary names. A failed request has status 0 and Chrome's `_error`. An
    /// answer of the store has status 200 and `_fromCache`.
    ///
    /// `blocked` is the rest of the whole time: the wait for limits, tokens and earlier attempts. Where the transport
    /// omits times (``RequestPhases``), `send` and `receive` are 0, `wait` is the whole time, and others are -1.
    public var har: Data {
        let log = HAR.Log(entries: entries.map { HAR.Entry($0) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Unreachable: texts and finite numbers always have a form in JSON.
        return (try? encoder.encode(["log": log])) ?? Data()
    }
}

/// The names are the format's.
private enum HAR {
    struct Log: Encodable {
        let version = "1.2"
        let creator = Creator()
        let entries: [Entry]
    }

    struct Creator: Encodable {
        let name: String
        let version: String

        init() {
            let parts = UserAgent.standard.split(separator: "/", maxSplits: 1).map(String.init)
            (name, version) = (parts.first ?? "", parts.last ?? "")
        }
    }

    struct Entry: Encodable {
        let startedDateTime: String
        let time: Double
        let request: Request
        let response: Response
        let cache: [String: String] = [:]
        let timings: Timings
        let _fromCache: String?
        let comment: String?
    }

    struct Request: Encodable {
        let method: String
        let url: String
        let httpVersion: String
        let cookies: [Pair] = []
        let headers: [Pair]
        let queryString: [Pair]
        let headersSize = -1
        let bodySize: Int
    }

    struct Response: Encodable {
        let status: Int
        let statusText = ""
        let httpVersion: String
        let cookies: [Pair] = []
        let headers: [Pair]
        let content: Content
        let redirectURL = ""
        let headersSize = -1
        let bodySize: Int
        let _error: String?
        let comment: String?
    }

    struct Content: Encodable {
        let size: Int
        let mimeType: String
    }

    /// In milliseconds; -1 for an unknown or skipped phase.
    struct Timings: Encodable {
        let blocked: Double
        let dns = -1
        let connect: Double
        let ssl = -1
        let send: Double
        let wait: Double
        let receive: Double
    }

    struct Pair: Encodable {
        let name: String
        let value: String
    }
}

extension HAR.Entry {
    init(_ entry: RequestHistory.Entry) {
        startedDateTime = Self.text(of: entry.startedAt)
        time = entry.duration.exactMilliseconds
        request = HAR.Request(entry)
        response = HAR.Response(entry)
        timings = HAR.Timings(entry)
        _fromCache = entry.isFromStore ? "disk" : nil
        comment = entry.isFromStore ? "from the store" : nil
    }

    /// `2026-11-26T14:15:20.123Z`.
    private static func text(of date: Date) -> String {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        let seconds = (milliseconds / 1000).rounded(.down)
        let fraction = "\(Int(milliseconds - seconds * 1000))"
        return Date(timeIntervalSince1970: seconds).ISO8601Format().dropLast() + "."
            + String(repeating: "0", count: 3 - fraction.count) + fraction + "Z"
    }
}

extension HAR.Request {
    init(_ entry: RequestHistory.Entry) {
        (method, url) = (entry.request.method, entry.request.url)
        httpVersion = entry.phases.httpVersion ?? ""
        headers = HAR.Pair.fields(of: entry.sentBody)
        queryString = HAR.Pair.parameters(of: entry.request.url)
        bodySize = entry.sentBody.map { $0.length ?? -1 } ?? 0
    }
}

extension HAR.Response {
    init(_ entry: RequestHistory.Entry) {
        status = entry.isFromStore ? 200 : entry.status ?? 0
        httpVersion = entry.phases.httpVersion ?? ""
        headers = HAR.Pair.fields(of: entry.receivedBody)
        content = HAR.Content(
            size: entry.receivedBody?.length ?? 0, mimeType: entry.receivedBody?.type ?? "x-unknown")
        bodySize = entry.phases.bytesReceived ?? -1
        _error = status == 0 ? entry.failure?.chromeName ?? "net::ERR_CACHE_MISS" : nil
        comment = entry.failure?.description
    }
}

extension HAR.Timings {
    init(_ entry: RequestHistory.Entry) {
        let phases = entry.phases
        connect = phases.connecting?.exactMilliseconds ?? -1
        send = phases.sending?.exactMilliseconds ?? 0
        receive = phases.receiving?.exactMilliseconds ?? 0
        guard let waiting = phases.waiting else {
            (blocked, wait) = (-1, max(0, entry.duration.exactMilliseconds - max(0, connect) - send - receive))
            return
        }
        wait = waiting.exactMilliseconds
        blocked = max(0, entry.duration.exactMilliseconds - max(0, connect) - send - wait - receive)
    }
}

extension HAR.Pair {
    fileprivate static func fields(of body: RequestHistory.Body?) -> [HAR.Pair] {
        body?.type.map { [HAR.Pair(name: "Content-Type", value: $0)] } ?? []
    }

    fileprivate static func parameters(of url: String) -> [HAR.Pair] {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return [] }
        return parts[1].split(separator: "&").map { parameter in
            let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return HAR.Pair(
                name: pair.first.map(RedactedURL.decoded) ?? "",
                value: pair.count == 2 ? RedactedURL.decoded(pair[1]) : "")
        }
    }
}

extension TransportError.Reason {
    /// Chrome's name of the error, or of the nearest one.
    fileprivate var chromeName: String {
        let name =
            switch self {
            case .cancelled: "ABORTED"
            case .circuitOpen: "TEMPORARILY_THROTTLED"
            case .connectionFailed: "CONNECTION_FAILED"
            case .connectionLost: "CONNECTION_CLOSED"
            case .connectionRefused: "CONNECTION_REFUSED"
            case .insecureRedirect, .redirectedWrite: "UNSAFE_REDIRECT"
            case .invalidRedirect: "INVALID_REDIRECT"
            case .invalidURL: "INVALID_URL"
            case .malformedResponse: "INVALID_HTTP_RESPONSE"
            case .timedOut: "TIMED_OUT"
            case .tls: "SSL_PROTOCOL_ERROR"
            case .tooManyRedirects, .redirectLoop: "TOO_MANY_REDIRECTS"
            case .undecoded: "CONTENT_DECODING_FAILED"
            case .unreadableBody: "UPLOAD_FILE_CHANGED"
            case .limited, .credentialUnavailable, .other, .tokenRefused, .tooLarge, .unwritableFile: "FAILED"
            }
        return "net::ERR_\(name)"
    }
}

extension Duration {
    /// Milliseconds, exact to the microsecond.
    fileprivate var exactMilliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1000 + Double(attoseconds / 1_000_000_000_000) / 1000
    }
}
