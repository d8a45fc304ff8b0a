public import RESTTransport
import Synchronization

/// The start or the end of a request. See ``API/requests``.
public struct RequestEvent: Sendable, Hashable {
    /// The kinds of events.
    public enum Kind: Sendable, Hashable {
        /// The request has begun. The store may answer it, or it may wait for the API's limits.
        case started
        /// The server replied with this status.
        case ended(status: Int)
        /// The store had the reply. The request stayed unsent.
        case answeredByStore
        /// The store lacked the reply. The request stayed unsent (``FetchPolicy/offline``).
        case notStored
        /// The request failed to get a reply.
        case failed(TransportError.Reason)
    }

    /// The request's number, equal for start and end.
    public let id: UInt64
    /// The kind of the event.
    public let kind: Kind
    /// The request, without secrets.
    public let request: RequestSummary
    /// The name of the request's model, if it has one.
    public let model: String?
}

extension RequestEvent: CustomStringConvertible {
    /// One line: `GET https://api.example.com/users/7 (User): started`.
    public var description: String {
        let what =
            switch kind {
            case .started: "started"
            case .ended(let status): "ended with \(status)"
            case .answeredByStore: "answered by the store"
            case .notStored: "not sent, and the store has no answer"
            case .failed(let reason): "failed: \(reason)"
            }
        return "\(request)\(model.map { " (\($0))" } ?? ""): \(what)"
    }
}

final class RequestWatchers: Sendable {
    private struct State {
        var lastID: UInt64 = 0
        var watchers: [UInt64: AsyncStream<RequestEvent>.Continuation] = [:]
    }

    private let state = Mutex(State())
    private let hasWatchers = Atomic(false)

    func events() -> AsyncStream<RequestEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RequestEvent.self, bufferingPolicy: .bufferingNewest(Self.bufferSize))
        let id = state.withLock { state in
            state.lastID += 1
            state.watchers[state.lastID] = continuation
            hasWatchers.store(true, ordering: .releasing)
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        return stream
    }

    private static let bufferSize = 10_000

    deinit {
        let watchers = state.withLock { $0.watchers.values }
        for watcher in watchers { watcher.finish() }
    }

    private func remove(_ id: UInt64) {
        state.withLock { state in
            state.watchers[id] = nil
            hasWatchers.store(!state.watchers.isEmpty, ordering: .releasing)
        }
    }

    /// - Returns: nil if nobody watches.
    func begin(_ request: APIRequest) -> UInt64? {
        guard hasWatchers.load(ordering: .acquiring) else { return nil }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        notify(RequestEvent(id: id, kind: .started, request: RequestSummary(request), model: request.chainState.model))
        return id
    }

    func end(_ id: UInt64?, _ request: APIRequest, with outcome: Result<APIResponse, TransportError>) {
        guard let id else { return }
        let kind: RequestEvent.Kind =
            switch outcome {
            case .success(let response):
                switch response.unsent {
                case nil: .ended(status: response.status.code)
                case .notStored: .notStored
                case .stored, .probe: .answeredByStore
                }
            case .failure(let error): .failed(error.reason)
            }
        notify(RequestEvent(id: id, kind: kind, request: RequestSummary(request), model: request.chainState.model))
    }

    private func notify(_ event: RequestEvent) {
        for watcher in state.withLock({ $0.watchers.values }) { watcher.yield(event) }
    }
}
