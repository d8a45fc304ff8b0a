import Foundation
import RestfulData
import RestfulDataTesting
import Synchronization

/// A transport that answers when the test says so, in any order.
final class HeldTransport: Transport {
    private struct State {
        var requests: [(request: APIRequest, continuation: CheckedContinuation<StubTransport.Reply, Never>)] = []
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        /// The answers to requests that have yet to come, by their places.
        var early: [Int: StubTransport.Reply] = [:]
    }

    private let state = Mutex(State())

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let reply = await withCheckedContinuation { continuation in
            let (reply, ready) = state.withLock { state in
                let reply = state.early.removeValue(forKey: state.requests.count)
                state.requests.append((request, continuation))
                let ready = state.waiting.filter { $0.count <= state.requests.count }
                state.waiting.removeAll { $0.count <= state.requests.count }
                return (reply, ready)
            }
            if let reply { continuation.resume(returning: reply) }
            for waiter in ready { waiter.continuation.resume() }
        }
        let head = HTTPResponse(status: .init(code: reply.status), headerFields: reply.headerFields)
        return APIResponse(head, body: reply.body, to: request)
    }

    /// Waits until that many requests have come.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isHere = state.withLock { state in
                if state.requests.count < count { state.waiting.append((count, continuation)) }
                return state.requests.count >= count
            }
            if isHere { continuation.resume() }
        }
    }

    /// Answers the request of that place among all, counted from 0, now or as soon as it comes.
    func answer(_ index: Int, _ reply: StubTransport.Reply) {
        let continuation = state.withLock { state in
            if index < state.requests.count { return state.requests[index].continuation as Optional }
            state.early[index] = reply
            return nil
        }
        continuation?.resume(returning: reply)
    }

    /// The requests so far: their method, path and body.
    var log: [String] {
        state.withLock { $0.requests.map(\.request) }.map { request in
            "\(request.method) \(request.url.path)"
                + (request.body?.bytes.map { " " + String(decoding: $0, as: UTF8.self) } ?? "")
        }
    }

    /// The query of each request.
    var queries: [String?] { state.withLock { $0.requests.map { $0.request.url.query() } } }

    /// The `Authorization` of each.
    var tokens: [String?] { state.withLock { $0.requests.map { $0.request.headerFields[.authorization] } } }

    var bodies: [String] {
        state.withLock { $0.requests.map { String(decoding: $0.request.body?.bytes ?? [], as: UTF8.self) } }
    }
}

extension Store {
    /// A store with an API that answers when the test says so.
    @MainActor
    static func held(by transport: HeldTransport, _ models: [any Model.Type] = Blog.models) throws -> Store {
        try Store(.temporary, models: models, api: API("https://api.example.com", transport: transport))
    }

    /// Imports JSON and gives back its first object.
    @MainActor
    func imported<M: Model>(_ type: M.Type, _ json: String) async throws -> M {
        try await main.import(type, from: Array(json.utf8)).objects[0]
    }
}
