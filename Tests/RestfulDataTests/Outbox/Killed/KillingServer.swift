import FlyingFox
import FlyingSocks
import Foundation
import HTTPTypes
import RestfulData
import TestSupport

/// An `OutboxServer` that listens on a loopback port and kills the process that sends it a certain request.
///
/// It carries out one request after the other. Requests of a process that has ended are dropped, as they could arrive
/// after those of the next one.
actor KillingServer {
    /// When a process is killed.
    enum Moment: Sendable {
        /// When its n-th request has arrived, before it is done.
        case arrival(Int)
        /// When its n-th request was done, before the reply.
        case reply(Int)
    }

    let server: OutboxServer
    private(set) var base = ""
    /// The runs whose requests are carried out.
    private var runs: Set<String> = []
    /// The run that is killed, when, and the signal that is awaited before.
    private var plan: (run: String, moment: Moment, signal: String?)?
    private var requests = 0
    /// The events so far, and the tasks that wait for others.
    private var signals: Set<String> = []
    private var waiting: [(signal: String, continuation: CheckedContinuation<Void, Never>)] = []

    init(_ server: OutboxServer) { self.server = server }

    /// Carries out the requests of a run, too.
    func begin(_ run: String) { runs.insert(run) }

    /// Kills the process of a run when the moment has come.
    ///
    /// - Parameter signal: is awaited before, after "sends" was signalled.
    func kill(_ run: String, at moment: Moment, after signal: String? = nil) {
        (plan, requests) = ((run, moment, signal), 0)
    }

    /// Drops the unexecuted requests of the run's process, which has ended.
    func end(_ run: String) {
        runs.remove(run)
        plan = nil
        signal("\(run) ended")
    }

    /// Resumes those that wait for a signal, now and later.
    func signal(_ name: String) {
        signals.insert(name)
        for waiter in waiting where waiter.signal == name { waiter.continuation.resume() }
        waiting.removeAll { $0.signal == name }
    }

    private func wait(for name: String) async {
        if !signals.contains(name) { await withCheckedContinuation { waiting.append((name, $0)) } }
    }

    /// Resumes all that wait: there will be no more signals.
    fileprivate func endAll() {
        runs = []
        for waiter in waiting { waiter.continuation.resume() }
        waiting = []
    }

    fileprivate func listen(at port: UInt16) { base = "http://127.0.0.1:\(port)" }

    fileprivate func answer(_ request: FlyingFox.HTTPRequest, _ body: Data) async throws -> FlyingFox.HTTPResponse {
        let run = request.headers[.run] ?? ""
        if let name = request.target.signal {
            if request.method == .GET { await wait(for: name) } else { signal(name) }
            return FlyingFox.HTTPResponse(statusCode: .noContent)
        }
        guard runs.contains(run) else { return dropped }
        let moment = plan?.run == run ? plan?.moment : nil
        if moment != nil { requests += 1 }
        if case .arrival(requests) = moment { return await killed(request) }
        let reply = try await server.send(APIRequest(request, body, base))
        if case .reply(requests) = moment { return await killed(request) }
        var headers = HTTPHeaders()
        for field in reply.head.headerFields { headers[HTTPHeader(field.name.rawName)] = field.value }
        return FlyingFox.HTTPResponse(
            statusCode: HTTPStatusCode(reply.status.code, phrase: "Status"), headers: headers, body: Data(reply.body))
    }

    private func killed(_ request: FlyingFox.HTTPRequest) async -> FlyingFox.HTTPResponse {
        if let signal = plan?.signal {
            self.signal("sends")
            await wait(for: signal)
        }
        if let process = request.headers[.process].flatMap({ pid_t($0) }) { Foundation.kill(process, SIGKILL) }
        await wait(for: "\(request.headers[.run] ?? "") ended")
        return dropped
    }

    /// This reply is never read.
    private let dropped = FlyingFox.HTTPResponse(statusCode: .serviceUnavailable)
}

extension HTTPHeader {
    /// The run of the process that sends, and its number.
    fileprivate static let run = HTTPHeader("X-Run")
    fileprivate static let process = HTTPHeader("X-Process")
}

extension FlyingFox.HTTPRequest.Target {
    /// The signal that is sent, or waited for.
    fileprivate var signal: String? {
        path().hasPrefix("/signals/") ? path().dropFirst("/signals/".count).removingPercentEncoding : nil
    }
}

extension APIRequest {
    fileprivate init(_ request: FlyingFox.HTTPRequest, _ body: Data, _ base: String) throws {
        var fields: HTTPFields = [:]
        for (name, value) in request.headers {
            if let name = HTTPField.Name(name.rawValue) { fields[name] = value }
        }
        try self.init(
            HTTPTypes.HTTPRequest.Method(request.method.rawValue) ?? .get, base + request.target.rawValue,
            headerFields: fields, body: body.isEmpty ? nil : .bytes(Array(body)))
    }
}

/// Runs a server for the length of `body`.
func withKillingServer(
    _ world: OutboxServer, _ body: @MainActor (KillingServer) async throws -> Void
) async throws {
    let killing = KillingServer(world)
    let server = HTTPServer(
        address: try .inet(ip4: "127.0.0.1", port: 0), timeout: Double(patience.components.seconds), logger: .disabled,
        handler: ClosureHTTPHandler { request in
            let body = try await request.bodyData
            return try await killing.answer(request, body)
        })
    let running = Task { try await server.run() }
    defer { running.cancel() }
    try await server.waitUntilListening(timeout: Double(patience.components.seconds))
    guard case .ip4(_, let port)? = await server.listeningAddress else { throw CancellationError() }
    await killing.listen(at: port)
    do {
        try await body(killing)
    } catch {
        await killing.endAll()
        await server.stop()
        throw error
    }
    await killing.endAll()
    await server.stop()
}
