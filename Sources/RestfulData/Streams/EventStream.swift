import ObjectStore
import RESTTransport
import Synchronization

/// The events of a stream, across all connections that the stream needs.
///
/// ```swift
/// let stream = api.stream("/events", after: savedID)
/// for try await event in stream {
///     try await context.import(Issue.self, from: event, ifNewer: \.updatedAt)
///     savedID = event.id
/// }
/// ```
///
/// The stream connects when you request the first event. Leaving the loop or cancelling its task closes the connection
/// at once. A slow loop slows the server down.
///
/// | event on the connection | effect |
/// |---|---|
/// | a connection with server-sent events ends or breaks | connects again after the server's `retry`, 3 seconds by default, with `Last-Event-ID` |
/// | no connection, a time-out, 5xx (but 501, 505), 429 or a spent limit, after the attempts of ``Retry``; also of the server that renews the token | connects again; each failure in a row lengthens the wait, which is at least the server's `Retry-After` |
/// | 204, 205 | ends the stream |
/// | another status, or a permanent error | ends the stream with that error |
/// | a success that isn't a stream, an event that is too large | ends the stream with ``APIError/stream(_:_:)`` |
/// | the end of JSON lines | ends the stream |
/// | a connection with JSON lines breaks | ends the stream with ``TransportError/Reason/connectionLost`` |
/// | the task is cancelled | ends the stream with an error whose ``APIError/isCancellation`` is true |
///
/// ``StreamOptions`` changes some of these rules. Each wait after a failure is a warning in the log.
///
/// Connections pass the middleware, and ``API/requests`` shows them. ``Call/timeout`` is the longest time until a
/// reply's head. Each stream occupies one of the client's connections; HTTP/1.1 clients have eight to a server.
///
/// A later loop continues after ``lastEventID``, and ends an earlier one with ``StreamProblem/readTwice``.
public struct EventStream: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerEvent
    /// The error that ends the stream.
    public typealias Failure = APIError

    let source: Result<EventSource, APIError>
    private let progress: EventProgress

    init(_ source: Result<EventSource, APIError>, after lastEventID: String) {
        self.source = source
        progress = EventProgress(lastEventID)
    }

    /// The ID of the last event that you handled; empty if there is none. Pass it as `after:` when your program runs
    /// again.
    ///
    /// An event counts as handled when you request the next one.
    public var lastEventID: String { progress.lastEventID }

    /// Creates an iterator. An earlier one ends with ``StreamProblem/readTwice``.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source, EventReading(of: progress)) }

    /// Creates an iterator that also ends when a store is closed, with ``StoreError/closedStore(unsaved:)``.
    func makeIterator(whileOpen file: StoreFile) -> AsyncIterator {
        AsyncIterator(source, EventReading(of: progress), whileOpen: file)
    }

    /// Reads the events in order.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let reader: Result<EventReader, APIError>
        private let reading: EventReading
        /// The file that the events are for; nil if the stream outlives every store.
        private let file: StoreFile?
        private var events: ArraySlice<ServerEvent> = []
        /// The event that the caller is handling.
        private var last: ServerEvent?
        private var hasEnded = false

        fileprivate init(
            _ source: Result<EventSource, APIError>, _ reading: EventReading, whileOpen file: StoreFile? = nil
        ) {
            self.reading = reading
            self.file = file
            reader = source.map { EventReader($0, reading) }
        }

        /// Returns the next event, or nil at the end of the stream.
        ///
        /// - Throws: ``APIError``, the reason for the end (``EventStream``). Later calls return nil.
        public mutating func next() async throws(APIError) -> ServerEvent? { try await next(isolation: #isolation) }

        /// Returns the next event, or nil at the end of the stream, on the given actor. Parsing runs on another one.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(APIError) -> ServerEvent? {
            if let id = last?.id, !id.isEmpty { reading.noteHandled(id) }
            last = nil
            guard !hasEnded else { return nil }
            do throws(APIError) {
                let reader = try self.reader.get()
                // The server sends unhandled events again.
                if Task.isCancelled { throw await reader.cancel() }
                // A newer iterator gets the unhandled events again. So this one drops its own, and asks the reader,
                // which ends it.
                if events.isEmpty || !reading.isNewest {
                    events = try await Self.events(of: reader, whileOpen: file)[...]
                }
            } catch {
                (events, hasEnded) = ([], true)
                throw error
            }
            last = events.popFirst()
            hasEnded = last == nil
            return last
        }

        /// Reads the next events in a task that the store's closing cancels.
        private nonisolated(nonsending) static func events(
            of reader: EventReader, whileOpen file: StoreFile?
        ) async throws(APIError) -> [ServerEvent] {
            guard let file else { return try await reader.events() }
            let reading = Task { () async -> Result<[ServerEvent], APIError> in
                do throws(APIError) { return .success(try await reader.events()) } catch { return .failure(error) }
            }
            let outcome = await file.whenClosed {
                reading.cancel()
            } during: {
                await withTaskCancellationHandler {
                    await reading.value
                } onCancel: {
                    reading.cancel()
                }
            }
            if file.isClosed, !Task.isCancelled { throw .store(.closedStore(unsaved: [])) }
            return try outcome.get()
        }
    }
}

extension EventStream: CustomStringConvertible, CustomReflectable {
    /// The request, without secrets.
    public var description: String {
        switch source {
        case .success(let source): "\(source.summary) as a stream"
        case .failure(let error): "a stream that can't be requested: \(error)"
        }
    }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

/// The last handled event ID of a stream, shared by its iterators. Only the newest iterator changes it.
final class EventProgress: Sendable {
    private struct State {
        var lastEventID: String
        /// The number of the newest iterator, counted from 1.
        var newest = 0
    }

    private let state: Mutex<State>

    init(_ lastEventID: String) { state = Mutex(State(lastEventID: lastEventID)) }

    var lastEventID: String { state.withLock { $0.lastEventID } }

    fileprivate var newest: Int { state.withLock { $0.newest } }

    fileprivate func begin() -> Int {
        state.withLock { state in
            state.newest += 1
            return state.newest
        }
    }

    fileprivate func noteHandled(_ id: String, by iterator: Int) {
        state.withLock { state in
            guard state.newest == iterator else { return }
            state.lastEventID = id
        }
    }
}

/// The progress of a stream, as one iterator sees and changes it until a newer iterator begins.
struct EventReading: Sendable {
    private let progress: EventProgress
    private let iterator: Int

    /// Begins a new iterator.
    init(of progress: EventProgress) {
        self.progress = progress
        iterator = progress.begin()
    }

    /// Whether no newer iterator has begun.
    var isNewest: Bool { progress.newest == iterator }

    var lastEventID: String { progress.lastEventID }

    /// Notes the ID of a handled event, unless a newer iterator has begun.
    func noteHandled(_ id: String) { progress.noteHandled(id, by: iterator) }
}
