import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Records the last requests, so that your program can show them.
///
/// ```swift
/// let history = RequestHistory()
/// let chain = TransportChain(api: baseURL) { Retry(); history }
/// …
/// for entry in history.entries { print(entry) }   // GET https://api.github.com/user → 200 in 113 ms
/// ```
///
/// Written first, it records the program's requests, including those that the store answers; last, each attempt.
/// Requests that share a reply are one entry. It omits bodies and all header fields except `Content-Type`, and removes
/// probable secrets from URLs. ``har`` exports the entries to browsers.
public final class RequestHistory: Middleware {
    /// A request and its outcome.
    public struct Entry: Sendable, Hashable, CustomStringConvertible {
        /// The method, and the URL with its secrets removed.
        public let request: RequestSummary
        /// The status of the server's reply, if there was one.
        public let status: Int?
        /// Whether the store answered, instead of the server.
        public let isFromStore: Bool
        /// The reason why the request has no reply.
        public let failure: TransportError.Reason?
        /// When the request began, by the local clock.
        public let startedAt: Date
        /// The request's duration.
        public let duration: Duration
        /// The durations of its parts.
        public let phases: RequestPhases
        /// The request's body, if it had one.
        public let sentBody: Body?
        /// The body of the server's reply, if it had one.
        public let receivedBody: Body?

        /// One line, for example `GET https://api.github.com/user → 200 in 113 ms`, or `→ from the store`.
        public var description: String {
            if isFromStore { return "\(request) → from the store" }
            guard let result = status.map(String.init) ?? failure?.description else {
                return "\(request) → not sent, and the store has no answer"
            }
            return "\(request) → \(result) in \(duration.milliseconds) ms"
        }
    }

    /// The type and length of a body.
    public struct Body: Sendable, Hashable {
        /// The media type with its parameters, as in `Content-Type`.
        public let type: String?
        /// The number of bytes, decompressed; nil for a stream of unknown length, and for a reply in pieces.
        public let length: Int?
    }

    private let time: TimeSource
    private let kept: Mutex<Ring>

    /// Creates a history.
    ///
    /// - Parameter capacity: The most entries, at least 1. A new entry replaces the oldest.
    public convenience init(capacity: Int = 1000) {
        self.init(capacity: capacity, time: .system)
    }

    package init(capacity: Int = 1000, time: TimeSource) {
        kept = Mutex(Ring(capacity: max(capacity, 1)))
        self.time = time
    }

    /// The requests that have ended, in the order in which they ended.
    public var entries: [Entry] { kept.withLock(\.inOrder) }

    /// Forgets all requests.
    public func removeAll() { kept.withLock { $0.removeAll() } }

    /// Sends the request and records its outcome.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        let start = (date: time.exactLocalTime(), elapsed: time.elapsed())
        do throws(TransportError) {
            let reply = try await next(request)
            if reply.unsent != .probe { remember(request, .success(reply), since: start) }
            return reply
        } catch {
            remember(request, .failure(request.seen(error)), since: start)
            throw error
        }
    }

    private func remember(
        _ request: APIRequest, _ outcome: Result<APIResponse, TransportError>,
        since start: (date: Double, elapsed: Duration)
    ) {
        let reply = try? outcome.get()
        let answer = reply?.unsent == nil ? reply : nil
        var failure: TransportError.Reason?
        if case .failure(let error) = outcome { failure = error.reason }
        let entry = Entry(
            request: RequestSummary(request), status: answer?.status.code, isFromStore: reply?.unsent == .stored,
            failure: failure, startedAt: Date(timeIntervalSince1970: start.date),
            duration: time.elapsed() - start.elapsed, phases: answer?.phases ?? RequestPhases(),
            sentBody: Body(of: request), receivedBody: answer.flatMap { Body(of: $0) })
        kept.withLock { $0.append(entry) }
    }

    /// A new entry replaces the oldest.
    private struct Ring {
        let capacity: Int
        private var entries: [Entry] = []
        /// The index of the oldest entry in a full array.
        private var oldest = 0

        init(capacity: Int) { self.capacity = capacity }

        var inOrder: [Entry] { Array(entries[oldest...] + entries[..<oldest]) }

        mutating func append(_ entry: Entry) {
            guard entries.count >= capacity else { return entries.append(entry) }
            entries[oldest] = entry
            oldest = (oldest + 1) % capacity
        }

        mutating func removeAll() { self = Ring(capacity: capacity) }
    }
}

extension RequestHistory.Body {
    fileprivate init?(of request: APIRequest) {
        guard let body = request.body else { return nil }
        self.init(type: request.headerFields[.contentType] ?? body.contentType, length: body.length)
    }

    fileprivate init?(of reply: APIResponse) {
        let length = reply.bodyLength
        guard length != 0 else { return nil }
        self.init(type: reply.headerFields[.contentType], length: length)
    }
}
