import Foundation
import HTTPTypes
import RestfulData
import Synchronization

/// Passes requests to the server in order, and its replies on when the schedule says so.
final class ServerTransport: Transport {
    private struct Held {
        let line: String
        let reply: CheckedContinuation<Void, Never>
    }

    private struct State {
        var server = Server()
        var held: [Held] = []
        var log: [String] = []
        /// Whether the fate of requests may still be a fault.
        var isFaulty = true
    }

    private let state = Mutex(State())

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let fate = Operation.current?.fate ?? .whole
        let path = request.url.path(percentEncoded: true)
        let line = "\(request.method.rawValue) \(path) \(String(decoding: request.body?.bytes ?? [], as: UTF8.self))"
        let answer = state.withLock { state -> Server.Answer in
            state.log.append("\(line) (\(fate))")
            switch fate {
            case .unreached: return Server.Answer(status: 0)
            case .refused: return Server.Answer(status: 500)
            default: return state.server.answer(request.method.rawValue, path, request.body?.bytes, fate)
            }
        }
        await withCheckedContinuation { continuation in
            state.withLock { $0.held.append(Held(line: line, reply: continuation)) }
        }
        if fate == .lost || fate == .unreached { throw TransportError(.connectionLost, request) }
        var fields: HTTPFields = answer.body.isEmpty ? [:] : [.contentType: "application/json"]
        if answer.leadsOn, let link = HTTPField.Name("Link") { fields[link] = "<\(path)?page=2>; rel=\"next\"" }
        return APIResponse(
            HTTPResponse(status: .init(code: answer.status), headerFields: fields), body: Array(answer.body.utf8),
            to: request)
    }

    /// Lets one reply arrive; false when none is held.
    func reply(_ index: Int) -> Bool {
        let held = state.withLock { state in
            state.held.isEmpty ? nil : state.held.remove(at: index % state.held.count)
        }
        held?.reply.resume()
        return held != nil
    }

    var heldCount: Int { state.withLock { $0.held.count } }
    var log: [String] { state.withLock { $0.log } }
    var server: Server { state.withLock { $0.server } }

    func change<Result: Sendable>(_ body: @Sendable (inout Server) -> Result) -> Result {
        state.withLock { body(&$0.server) }
    }
}
