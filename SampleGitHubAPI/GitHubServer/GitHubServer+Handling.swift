import FlyingFox
import FlyingSocks
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension GitHubServer {
    func handle(_ request: HTTPRequest) async throws -> HTTPResponse {
        let incoming = try await Incoming(request)
        let (fault, position) = state.withLock { $0.receive(incoming) }
        switch fault {
        case .dropRequest?: return .dropped
        case .reply(let status, let headers, let body)?:
            let reply = Outgoing(status: status, headers: headers, body: Data(body.utf8))
            state.withLock { $0.note(status, at: position) }
            return HTTPResponse(reply)
        case .delay(let duration)?:
            // The server may stop meanwhile.
            guard (try? await Task.sleep(for: duration)) != nil else { return .dropped }
        case .dropReply?, .truncateReply?, nil: break
        }
        let reply = state.withLock { $0.service.answer(incoming) }
        if case .dropReply? = fault { return .dropped }
        state.withLock { $0.note(reply.status, at: position) }
        if case .truncateReply? = fault { return .truncated(reply) }
        return HTTPResponse(reply)
    }
}

extension GitHubServer.State {
    /// Logs a request and takes its fault.
    mutating func receive(_ request: Incoming) -> (fault: Fault?, position: Int) {
        log.append(RecordedRequest(request))
        guard let index = faults.firstIndex(where: { $0.meets(request) }) else { return (nil, log.count - 1) }
        faults[index].times -= 1
        return (faults[index].fault, log.count - 1)
    }

    /// The log may have been emptied meanwhile.
    mutating func note(_ status: Int, at position: Int) {
        if log.indices.contains(position) { log[position].status = status }
    }
}

extension Incoming {
    init(_ request: HTTPRequest) async throws {
        method = request.method.rawValue
        path = request.target.path()
        query = request.target.query()
        headers = request.headers.reduce(into: [:]) { $0[$1.key.rawValue.lowercased()] = $1.value }
        body = try await request.bodyData
    }
}

extension HTTPResponse {
    init(_ reply: Outgoing) {
        self.init(reply, body: HTTPBodySequence(data: reply.body, suggestedBufferSize: 1 << 16))
    }

    /// Sends half of the body, and closes the connection.
    static func truncated(_ reply: Outgoing) -> HTTPResponse {
        let bytes = BrokenBody(beginning: [UInt8](reply.body.prefix(reply.body.count / 2)))
        return HTTPResponse(reply, body: HTTPBodySequence(from: bytes, count: reply.body.count))
    }

    static var dropped: HTTPResponse { HTTPResponse(webSocket: ClosedConnection()) }

    private init(_ reply: Outgoing, body: HTTPBodySequence) {
        var headers = HTTPHeaders()
        for (name, value) in reply.headers { headers[HTTPHeader(name)] = value }
        self.init(statusCode: HTTPStatusCode(reply.status, phrase: reply.reason), headers: headers, body: body)
    }
}
