import Foundation
import HTTPTypes
import RESTTransport

/// Reads a stream of events: connects, parses, waits, and connects again.
actor EventReader {
    private enum Step {
        /// Events of the step, possibly none.
        case events([ServerEvent])
        case ended
    }

    /// A connection whose head was received.
    private struct Connection {
        let request: APIRequest
        var parser: any EventParser
        var hasBytes = false
        var hasEvents = false
    }

    private let source: EventSource
    private let reading: EventReading
    private var connection: Connection?
    /// The body of the connection; nil while a piece is read.
    private var pieces: BodyPieces.AsyncIterator?
    /// The error that ends the stream after the events before it are handled.
    private var ending: APIError?
    private var hasEnded = false
    private var isReading = false

    // State that determines the next connection.
    private var format: EventFormat?
    private var retry = Duration.seconds(3)
    /// The number of connections in a row without a byte.
    private var failures = 0
    private var pause: Duration?

    /// The upper bound of waits that grow with each failure. A longer `retry` of the server takes precedence.
    private static let longestWait = Duration.seconds(60)
    /// The shortest wait after a connection without an event, because `retry` may be 0.
    private static let shortestWait = Duration.seconds(1)

    init(_ source: EventSource, _ reading: EventReading) { (self.source, self.reading) = (source, reading) }

    /// Returns the next events, none at the end of the stream. Calling this marks all earlier events as handled.
    func events() async throws(APIError) -> [ServerEvent] {
        guard !isReading else { throw .stream(.readTwice, source.summary) }
        isReading = true
        defer { isReading = false }
        do throws(APIError) {
            try checkIsNewest()
            while !hasEnded {
                if let ending { throw ending }
                let step = try await step()
                // A newer iterator gets the same events from its own connection.
                try checkIsNewest()
                switch step {
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

    /// Ends the stream, because the reading task was cancelled.
    func cancel() -> APIError {
        end()
        return .transport(TransportError(.cancelled, source.summary))
    }

    private func checkIsNewest() throws(APIError) {
        guard reading.isNewest else { throw .stream(.readTwice, source.summary) }
    }

    private func end() { (hasEnded, ending, connection, pieces) = (true, nil, nil, nil) }

    private func step() async throws(APIError) -> Step {
        // A copy of the connection would make the parser copy its buffers with each piece.
        guard let request = connection?.request else { return try await connect() }
        // All events so far are handled, including events without data.
        if let id = connection?.parser.lastEventID { reading.noteHandled(id) }
        switch await piece(for: request) {
        case .success(let piece?): return .events(read(piece))
        case .success(nil): return try endBody()
        case .failure(let error): return try lose(error)
        }
    }

    // MARK: Connecting

    private func connect() async throws(APIError) -> Step {
        if let wait = pause {
            pause = nil
            guard (try? await source.api.time.sleep(wait)) != nil else { throw cancel() }
        }
        let request = try source.request(after: reading.lastEventID)
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
        let parser = format.parser(after: reading.lastEventID, limit: max(source.options.eventLimit, 1))
        connection = Connection(request: request, parser: parser)
        pieces = (response.pieces ?? BodyPieces(response.body, to: request)).makeAsyncIterator()
        return .events([])
    }

    /// Schedules another connection after a failed one.
    private func goOn(after error: APIError, waiting wait: Duration?) throws(APIError) -> Step {
        guard source.reconnects(format) else { throw error }
        failures += 1
        try plan(atLeast: max(wait ?? .zero, Self.shortestWait), after: error)
        return .events([])
    }

    /// Schedules another connection, or throws the error if `attempts` have failed.
    ///
    /// - Parameter error: The failure of the last connection; nil if it had bytes and ended normally.
    private func plan(atLeast shortest: Duration, after error: APIError?) throws(APIError) {
        if let error, let attempts = source.options.attempts, failures >= max(attempts, 1) { throw error }
        let wait = max(backoff, shortest)
        pause = wait
        guard let error else { return source.note("\(source.summary): the stream ended; connecting again in \(wait)") }
        source.warn("\(error); the stream goes on with another connection in \(wait)")
    }

    /// The wait before the next connection: at least the server's `retry`. Its bound doubles with each failure after
    /// the first, up to ``longestWait``. Random jitter spreads the reconnections of many clients.
    private var backoff: Duration {
        guard failures > 1 else { return retry }
        let base = max(retry, Self.shortestWait)
        let bound = min(base * (1 << min(failures - 1, 16)), max(retry, Self.longestWait))
        let shortest = max(bound / 2, retry)
        return shortest + (bound - shortest) * source.api.time.fraction()
    }

    // MARK: Reading

    /// Returns the next piece of the body, or nil at its end.
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

    private func close() -> Connection? {
        defer { (connection, pieces) = (nil, nil) }
        return connection
    }

    /// Ends a complete body.
    private func endBody() throws(APIError) -> Step {
        guard var ended = close() else { return .ended }
        var events: [ServerEvent] = []
        ended.parser.finish(into: &events)
        guard source.reconnects(format) else {
            hasEnded = true
            return .events(events)
        }
        let isBarren = !ended.hasBytes
        if isBarren { failures += 1 }
        let isWithout = !ended.hasEvents && events.isEmpty
        try plan(
            atLeast: isWithout ? Self.shortestWait : .zero,
            after: isBarren ? .transport(TransportError(.connectionLost, ended.request)) : nil)
        return .events(events)
    }

    /// Ends a broken body.
    private func lose(_ error: TransportError) throws(APIError) -> Step {
        let ended = close()
        guard error.reason != .cancelled, source.reconnects(format) else { throw .transport(error) }
        if ended?.hasBytes != true { failures += 1 }
        try plan(atLeast: ended?.hasEvents == true ? .zero : Self.shortestWait, after: .transport(error))
        return .events([])
    }
}

extension TransportError {
    /// Whether another connection may succeed later.
    fileprivate var mayPass: Bool {
        switch reason {
        case .timedOut: true
        case .tokenRefused(let error): error.mayPass
        default: isTransient || isOfLimits
        }
    }

    /// The time until requests are allowed again; nil if unknown.
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
    /// Whether a later request may succeed, by the rules of ``Retry``.
    fileprivate var mayPass: Bool { kind == .rateLimited || (kind == .server && status.isPassingFailure) }
}
