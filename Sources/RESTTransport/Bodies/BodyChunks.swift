import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

enum BodySegment: Sendable, Hashable {
    case bytes([UInt8])
    case file(URL)

    /// - Throws: ``BodyFailure`` for a file that can't be read.
    func length() throws -> Int {
        switch self {
        case .bytes(let bytes): return bytes.count
        case .file(let url):
            let file = try OpenFile(reading: url)
            defer { file.close() }
            let length = try file.length()
            // Files that the system generates, as in `/proc`, have the length 0, and would be sent as empty.
            if length == 0, try !file.read(upTo: 1).isEmpty {
                throw BodyFailure(reason: "\"\(url.lastPathComponent)\" has more than the 0 bytes of its length")
            }
            return length
        }
    }
}

/// The text of a ``TransportError/Reason/unreadableBody(_:)``.
struct BodyFailure: Error {
    let reason: String
}

final class BodyStream: Sendable, Hashable {
    let length: Int?
    let isRepeatable: Bool
    private let make: @Sendable () throws -> any AsyncSequence<[UInt8], any Error> & Sendable
    private let wasOpened = Atomic(false)

    init(
        length: Int?, isRepeatable: Bool,
        _ make: @escaping @Sendable () throws -> any AsyncSequence<[UInt8], any Error> & Sendable
    ) {
        (self.length, self.isRepeatable, self.make) = (length, isRepeatable, make)
    }

    var canOpen: Bool { isRepeatable || !wasOpened.load(ordering: .acquiring) }

    func open() throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
        let wasOpened = wasOpened.exchange(true, ordering: .acquiringAndReleasing)
        guard isRepeatable || !wasOpened else {
            throw BodyFailure(reason: "it is a stream that can be sent only once")
        }
        do { return try make() } catch { throw Self.failure(error) }
    }

    /// The description of a foreign error may contain parts of the body.
    static func failure(_ error: any Error) -> any Error {
        if error is CancellationError || error is BodyFailure { return error }
        return BodyFailure(reason: "its stream threw \(type(of: error))")
    }

    static func == (a: BodyStream, b: BodyStream) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

struct ErasedChunks<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == [UInt8] {
    typealias Element = [UInt8]
    typealias Failure = any Error

    let base: Base

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> [UInt8]? {
            try await base.next(isolation: actor)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator()) }
}

/// A body, read piece by piece as it is sent.
package struct BodyChunks: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    /// The length, if known. A body of another length is an error.
    package let length: Int?
    fileprivate let source: Source

    fileprivate enum Source: Sendable {
        case segments([BodySegment])
        case stream(any AsyncSequence<[UInt8], any Error> & Sendable)
    }

    /// Whether the body is a stream, which may wait for each piece.
    var isStream: Bool { if case .stream = source { true } else { false } }

    package func makeAsyncIterator() -> Iterator { Iterator(self) }

    package struct Iterator: AsyncIteratorProtocol {
        private var segments: ArraySlice<BodySegment> = []
        private var file: OpenFile?
        /// The number of bytes returned from a segment in memory.
        private var offset = 0
        private var stream: (any AsyncIteratorProtocol<[UInt8], any Error>)?
        private let length: Int?
        private var count = 0

        /// Large enough for a small cost per call, and small in memory.
        private static let pieceSize = 64 << 10

        fileprivate init(_ chunks: BodyChunks) {
            length = chunks.length
            switch chunks.source {
            case .segments(let segments): self.segments = segments[...]
            case .stream(let stream): self.stream = stream.makeAsyncIterator()
            }
        }

        /// The next piece, never empty; nil at the end.
        package mutating func next() async throws -> [UInt8]? {
            guard let piece = try await read() else {
                if let length, count != length {
                    throw BodyFailure(reason: "it ended after \(count) of \(length) bytes")
                }
                return nil
            }
            count += piece.count
            if let length, count > length {
                throw BodyFailure(reason: "it has more than the \(length) bytes that were announced")
            }
            return piece
        }

        private mutating func nextOfStream() async throws -> [UInt8]? {
            do { return try await stream?.next(isolation: nil) } catch { throw BodyStream.failure(error) }
        }

        private mutating func read() async throws -> [UInt8]? {
            while stream != nil {
                guard let piece = try await nextOfStream() else { return nil }
                if !piece.isEmpty { return piece }
            }
            while let segment = segments.first {
                switch segment {
                case .bytes(let bytes):
                    let piece = bytes[offset...].prefix(Self.pieceSize)
                    offset += piece.count
                    if !piece.isEmpty { return piece.count == bytes.count ? bytes : Array(piece) }
                    offset = 0
                    segments.removeFirst()
                case .file(let url):
                    let open = try file ?? OpenFile(reading: url)
                    file = open
                    let piece = try open.read(upTo: Self.pieceSize)
                    if !piece.isEmpty { return piece }
                    open.close()
                    file = nil
                    segments.removeFirst()
                }
            }
            return nil
        }
    }
}

extension RequestBody {
    /// - Throws: ``BodyFailure`` for a file that can't be opened, or a stream that can't be sent again.
    package func chunks() throws -> BodyChunks {
        switch content {
        case .bytes(let bytes): return BodyChunks(length: bytes.count, source: .segments([.bytes(bytes)]))
        case .file(let url): return try Self.chunks(of: [.file(url)])
        case .multipart(let form): return try Self.chunks(of: form.segments)
        case .stream(let stream):
            if let length = stream.length, length < 0 {
                throw BodyFailure(reason: "its length is announced as \(length) bytes")
            }
            return BodyChunks(length: stream.length, source: .stream(try stream.open()))
        }
    }

    private static func chunks(of segments: [BodySegment]) throws -> BodyChunks {
        BodyChunks(length: try segments.reduce(0) { try $0 + $1.length() }, source: .segments(segments))
    }
}
