import Synchronization

/// Passes pieces of a body from a client that pushes to a reader that pulls.
///
/// The client is paused while more than ``limit`` bytes wait, and cancelled with the reader, or at its release.
package final class PieceChannel: Sendable {
    private typealias Outcome = Result<[UInt8]?, TransportError>

    /// Pause and resume alternate, starting with pause. Cancel may be called at any time.
    package struct Client: Sendable {
        let pause: @Sendable () -> Void
        let resume: @Sendable () -> Void
        let cancel: @Sendable () -> Void

        /// - Parameters:
        ///   - pause: Called with a lock held, as is `resume`.
        ///   - cancel: Closes the client's connection.
        package init(
            pause: @escaping @Sendable () -> Void, resume: @escaping @Sendable () -> Void,
            cancel: @escaping @Sendable () -> Void
        ) {
            (self.pause, self.resume, self.cancel) = (pause, resume, cancel)
        }
    }

    private struct State {
        /// The bytes that wait for the reader.
        var bytes: [UInt8] = []
        /// An error, or nil for a complete body; unset before the end. ``bytes`` are delivered first.
        var end: TransportError??
        var waiting: CheckedContinuation<Outcome, Never>?
        var isPaused = false
    }

    /// The most bytes that wait. More of them pause the client.
    package static let limit = 256 << 10

    private let request: APIRequest
    private let client: Client
    private let state = Mutex(State())

    package init(to request: APIRequest, from client: Client) {
        (self.request, self.client) = (request, client)
    }

    /// The pieces for the reader. Releasing them cancels the client.
    package var pieces: some AsyncSequence<[UInt8], any Error> & Sendable { Pieces(reader: Reader(channel: self)) }

    package func push(_ piece: some Collection<UInt8>) {
        let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.end == nil, !piece.isEmpty else { return nil }
            if let waiting = state.waiting {
                state.waiting = nil
                return waiting
            }
            state.bytes += piece
            if state.bytes.count > Self.limit, !state.isPaused {
                state.isPaused = true
                client.pause()
            }
            return nil
        }
        waiting?.resume(returning: .success(Array(piece)))
    }

    /// - Parameter error: Nil for a complete body.
    package func finish(_ error: TransportError?) {
        let waiting = state.withLock { state in
            if state.end == nil { state.end = .some(error) }
            return Self.takeWaiting(&state)
        }
        waiting?.resume(returning: error.map { .failure($0) } ?? .success(nil))
    }

    private static func takeWaiting(_ state: inout State) -> CheckedContinuation<Outcome, Never>? {
        defer { state.waiting = nil }
        return state.waiting
    }

    private func next() async throws(TransportError) -> [UInt8]? {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
                if let ready = answer(or: continuation) { continuation.resume(returning: ready) }
            }
        } onCancel: {
            abandon()
        }
        return try outcome.get()
    }

    /// Nil if the reader must wait.
    private func answer(or continuation: CheckedContinuation<Outcome, Never>) -> Outcome? {
        state.withLock { state in
            if !state.bytes.isEmpty {
                let bytes = state.bytes
                state.bytes = []
                if state.isPaused {
                    state.isPaused = false
                    client.resume()
                }
                return .success(bytes)
            }
            if let end = state.end { return end.map { .failure($0) } ?? .success(nil) }
            guard state.waiting == nil else {
                return .failure(TransportError(.other("two tasks read the reply's body at once"), request))
            }
            state.waiting = continuation
            return nil
        }
    }

    /// Drops waiting bytes, and cancels a client that hasn't finished.
    private func abandon() {
        let (waiting, hasEnded) = state.withLock { state in
            let hasEnded = state.end != nil
            if !hasEnded { state.end = .some(TransportError(.cancelled, request)) }
            state.bytes = []
            return (Self.takeWaiting(&state), hasEnded)
        }
        waiting?.resume(returning: .failure(TransportError(.cancelled, request)))
        if !hasEnded { client.cancel() }
    }

    private final class Reader: Sendable {
        let channel: PieceChannel

        init(channel: PieceChannel) { self.channel = channel }

        deinit { channel.abandon() }
    }

    private struct Pieces: AsyncSequence, Sendable {
        typealias Element = [UInt8]
        typealias Failure = any Error

        let reader: Reader

        struct AsyncIterator: AsyncIteratorProtocol {
            let reader: Reader

            func next() async throws(any Error) -> [UInt8]? { try await reader.channel.next() }

            func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> [UInt8]? {
                try await reader.channel.next()
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }
    }
}
