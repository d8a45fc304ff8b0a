import Foundation
import RestfulData
import RestfulDataTesting
import Synchronization

/// A service in memory whose replies wait until they are released. A request's effect at the server and its reply are
/// two steps, and either may fail.
final class PlayServer: Transport {
    fileprivate enum Outcome: Sendable {
        case reply(StubTransport.Reply)
        case failure(TransportError.Reason)
    }

    fileprivate struct Call {
        let number: Int
        let request: APIRequest
        var reply: StubTransport.Reply?
        let continuation: CheckedContinuation<Outcome, Never>

        var text: String {
            let body = String(decoding: request.body?.bytes ?? [], as: UTF8.self)
            return "#\(number) \(request.method) \(request.url.relativeTarget) \(body)"
        }
    }

    fileprivate struct State {
        var world = PlayWorld()
        var calls: [Call] = []
        var isHeld = false
        var isDown = false
        var count = 0
        var cancelled: Set<Int> = []
        var log: [String] = []
    }

    private let state = Mutex(State())

    /// Reads the server's tables, or changes them as another client does.
    func with<Result: Sendable>(_ body: (inout PlayWorld) -> Result) -> Result { state.withLock { body(&$0.world) } }

    /// Whether requests wait to be moved; else they are answered at once.
    var isHeld: Bool {
        get { state.withLock { $0.isHeld } }
        set { state.withLock { $0.isHeld = newValue } }
    }

    /// Whether no connection is made.
    var isDown: Bool {
        get { state.withLock { $0.isDown } }
        set { state.withLock { $0.isDown = newValue } }
    }

    /// The answers so far.
    var log: [String] { state.withLock { $0.log } }

    /// How many requests have come, and how many of them wait.
    var counts: [Int] { state.withLock { [$0.count, $0.calls.count] } }
    var isWaitedFor: Bool { state.withLock { !$0.calls.isEmpty } }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { $0.outcome(of: Call(number, request, continuation)) }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let call = state.withLock { state -> Call? in
                state.cancelled.insert(number)
                return state.calls.firstIndex { $0.number == number }.map { state.calls.remove(at: $0) }
            }
            call?.continuation.resume(returning: .failure(.cancelled))
        }
        switch outcome {
        case .failure(let reason): throw TransportError(reason, request)
        case .reply(let reply):
            let head = HTTPResponse(status: .init(code: reply.status), headerFields: reply.headerFields)
            return APIResponse(head, body: reply.body, to: request)
        }
    }

    // MARK: Moving

    /// The fate of a waiting request.
    enum Move: Sendable {
        /// The server carries it out, and the reply is in flight.
        case process
        /// The reply comes.
        case deliver
        /// The connection is lost, before or after the server has done it.
        case lose
        /// A gateway answers 500, before or after the server has carried out the request.
        case fail
    }

    /// Advances a waiting request.
    ///
    /// - Returns: the result; `nil` if none waits.
    @discardableResult
    func move(_ pick: Int, _ move: Move) -> String? {
        let moved = state.withLock { state -> (call: Call?, outcome: Outcome?, text: String)? in
            guard !state.calls.isEmpty else { return nil }
            return state.move(pick % state.calls.count, move)
        }
        if let moved, let call = moved.call, let outcome = moved.outcome {
            call.continuation.resume(returning: outcome)
        }
        return moved?.text
    }

    func deliverAll() { while isWaitedFor { move(0, .deliver) } }
    func loseAll() { while isWaitedFor { move(0, .lose) } }
}

extension PlayServer.Call {
    fileprivate init(
        _ number: Int, _ request: APIRequest, _ continuation: CheckedContinuation<PlayServer.Outcome, Never>
    ) {
        (self.number, self.request, self.continuation) = (number, request, continuation)
    }
}

extension PlayServer.State {
    /// The immediate answer to a request; `nil` if it waits.
    fileprivate mutating func outcome(of call: PlayServer.Call) -> PlayServer.Outcome? {
        if cancelled.contains(call.number) { return .failure(.cancelled) }
        if isDown { return .failure(.connectionRefused) }
        guard isHeld else { return .reply(answer(call)) }
        calls.append(call)
        return nil
    }

    private mutating func answer(_ call: PlayServer.Call) -> StubTransport.Reply {
        let reply = world.answer(call.request)
        log.append("\(call.text) → \(reply.text)")
        return reply
    }

    fileprivate mutating func move(
        _ index: Int, _ move: PlayServer.Move
    ) -> (call: PlayServer.Call?, outcome: PlayServer.Outcome?, text: String) {
        let name = calls[index].text
        let done = calls[index].reply == nil ? "" : ", which was done"
        switch move {
        case .process where calls[index].reply == nil:
            let reply = answer(calls[index])
            calls[index].reply = reply
            return (nil, nil, "process \(name) → \(reply.text)")
        case .process, .deliver:
            let call = calls.remove(at: index)
            let reply = call.reply ?? answer(call)
            return (call, .reply(reply), "deliver \(name) → \(reply.text)")
        case .lose: return (calls.remove(at: index), .failure(.connectionLost), "lose \(name)\(done)")
        case .fail:
            let reply = StubTransport.Reply.json(#"{"error": "oops"}"#, status: 500)
            return (calls.remove(at: index), .reply(reply), "500 to \(name)\(done)")
        }
    }
}

extension StubTransport.Reply {
    fileprivate var text: String { "\(status) \(String(decoding: body, as: UTF8.self))" }
}

extension URL {
    fileprivate var relativeTarget: String { path() + (query().map { "?\($0)" } ?? "") }
}
