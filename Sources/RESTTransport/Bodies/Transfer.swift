package import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The destination of a reply's body, and an observer of the progress of both bodies.
///
/// ```swift
/// var request = try APIRequest(.get, "https://example.com/film.mp4")
/// request.transfer = Transfer(to: file) { print($0.completed, "of", $0.total ?? 0) }
/// let reply = try await chain.send(request)                    // reply.file is the file, reply.body is empty
/// ```
///
/// Only a successful body is written to the file; your own transport may return it in memory.
///
/// A transfer belongs to one request. If that fails, the file has the received part.
public final class Transfer: Sendable {
    /// The file for the body of a successful reply; nil keeps the body in memory.
    public let file: URL?

    private let onProgress: (@Sendable (TransferProgress) -> Void)?
    private let state: Mutex<State>

    fileprivate struct State {
        /// The bytes in the file, from the version with `validator`.
        var stored = 0
        /// The bytes of the current reply's body, in the file or in memory.
        var received = 0
        /// The length of the current reply's whole body.
        var total: Int?
        /// The length of the whole file, by the first reply.
        var fileLength: Int?
        /// The value of `If-Range`.
        var validator: String?
        /// The start of the last request's range; nil for the whole body.
        var rangeStart: Int?
        var writer: OpenFile?
        /// The uptime in nanoseconds when the last byte moved.
        var lastMove: UInt64 = 0
    }

    /// Creates a transfer.
    ///
    /// - Parameters:
    ///   - file: The file for the body of a successful reply, which replaces an existing one; nil for memory.
    ///   - progress: Called after each piece sent or received, on any thread.
    public init(to file: URL? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil) {
        self.file = file
        onProgress = progress
        state = Mutex(State())
    }

    /// Continues with a part of the body in the file.
    ///
    /// - Parameters:
    ///   - received: The bytes in the file.
    ///   - validator: Their version's entity tag or date.
    package init(
        resuming file: URL, having received: Int, of validator: String,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) {
        self.file = file
        onProgress = progress
        state = Mutex(State(stored: received, validator: validator))
    }

    package var hasObserver: Bool { onProgress != nil }

    /// The bytes in the file, and their version; nil if the rest can't be requested.
    package var part: (received: Int, validator: String)? {
        state.withLock { state in
            guard state.stored > 0, let validator = state.validator else { return nil }
            return (state.stored, validator)
        }
    }

    /// The bytes in the file.
    package var stored: Int { state.withLock(\.stored) }

    /// The bytes of the current reply's body, in the file or in memory.
    var received: Int { state.withLock(\.received) }

    /// The rest of a timeout since the last byte that moved; nil before the first.
    ///
    /// - Parameter now: The uptime in nanoseconds.
    package func rest(of timeout: Duration, at now: UInt64) -> Duration? {
        let lastMove = state.withLock(\.lastMove)
        // A byte may have moved after `now` was read.
        return lastMove == 0 ? nil : timeout - Alarms.duration(from: lastMove, to: now)
    }

    // MARK: Reports of transports

    /// Counts bytes of the request's body.
    package func noteSent(_ count: Int, of total: Int?) {
        state.withLock { $0.lastMove = Alarms.time(after: .zero) }
        onProgress?(TransferProgress(.sending, completed: count, of: total))
    }

    /// Starts a reply's body.
    ///
    /// - Returns: Whether to write it to the file.
    /// - Throws: ``TransferFailure`` for an unwritable file, or a range that wasn't requested.
    package func begin(_ head: HTTPResponse, to request: APIRequest) throws -> Bool {
        let isKept = file != nil && head.status.kind == .successful
        let isEncoded = head.headerFields[.contentEncoding].map { $0.lowercased() != "identity" } ?? false
        let length = isEncoded ? nil : head.headerFields[.contentLength].flatMap { Int($0) }
        let start = try state.withLock { state -> Int in
            state.lastMove = Alarms.time(after: .zero)
            guard isKept, let file else { return 0 }
            let asksForPart = request.headerFields[.range] != nil
            let start = try state.start(of: head, length: length, asksForPart: asksForPart)
            (state.stored, state.received) = (start, start)
            if start == 0 { state.fileLength = length }
            state.total = start > 0 ? ContentRange(head)?.total ?? state.fileLength : length
            state.validator = isEncoded ? nil : state.validator(in: head, from: start)
            state.writer?.close()
            do { state.writer = try OpenFile(writing: file, keeping: start) } catch {
                throw TransferFailure(writing: error)
            }
            return start
        }
        if !isKept { state.withLock { ($0.received, $0.total) = (0, length) } }
        if start > 0 { reportReceived() }
        return isKept
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        let (writer, isBeyond) = state.withLock { state in
            (state.writer, state.total.map { state.stored + bytes.count > $0 } ?? false)
        }
        guard !isBeyond else { throw TransferFailure(reason: .malformedResponse("its body is longer than announced")) }
        do { try unsafe writer?.write(bytes) } catch { throw TransferFailure(writing: error) }
        state.withLock { $0.stored += bytes.count }
        noteReceived(bytes.count)
    }

    /// Counts bytes of the reply's body, in the file or in memory.
    package func noteReceived(_ count: Int) {
        state.withLock { state in
            state.received += count
            state.lastMove = Alarms.time(after: .zero)
        }
        reportReceived()
    }

