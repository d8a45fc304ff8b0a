import FlyingFox
import FlyingSocks

/// Fails before its handshake, which is the only way to let FlyingFox close a connection before the first byte.
struct ClosedConnection: WSHandler {
    func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        throw SocketError.disconnected
    }
}

/// FlyingFox closes the connection when a body fails.
struct BrokenBody: AsyncBufferedSequence {
    typealias Element = UInt8

    let beginning: [UInt8]

    func makeAsyncIterator() -> Iterator { Iterator(rest: beginning) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        var rest: [UInt8]

        mutating func next() async throws -> UInt8? {
            guard !rest.isEmpty else { throw SocketError.disconnected }
            return rest.removeFirst()
        }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            guard !rest.isEmpty else { throw SocketError.disconnected }
            let chunk = Array(rest.prefix(count))
            rest.removeFirst(chunk.count)
            return chunk
        }
    }
}
