import HTTPTypes
import Synchronization

/// How a transport hands over the body of a successful reply.
public enum BodyDelivery: Sendable, Hashable {
    /// The reply comes once its body is complete.
    case whole
    /// The reply comes with its head, and the body's pieces follow (``APIResponse/pieces``).
    case pieces
}

/// A reply's body, piece by piece as it comes.
///
/// ```swift
/// var request = try APIRequest(.get, "https://api.example.com/events")
/// request.delivery = .pieces
/// let reply = try await chain.send(request)
/// for try await piece in reply.pieces ?? BodyPieces(reply.body, to: request) { print(piece.count) }
/// ```
///
/// It can be read once. The connection is closed as soon as its iterator is let go of, the reading task is cancelled,
/// or the pieces are dropped unread. A slow reader slows the server down: the ready transports read no more than 256 KB
/// ahead of it, and one read of the socket.
///
/// The pieces are decompressed, and never empty. Where they are cut has no meaning.
public struct BodyPieces: AsyncSequence, Sendable {
    /// Some bytes.
    public typealias Element = [UInt8]
    /// Why there are no more.
    public typealias Failure = TransportError

    private let source: Source

    /// The pieces until somebody reads them. Whoever does owns them alone, so that the connection goes with the reader.
    private final class Source: Sendable {
        let request: APIRequest
        private let pieces: Mutex<(any AsyncSequence<[UInt8], any Error> & Sendable)?>

        init(_ pieces: any AsyncSequence<[UInt8], any Error> & Sendable, _ request: APIRequest) {
            self.request = request
            self.pieces = Mutex(pieces)
        }

        /// - Returns: nil when they are being read already.
        func take() -> (any AsyncSequence<[UInt8], any Error> & Sendable)? {
            pieces.withLock { pieces in
                defer { pieces = nil }
                return pieces
            }
        }
    }

    /// The pieces that a transport of your own delivers.
    ///
    /// - Parameters:
    ///   - pieces: The bytes. A ``TransportError`` that it throws reaches the reader as it is.
    ///   - request: The request that they answer.
    public init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces, to request: APIRequest)
    where Pieces.Element == [UInt8] {
        source = Source(ErasedChunks(base: pieces), request)
    }

    /// The one piece of a body that is in memory.
    ///
    /// - Parameters:
    ///   - body: The whole body.
    ///   - request: The request that it answers.
    public init(_ body: [UInt8], to request: APIRequest) {
        let pieces = AsyncStream { continuation in
            continuation.yield(body)
            continuation.finish()
        }
        self.init(pieces, to: request)
    }

    /// An iterator over the pieces: the only one. Another one throws ``TransportError/Reason/other(_:)``.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source.take(), to: source.request) }

    /// Reads the pieces in their order.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var pieces: (any AsyncIteratorProtocol<[UInt8], any Error>)?
        private let request: APIRequest
        private var wasTaken: Bool

        fileprivate init(_ pieces: (any AsyncSequence<[UInt8], any Error> & Sendable)?, to request: APIRequest) {
            self.pieces = pieces?.makeAsyncIterator()
            self.request = request
            wasTaken = pieces == nil
        }

        /// The next piece; nil at the body's end.
        ///
        /// - Throws: ``TransportError``: ``TransportError/Reason/connectionLost`` for a body that broke off,
        ///   ``TransportError/Reason/malformedResponse(_:)`` for one that can't be decompressed,
        ///   ``TransportError/Reason/cancelled`` when the task was cancelled. Afterwards there are no more pieces.
        public mutating func next() async throws(TransportError) -> [UInt8]? {
            try await next(isolation: #isolation)
        }

        /// The same, on the given actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TransportError) -> [UInt8]? {
            guard !wasTaken else {
                wasTaken = false
                throw TransportError(.other("the pieces of the reply's body are read already"), request)
            }
            do {
                while !Task.isCancelled, let piece = try await pieces?.next(isolation: actor) {
                    guard !piece.isEmpty else { continue }
                    request.transfer?.noteReceived(piece.count)
                    return piece
                }
                let hadPieces = pieces != nil
                pieces = nil
                // A cancelled stream may end as if it were complete.
                if hadPieces { try Task.checkCancellation() }
                return nil
            } catch {
                pieces = nil
                throw Self.failure(error, request)
            }
        }

        private static func failure(_ error: any Error, _ request: APIRequest) -> TransportError {
            switch error {
            case let error as TransportError: error
            case is CancellationError: TransportError(.cancelled, request)
            // Its description may have parts of the body.
            default: TransportError(.other("the pieces of the reply's body ended with \(type(of: error))"), request)
            }
        }
    }
}

extension BodyPieces: CustomStringConvertible, CustomReflectable {
    /// Says only that the body comes in pieces.
    public var description: String { "a body in pieces" }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension APIRequest {
    /// Whether the body of a reply is delivered in pieces: that of a success, if there is one.
    func takesPieces(of head: HTTPResponse) -> Bool {
        delivery == .pieces && transfer?.file == nil && method != .head && head.status.kind == .successful
            && ![204, 205].contains(head.status.code) && head.headerFields[.contentLength]?.trimmingSpaces != "0"
    }
}
