import HTTPTypes
import Synchronization

/// The way in which a transport delivers the body of a successful reply.
public enum BodyDelivery: Sendable, Hashable {
    /// The reply is returned with its whole body.
    case whole
    /// The reply is returned with its head, and the pieces of the body follow (``APIResponse/pieces``).
    case pieces
}

/// A reply's body, piece by piece as it is received.
///
/// ```swift
/// var request = try APIRequest(.get, "https://api.example.com/events")
/// request.delivery = .pieces
/// let reply = try await chain.send(request)
/// for try await piece in reply.pieces ?? BodyPieces(reply.body, to: request) { print(piece.count) }
/// ```
///
/// You can read it once. The connection closes when you release the iterator or the unread pieces, or cancel the
/// reading task. A slow reader slows the server: at most 256 KB are read ahead, plus one read of the socket.
///
/// The pieces are decompressed and never empty. Their boundaries have no meaning.
public struct BodyPieces: AsyncSequence, Sendable {
    /// Some bytes.
    public typealias Element = [UInt8]
    /// The error that ends the pieces.
    public typealias Failure = TransportError

    private let source: Source

    /// The pieces until they are read. The reader then owns them alone, so that it closes the connection.
    private final class Source: Sendable {
        let request: APIRequest
        /// Whether the request's transfer has counted the bytes.
        let isCounted: Bool
        private let pieces: Mutex<(any AsyncSequence<[UInt8], any Error> & Sendable)?>

        init(
            _ pieces: any AsyncSequence<[UInt8], any Error> & Sendable, _ request: APIRequest, isCounted: Bool = false
        ) {
            (self.request, self.isCounted) = (request, isCounted)
            self.pieces = Mutex(pieces)
        }

        /// - Returns: Nil if they were taken.
        func take() -> (any AsyncSequence<[UInt8], any Error> & Sendable)? {
            pieces.withLock { pieces in
                defer { pieces = nil }
                return pieces
            }
        }
    }

    /// Creates a body from the pieces of your own transport.
    ///
    /// - Parameter pieces: The bytes. A ``TransportError`` that it throws is passed to the reader unchanged.
    public init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces, to request: APIRequest)
    where Pieces.Element == [UInt8] {
        source = Source(ErasedChunks(base: pieces), request)
    }

    /// Creates a body with a single piece, from memory.
    public init(_ body: [UInt8], to request: APIRequest) {
        let pieces = AsyncStream { continuation in
            continuation.yield(body)
            continuation.finish()
        }
        // A transport may have counted the whole body.
        source = Source(
            ErasedChunks(base: pieces), request, isCounted: request.transfer?.received == body.count)
    }

    /// Creates the only iterator over the pieces. A second iterator throws ``TransportError/Reason/other(_:)``.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source.take(), to: source.request, isCounted: source.isCounted)
    }

    /// Reads the pieces in order.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var pieces: (any AsyncIteratorProtocol<[UInt8], any Error>)?
        private let request: APIRequest
        private let isCounted: Bool
        private var wasTaken: Bool

        fileprivate init(
            _ pieces: (any AsyncSequence<[UInt8], any Error> & Sendable)?, to request: APIRequest, isCounted: Bool
        ) {
            self.pieces = pieces?.makeAsyncIterator()
            (self.request, self.isCounted) = (request, isCounted)
            wasTaken = pieces == nil
        }

        /// Returns the next piece, or nil at the end of the body.
        ///
        /// - Throws: ``TransportError`` for a broken connection, a body that can't be decompressed, or a cancelled
        ///   task. Later calls return nil.
        public mutating func next() async throws(TransportError) -> [UInt8]? {
            try await next(isolation: #isolation)
        }

        /// Returns the next piece, or nil at the end of the body, on the given actor.
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
                    if !isCounted { request.transfer?.noteReceived(piece.count) }
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
            // Without the description, which may contain parts of the body.
            default: TransportError(.other("the pieces of the reply's body ended with \(type(of: error))"), request)
            }
        }
    }
}

extension BodyPieces: CustomStringConvertible, CustomReflectable {
    /// A fixed text, without the content.
    public var description: String { "a body in pieces" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension APIRequest {
    /// Whether the body comes in pieces: only for a success with a body.
    func takesPieces(of head: HTTPResponse) -> Bool {
        delivery == .pieces && transfer?.file == nil && method != .head && head.status.kind == .successful
            && ![204, 205].contains(head.status.code) && head.headerFields[.contentLength]?.trimmingSpaces != "0"
    }
}