    /// - Throws: ``TransferFailure`` if the body is shorter than announced.
    package func end() throws {
        try state.withLock { state in
            state.writer?.close()
            state.writer = nil
            guard let total = state.total, state.received != total else { return }
            throw TransferFailure(reason: .connectionLost)
        }
    }

    private func reportReceived() {
        guard let onProgress else { return }
        let (received, total) = state.withLock { ($0.received, $0.total) }
        onProgress(TransferProgress(.receiving, completed: received, of: total))
    }

    // MARK: Resuming

    /// Requests the missing bytes, or all of another version ([RFC 9110
    /// §14.2](https://www.rfc-editor.org/rfc/rfc9110#section-14.2)).
    package func askForRest(in request: inout APIRequest) -> Bool {
        let part = part
        state.withLock { $0.rangeStart = part?.received }
        guard let part else { return false }
        request.headerFields[.range] = "bytes=\(part.received)-"
        request.headerFields[.ifRange] = part.validator
        return true
    }

    /// Discards the part, so that the next request asks for the whole body.
    package func startOver() { state.withLock { $0.startOver() } }
}

package struct TransferFailure: Error {
    package let reason: TransportError.Reason

    fileprivate init(reason: TransportError.Reason) { self.reason = reason }

    fileprivate init(writing error: any Error) { reason = .unwritable(error) }
}

extension TransportError {
    package init(unwritable error: any Error, _ request: APIRequest) { self.init(.unwritable(error), request) }
}

extension TransportError.Reason {
    fileprivate static func unwritable(_ error: any Error) -> Self {
        .unwritableFile((error as? BodyFailure)?.reason ?? "\(type(of: error))")
    }
}

extension Transfer.State {
    fileprivate mutating func startOver() { (stored, validator, fileLength) = (0, nil, nil) }

    /// The start of a reply's body within the whole body.
    ///
    /// - Parameters:
    ///   - length: The length of the reply's own body, if known.
    ///   - asksForPart: Whether the request has a range.
    /// - Throws: ``TransferFailure`` if the range isn't the requested one, or contradicts itself or earlier replies. A
    ///   stored part of another version is discarded.
    fileprivate mutating func start(of head: HTTPResponse, length: Int?, asksForPart: Bool) throws -> Int {
        guard head.status == .partialContent else { return 0 }
        guard let rangeStart else {
            // The caller's own range is the whole download.
            guard asksForPart || ContentRange(head)?.isWhole == true else {
                throw TransferFailure(reason: .malformedResponse("it has a part of the body, and all was asked for"))
            }
            return 0
        }
        guard let range = ContentRange(head), range.start == rangeStart else {
            throw TransferFailure(
                reason: .malformedResponse("it has another part of the body than the one from byte \(rangeStart)"))
        }
        guard isOfStoredVersion(head) else {
            startOver()
            throw TransferFailure(reason: .malformedResponse("it has a part of another version than the part before"))
        }
        if let length, length != range.length {
            throw TransferFailure(
                reason: .malformedResponse("its body has \(length) bytes, and its range \(range.length)"))
        }
        if let fileLength, let other = range.total, other != fileLength {
            throw TransferFailure(
                reason: .malformedResponse("it is of \(other) bytes, and the part before was of \(fileLength)"))
        }
        return rangeStart
    }

    /// Whether a partial reply has the stored part's validator, or none. A server that ignores `If-Range` sends a part
    /// of the present version ([RFC 9110 §15.3.7.3](https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7.3)).
    private func isOfStoredVersion(_ head: HTTPResponse) -> Bool {
        guard let validator else { return true }
        let name = HTTPDate.seconds(validator) == nil ? HTTPField.Name.eTag : .lastModified
        return head.headerFields[name].map { $0.trimmingSpaces == validator } ?? true
    }

    /// The validator of the body's version, if it is exact
    /// ([RFC 9110 §13.1.5](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.5)).
    fileprivate func validator(in head: HTTPResponse, from start: Int) -> String? {
        if let tag = head.headerFields[.eTag]?.trimmingSpaces { return tag.hasPrefix("W/") ? nil : tag }
        // The reply to a range request may omit the validator.
        if start > 0 { return validator }
        // Exact means at least a second before the reply (RFC 9110 §8.8.2.2).
        guard let modified = head.headerFields[.lastModified]?.trimmingSpaces,
            let date = head.headerFields[.date]?.trimmingSpaces,
            let modifiedTime = HTTPDate.seconds(modified), let time = HTTPDate.seconds(date),
            modifiedTime + 1 <= time
        else { return nil }
        return modified
    }
}

/// A range in a reply: `bytes 100-199/1000`.
private struct ContentRange {
    let start: Int
    let length: Int
    let total: Int?

    var isWhole: Bool { start == 0 && length == total }

    init?(_ head: HTTPResponse) {
        guard let field = head.headerFields[.contentRange]?.trimmingSpaces, field.lowercased().hasPrefix("bytes ")
        else {
            return nil
        }
        let parts = field.dropFirst(6).split(separator: "/")
        let ends = parts.first?.split(separator: "-").compactMap { Int($0) } ?? []
        guard parts.count == 2, ends.count == 2, ends[1] >= ends[0], ends[1] < .max else { return nil }
        (start, length, total) = (ends[0], ends[1] - ends[0] + 1, Int(parts[1]))
    }
}

extension Transfer: CustomStringConvertible, CustomReflectable {
    /// The number of received bytes, without the destination.
    public var description: String { "\(received) bytes received" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .class) }
}
