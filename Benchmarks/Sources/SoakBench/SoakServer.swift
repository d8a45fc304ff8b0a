import Foundation
import HTTPTypes
import RestfulData
import Synchronization

/// Answers from memory: each time with other values, unless it is told to reply 304 or to stay silent.
final class SoakServer: Transport {
    enum Mood {
        case changing, same, failing
    }

    private struct State {
        var mood = Mood.changing
        var count = 0
    }

    private let state = Mutex(State())

    var mood: Mood {
        get { state.withLock { $0.mood } }
        set { state.withLock { $0.mood = newValue } }
    }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let state = state.withLock { state in
            state.count += 1
            return state
        }
        if state.mood == .failing { return reply(500, "", to: request) }
        switch request.method {
        case .post: return reply(201, #"{"id": \#(1_000_000 + state.count)}"#, to: request)
        case .delete: return reply(204, "", to: request)
        case .get: return answer(request, state)
        default: return reply(200, "{}", to: request)
        }
    }

    private func answer(_ request: APIRequest, _ state: State) -> APIResponse {
        let isSame = state.mood == .same
        if isSame, request.headerFields[.ifNoneMatch] != nil { return reply(304, "", to: request) }
        let tasks = (1...20).map { task in
            let tag = 1 + (task + state.count) % 5
            return #"{"id": \#(task), "title": "t\#(state.count)", "score": \#(state.count), "tag_ids": [\#(tag)]}"#
        }
        let isList = request.url.path().hasSuffix("/tasks")
        let body = isList ? "[\(tasks.joined(separator: ","))]" : #"{"id": 1, "name": "p\#(state.count)"}"#
        return reply(200, body, to: request, tag: isSame ? "same" : "\(state.count)")
    }

    private func reply(_ status: Int, _ body: String, to request: APIRequest, tag: String? = nil) -> APIResponse {
        var fields: HTTPFields = [.contentType: "application/json"]
        if let tag { fields[.eTag] = "\"\(tag)\"" }
        let head = HTTPResponse(status: .init(code: status), headerFields: fields)
        return APIResponse(head, body: Array(body.utf8), to: request)
    }
}
