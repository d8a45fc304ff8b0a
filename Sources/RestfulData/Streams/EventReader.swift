import Foundation
import HTTPTypes
import RESTTransport

/// Reads a stream of events: connects, parses what comes, waits, and connects again.
actor EventReader {
    /// What a step has led to.
    private enum Step {
        /// These events, or none so far.
        case events([ServerEvent])
        case ended
    }

    /// A connection whose head is here.
    private struct Connection {
        let request: APIRequest
        var parser: any EventParser
        var hasBytes = false
        var hasEvents = false
    }

    private let source: EventSource
    private let progress: EventProgress
    private var connection: Connection?
    /// The body of the connection, but while a piece is read.
    private var pieces: BodyPieces.AsyncIterator?
    /// What ends the stream once the events before it are handled.
    private var ending: APIError?
    private var hasEnded = false
    private var isReading = false

    // What decides about the next connection.
    private var format: EventFormat?
    private var retry = Duration.seconds(3)
    /// How many connections in a row brought nothing.
    private var failures = 0
    private var pause: Duration?

    /// The bound of the waits that grow with each failure. A server may ask for longer ones.
    private static let longestWait = Duration.seconds(60)
    /// The shortest wait after a connection without an event, as a server may ask for none.
    private static let shortestWait = Duration.seconds(1)

    init(_ source: EventSource, _ progress: EventProgress) { (self.source, self.progress) = (source, progress) }

    /// The next events; none at the end of the stream. Whoever asks has handled all events so far.
    func events() async throws(APIError) -> [ServerEvent] {
        guard !isReading else { throw .stream(.readTwice, source.summary) }
        isReading = true
        defer { isReading = false }
        do throws(APIError) {
            while !hasEnded {
                if let ending { throw ending }
                switch try await step() {
                case .events(let events): if !events.isEmpty { return events }
                case .ended: end()
                }
            }
            return []
        } catch {
            end()
            throw error
        }
    }

    private func end() { (hasEnded, ending, connection, pieces) = (true, nil, nil, nil) }

    private func step() async throws(APIError) -> Step {
        guard let connection else { return try await connect() }
        // All events so far are handled, those without data included.
        if let id = connection.parser.lastEventID { progress.lastEventID = id }
        switch await piece(for: connection.request) {
        case .success(let piece?): return .events(read(piece))
        case .success(nil): return try endBody(of: connection)
        case .failure(let error): return try lose(connection, error)
        }
    }

    // MARK: Connecting

    private func connect() async throws(APIError) -> Step {
        if let wait = pause {
            pause = nil
            guard (try? await source.api.time.sleep(wait)) != nil else {
                throw .transport(TransportError(.cancelled, source.summary))
            }
        }
        let request = try source.request(after: progress.lastEventID)
        let response: APIResponse
        do throws(TransportError) {
            response = try await source.api.pass(request)
            try response.checkEncoding()
        } catch {
            guard error.mayPass else { throw .transport(error) }
            return try goOn(after: .transport(error), waiting: error.wait(at: source.api.time.exactLocalTime()))
        }
        CallScope.current?.responses?.add(ResponseHead(response))
        guard response.isSuccess else {
            let reply = await ReplyError.read(response, FieldNames(nil, source.client.schema))
            guard reply.mayPass else { throw .reply(reply) }
            return try goOn(after: .reply(reply), waiting: reply.retryAfter)
        }
        guard ![204, 205].contains(response.status.code) else { return .ended }
        let format = try source.format(of: response)
        self.format = format
        let parser = format.parser(after: progress.lastEventID, limit: max(source.options.eventLimit, 1))
        connection = Connection(request: request, parser: parser)
        pieces = (response.pieces ?? BodyPieces(response.body, to: request)).makeAsyncIterator()
        return .events([])
    }

    /// Plans another connection after one that could not be made.
    private func goOn(after error: APIError, waiting wait: Duration?) throws(APIError) -> Step {
        guard source.reconnects(format) else { throw error }
        failures += 1
        try plan(atLeast: max(wait ?? .zero, Self.shortestWait), after: error)
        return .events([])
    }

    /// Plans another connection, unless too many have failed.
    ///
    /// - Parameter error: What became of the last one; nil for one that brought something and ended.
    private func plan(atLeast shortest: Duration, after error: APIError?) throws(APIError) {
        if let error, let attempts = source.options.attempts, failures >= max(attempts, 1) { throw error }
        let wait = max(backoff, shortest)
        pause = wait
        guard let error else { return source.note("\(source.summary): the stream ended; connecting again in \(wait)") }
        source.warn("\(error); the stream goes on with another connection in \(wait)")
    }

    /// What the server wants, and with each failure in a row up to twice as much, by chance, so that those who failed
    /// together don't return together.
    private var backoff: Duration {
        guard failures > 1 else { return retry }
        let base = max(retry, Self.shortestWait)
        let bound = min(base * (1 << min(failures - 1, 16)), max(retry, Self.longestWait))
        return bound / 2 + bound / 2 * source.api.time.fraction()
    }

    // MARK: Reading

    /// The next piece of the body; nil at its end.
    private func piece(for request: APIRequest) async -> Result<[UInt8]?, TransportError> {
        guard let idle = source.options.idleTimeout else { return await nextPiece(for: request) }
        let reading = Task { await nextPiece(for: request) }
        let watching = Task { [time = source.api.time] in
            try await time.sleep(idle)
            reading.cancel()
        }
        let outcome = await withTaskCancellationHandler {
            await reading.value
        } onCancel: {
            reading.cancel()
        }
        watching.cancel()
        guard case .failure(let error) = outcome, error.reason == .cancelled, !Task.isCancelled else { return outcome }
        return .failure(TransportError(.timedOut(after: idle), request))
    }

    private func nextPiece(for request: APIRequest) async -> Result<[UInt8]?, TransportError> {
        guard var taken = pieces else { return .failure(TransportError(.connectionLost, request)) }
        pieces = nil
        do throws(TransportError) {
            let piece = try await taken.next(isolation: self)
            if piece != nil { pieces = taken }
            return .success(piece)
        } catch {
            return .failure(error)
        }
    }

    private func read(_ piece: [UInt8]) -> [ServerEvent] {
        var events: [ServerEvent] = []
        do throws(StreamProblem) { try connection?.parser.read(piece, into: &events) } catch {
            ending = .stream(error, source.summary)
        }
        failures = 0
        retry = connection?.parser.retry ?? retry
        connection?.hasBytes = true
        if !events.isEmpty { connection?.hasEvents = true }
        return events
    }

    /// Ends a body that is complete.
    private func endBody(of connection: Connection) throws(APIError) -> Step {
        var parser = connection.parser
        var events: [ServerEvent] = []
        parser.finish(into: &events)
        (self.connection, pieces) = (nil, nil)
        guard source.reconnects(format) else {
            hasEnded = true
            return .events(events)
        }
        let isBarren = !connection.hasBytes
        if isBarren { failures += 1 }
        let isWithout = !connection.hasEvents && events.isEmpty
        try plan(
            atLeast: isWithout ? Self.shortestWait : .zero,
            after: isBarren ? .transport(TransportError(.connectionLost, connection.request)) : nil)
        return .events(events)
    }

    /// Ends a body that broke off.
    private func lose(_ connection: Connection, _ error: TransportError) throws(APIError) -> Step {
        (self.connection, pieces) = (nil, nil)
        guard error.reason != .cancelled, source.reconnects(format) else { throw .transport(error) }
        if !connection.hasBytes { failures += 1 }
        try plan(atLeast: connection.hasEvents ? .zero : Self.shortestWait, after: .transport(error))
        return .events([])
    }
}

extension TransportError {
    /// Whether another connection may succeed later.
    fileprivate var mayPass: Bool {
        switch reason {
        case .timedOut: true
        default: isTransient || isOfLimits
        }
    }

    /// How long nothing is sent; nil where that is not known.
    ///
    /// - Parameter now: Seconds since 1970.
    fileprivate func wait(at now: Double) -> Duration? {
        switch reason {
        case .limited(let until, _), .circuitOpen(let until, _, _): .seconds(max(0, until.timeIntervalSince1970 - now))
        default: nil
        }
    }
}

extension ReplyError {
    /// Whether the server may answer otherwise later, as ``Retry`` has it.
    fileprivate var mayPass: Bool { kind == .rateLimited || (kind == .server && ![501, 505].contains(status)) }
}
