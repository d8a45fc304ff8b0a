import RESTTransport
import Synchronization

/// The events that a server sends over a connection that stays open, and over the next one when it ends.
///
/// ```swift
/// let stream = api.stream("/events", after: savedID)
/// for try await event in stream {
///     try await context.import(Issue.self, from: event, ifNewer: \.updatedAt)
///     savedID = event.id
/// }
/// ```
///
/// Nothing is sent before the first event is asked for. The connection is closed at once when the loop is left or its
/// task is cancelled, and a slow loop slows the server down.
///
/// | what comes | |
/// |---|---|
/// | the end of a connection with server-sent events, or its loss | connects again after the server's `retry`, 3 seconds by default, with `Last-Event-ID` |
/// | no connection, a time-out, 5xx (but 501, 505), 429 or a spent limit, once ``Retry`` has given up | the same, and a longer wait with each failure in a row, at least what the server asks for |
/// | 204, 205 | ends the stream |
/// | another status, or an error that no waiting mends | ends it with that error |
/// | a success that is no stream, an event that is too large | ends it with ``APIError/stream(_:_:)`` |
/// | the end of JSON lines | ends the stream |
/// | the loss of a connection with JSON lines | ends it with ``TransportError/Reason/connectionLost`` |
/// | the cancellation of the task | ends it with an error whose ``APIError/isCancellation`` is true |
///
/// ``StreamOptions`` changes some of these. Each wait after a failure is a warning in the log.
///
/// Every connection is a request like others: it passes the middleware, so that credentials are renewed, and is shown
/// by ``API/requests``, whose events tell when the stream connects. ``Call/timeout`` is the time until its head comes.
/// Each occupies a connection of the client for as long as it lasts; there are eight to one server by HTTP/1.1.
///
/// One loop at a time may read a stream. Another one goes on after ``lastEventID``.
public struct EventStream: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerEvent
    /// What ends it.
    public typealias Failure = APIError

    let source: Result<EventSource, APIError>
    private let progress: EventProgress

    init(_ source: Result<EventSource, APIError>, after lastEventID: String) {
        self.source = source
        progress = EventProgress(lastEventID)
    }

    /// The ID of the last event that was handled, to be passed as `after:` when the program runs again. Empty where
    /// there is none.
    ///
    /// An event counts as handled once the next one is asked for, so that one whose import failed comes again.
    public var lastEventID: String { progress.lastEventID }

    /// An iterator that connects when it is asked for the first event.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source, progress) }

    /// Reads the events in their order.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let reader: Result<EventReader, APIError>
        private let progress: EventProgress
        private var events: ArraySlice<ServerEvent> = []
        /// The event that the caller has.
        private var last: ServerEvent?
        private var hasEnded = false

        fileprivate init(_ source: Result<EventSource, APIError>, _ progress: EventProgress) {
            self.progress = progress
            reader = source.map { EventReader($0, progress) }
        }

        /// The next event; nil at the end of the stream.
        ///
        /// - Throws: ``APIError``: why the stream ended (``EventStream``). Afterwards there are no more events.
        public mutating func next() async throws(APIError) -> ServerEvent? { try await next(isolation: #isolation) }

        /// The same, on the given actor. Bytes are read and parsed away from it.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(APIError) -> ServerEvent? {
            if let id = last?.id, !id.isEmpty { progress.lastEventID = id }
            last = nil
            guard !hasEnded else { return nil }
            if events.isEmpty {
                do throws(APIError) { events = try await reader.get().events()[...] } catch {
                    hasEnded = true
                    throw error
                }
            }
            last = events.popFirst()
            hasEnded = last == nil
            return last
        }
    }
}

extension EventStream: CustomStringConvertible, CustomReflectable {
    /// The request without secrets.
    public var description: String {
        switch source {
        case .success(let source): "\(source.summary) as a stream"
        case .failure(let error): "a stream that can't be requested: \(error)"
        }
    }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

/// How far a stream was read.
final class EventProgress: Sendable {
    private let state: Mutex<String>

    init(_ lastEventID: String) { state = Mutex(lastEventID) }

    var lastEventID: String {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
