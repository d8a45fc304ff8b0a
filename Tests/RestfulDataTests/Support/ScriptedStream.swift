import Foundation
import RESTTransport
import RestfulData
import Synchronization

/// A transport that replies in the pieces of the test's scripts, one script for each connection.
final class ScriptedStream: Transport {
    /// The steps of a connection.
    enum Script: Sendable {
        /// A reply of 200 with these pieces, which then ends, breaks, or stays open.
        case pieces([String], Ending = .end, type: String? = "text/event-stream")
        /// A whole reply.
        case reply(Int, HTTPFields = [:], body: String = "")
        case failure(TransportError.Reason)
    }

    enum Ending: Sendable {
        case end
        case broken(TransportError.Reason = .connectionLost)
        case open
    }

    private struct State {
        var requests: [APIRequest] = []
        /// The connections that were closed by the reader.
        var closed = 0
    }

    private let script: @Sendable (_ number: Int, APIRequest) -> Script
    private let state = Mutex(State())

    /// - Parameter script: Gets the number of the connection, counted from 0, and its request.
    init(_ script: @escaping @Sendable (_ number: Int, APIRequest) -> Script) { self.script = script }

    /// These, in their order; then 204, which ends a stream.
    convenience init(_ scripts: Script...) {
        self.init { number, _ in number < scripts.count ? scripts[number] : .reply(204) }
    }

    var requests: [APIRequest] { state.withLock(\.requests) }
    /// How many connections were left or cancelled before their end.
    var closed: Int { state.withLock(\.closed) }
    /// The `Last-Event-ID` of each request.
    var lastEventIDs: [String?] { requests.map { $0.headerFields[.init("Last-Event-ID")!] } }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let number = state.withLock { state in
            state.requests.append(request)
            return state.requests.count - 1
        }
        switch script(number, request) {
        case .failure(let reason): throw TransportError(reason, request)
        case .reply(let status, let fields, let body):
            return APIResponse(
                HTTPResponse(status: .init(code: status), headerFields: fields), body: Array(body.utf8), to: request)
        case .pieces(let pieces, let ending, let type):
            var fields = HTTPFields()
            fields[.contentType] = type
            var reply = APIResponse(HTTPResponse(status: .ok, headerFields: fields), to: request)
            reply.pieces = BodyPieces(body(pieces, ending, request), to: request)
            return reply
        }
    }

    private func body(
        _ pieces: [String], _ ending: Ending, _ request: APIRequest
    ) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            continuation.onTermination = { [weak self] termination in
                if case .cancelled = termination { self?.state.withLock { $0.closed += 1 } }
            }
            for piece in pieces { continuation.yield(Array(piece.utf8)) }
            switch ending {
            case .end: continuation.finish()
            case .broken(let reason): continuation.finish(throwing: TransportError(reason, request))
            case .open: break
            }
        }
    }
}

/// A clock that stands still, on which waits are over at once and written down.
final class NotedWaits: Sendable {
    private let noted = Mutex<[Duration]>([])
    private let chance: Double

    init(chance: Double = 0.5) { self.chance = chance }

    var all: [Duration] { noted.withLock { $0 } }

    var source: TimeSource {
        TimeSource(
            elapsed: { .zero }, localTime: { 1_000_000 },
            sleep: { duration in
                try Task.checkCancellation()
                self.noted.withLock { $0.append(duration) }
            }, fraction: { self.chance })
    }
}
