import CZlib

/// Compresses bytes piece by piece ([RFC 1952](https://www.rfc-editor.org/rfc/rfc1952)).
///
/// Safe: this value is the only owner of zlib's state, and frees it at the end.
@safe struct Gzip: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>

    init() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // Fails only without memory, when Swift traps, too.
        let result = unsafe czlib_begin_gzip(stream, Z_DEFAULT_COMPRESSION)
        precondition(result == Z_OK, "zlib can't be begun: \(result)")
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// - Returns: The new output, which may be empty.
    mutating func compress(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        guard bytes.count > Self.largestPiece else { return compress(piece: bytes, isLast: isLast) }
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: Self.largestPiece) {
            let end = min(start + Self.largestPiece, bytes.count)
            output += compress(piece: Array(bytes[start..<end]), isLast: isLast && end == bytes.count)
        }
        return output
    }

    /// zlib counts in 32 bits.
    private static let largestPiece = 1 << 24

    private mutating func compress(piece: [UInt8], isLast: Bool) -> [UInt8] {
        var output: [UInt8] = []
        var input = piece
        let flush = isLast ? Z_FINISH : Z_NO_FLUSH
        // Safe: zlib stays within the two buffers, which stay in place while the closures run.
        unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe stream.pointee.next_in = input.baseAddress
            unsafe stream.pointee.avail_in = UInt32(input.count)
            repeat {
                let piece = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                    unsafe stream.pointee.next_out = buffer.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(buffer.count)
                    _ = unsafe deflate(stream, flush)
                    count = unsafe buffer.count - Int(stream.pointee.avail_out)
                }
                output += piece
            } while unsafe stream.pointee.avail_out == 0
        }
        return output
    }
}

struct GzipChunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]
    typealias Failure = any Error

    let chunks: BodyChunks

    final class AsyncIterator: AsyncIteratorProtocol {
        private var chunks: BodyChunks.Iterator
        private var gzip = Gzip()
        private var isAtEnd = false

        init(_ chunks: BodyChunks) { self.chunks = chunks.makeAsyncIterator() }

        func next() async throws -> [UInt8]? { try await next(isolation: #isolation) }

        func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> [UInt8]? {
            while !isAtEnd {
                let piece = try await chunks.next()
                isAtEnd = piece == nil
                let output = gzip.compress(piece ?? [], isLast: isAtEnd)
                if !output.isEmpty { return output }
            }
            return nil
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks) }
}

extension RequestBody {
    private var isRepeatable: Bool { if case .stream(let stream) = content { stream.isRepeatable } else { true } }

    /// The body compressed by gzip, with `Content-Encoding: gzip`, for servers that accept it.
    ///
    /// ```swift
    /// try await api.send(.post, "/events", body: .file(log).gzipped())
    /// ```
    ///
    /// A body in memory is compressed at once. A file or stream is compressed while it is sent, in chunks.
    public func gzipped() -> RequestBody {
        guard contentEncoding == nil else { return self }
        if let bytes {
            var gzip = Gzip()
            return RequestBody(
                content: .bytes(gzip.compress(bytes, isLast: true)), contentType: contentType, contentEncoding: "gzip")
        }
        let body = self
        let stream = BodyStream(length: nil, isRepeatable: isRepeatable) { GzipChunks(chunks: try body.chunks()) }
        return RequestBody(content: .stream(stream), contentType: contentType, contentEncoding: "gzip")
    }
}
