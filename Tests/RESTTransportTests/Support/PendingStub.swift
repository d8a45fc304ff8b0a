import HTTPTypes
import RESTTransport
import Synchronization

/// A transport that replies when the test says so.
final class PendingStub: Transport {
    private typealias Outcome = Result<Stub.Answer, TransportError>
    private struct State {
        var sent: [APIRequest] = []
        var pending: [(number: Int, continuation: CheckedContinuation<Outcome, Never>)] = []
    }

    private let state = Mutex(State())

    /// The requests so far.
    var requests: [APIRequest] { state.withLock(\.sent) }

    /// The number of requests that wait for a reply.
    var pending: Int { state.withLock { $0.pending.count } }

    /// Answers those that have waited longest.
    func answer(_ count: Int = 1, _ answer: Stub.Answer = .status(.ok)) {
        let answered = state.withLock { state in
            defer { state.pending.removeFirst(min(count, state.pending.count)) }
            return state.pending.prefix(count)
        }
        for (_, continuation) in answered { continuation.resume(returning: .success(answer)) }
    }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let number = state.withLock { state in
            state.sent.append(request)
            return state.sent.count
        }
        let outcome: Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.pending.append((number, continuation))
                    return false
                }
                if isCancelled { continuation.resume(returning: .failure(TransportError(.cancelled, request))) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.pending.firstIndex { $0.number == number }.map { state.pending.remove(at: $0).continuation }
            }
            continuation?.resume(returning: .failure(TransportError(.cancelled, request)))
        }
        switch try outcome.get() {
        case .status(let status, let fields, let body):
            return APIResponse(HTTPResponse(status: status, headerFields: fields), body: Array(body.utf8), to: request)
        case .failure(let reason): throw TransportError(reason, request)
        }
    }
}
