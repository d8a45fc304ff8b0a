import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Remembers the last requests, so that a program can show what it sent.
///
/// ```swift
/// let history = RequestHistory()
/// let chain = TransportChain(api: baseURL) { Retry(); history }
/// …
/// for entry in history.entries { print(entry) }   // GET https://api.github.com/user → 200 in 113 ms
/// ```
///
/// Placed first, it remembers what the program requested, requests that the store answered included; placed last, each
/// attempt. Equal requests that share one reply are one entry. It keeps no bodies and no header fields, apart from the
/// `Content-Type`, and URLs without what the library takes for secrets. ``har`` is a file of the entries for the
/// developer tools of browsers.
public final class RequestHistory: Middleware {
    /// One request and what came of it.
    public struct Entry: Sendable, Hashable, CustomStringConvertible {
        /// The method and the URL without secrets.
        public let request: RequestSummary
        /// The status of the server's reply; nil when there was none.
        public let status: Int?
        /// Whether the store gave the answer, and nothing was sent.
        public let isFromStore: Bool
        /// Why there was no reply; nil when there was one.
        public let failure: TransportError.Reason?
        /// When it began, by the local clock.
        public let startedAt: Date
        /// How long it took.
        public let duration: Duration
        /// How long its parts took, as far as the transport reports it.
        public let phases: RequestPhases
        /// The body that was sent; nil when there was none.
        public let sentBody: Body?
        /// The body of the server's reply; nil when there was none.
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

    /// What is remembered of a body.
    public struct Body: Sendable, Hashable {
        /// The media type with its parameters, as in `Content-Type`; nil if there was none.
        public let type: String?
        /// The number of bytes, decompressed; nil for a stream of unknown length, and for a reply in pieces.
        public let length: Int?
    }

    private let time: TimeSource
    private let kept: Mutex<Ring>

    /// Remembers requests.
    ///
    /// - Parameter capacity: The most entries to keep; the oldest are dropped first. At least 1.
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

    /// Sends the request and remembers what came of it.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        let start = (date: time.exactLocalTime(), elapsed: time.elapsed())
        do throws(TransportError) {
            let reply = try await next(request)
            if reply.unsent != .probe { remember(request, .success(reply), since: start) }
            return reply
        } catch {
            remember(request, .failure(request.seen(error, at: time.elapsed())), since: start)
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

    /// The last entries, in an array that never has more: a new one takes the oldest one's place.
    private struct Ring {
        let capacity: Int
        private var entries: [Entry] = []
        /// The index of the oldest entry, once there are as many as may be.
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
