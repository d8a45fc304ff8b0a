import HTTPTypes
public import RestfulData
import Synchronization

struct ServerHandler: Sendable {
    /// The method and path; nil for all.
    let method: HTTPRequest.Method?
    let pattern: RoutePattern?
    let answer: @Sendable (TestServer.Request) async throws -> TestServer.Reply?
}

struct ServerTraffic: Sendable {
    var requests: [APIRequest] = []
    var exchanges: [TestServer.Exchange] = []
    var unmatched: [String] = []
    var isDown = false
    /// Tasks that wait for a number of replies.
    var waiters = CountWaiters()
}

extension TestServer {
    /// A received request and its reply.
    public struct Exchange: Sendable {
        /// The request.
        public let request: APIRequest
        /// The reply, even if it was lost on the way.
        public let reply: Reply
    }

    /// The received requests, without lost ones, in order: `POST /issues?page=2`.
    public var requests: [String] { traffic.withLock { $0.requests }.map(\.line) }

    /// The received requests with their bodies: `POST /issues {"title":"Crash"}`.
    public var log: [String] { traffic.withLock { $0.requests }.map(\.lineWithBody) }

    /// The received requests with their replies, in the order of the replies.
    public var exchanges: [Exchange] { traffic.withLock(\.exchanges) }

    /// Waits until `count` requests have a reply, even if held or lost, since the start or ``forgetRequests()``.
    /// Returns early if the task is cancelled.
    public func waitForExchanges(_ count: Int) async {
        await CountWaiters.wait(for: count) { change in
            self.traffic.withLock { traffic in
                let current = traffic.exchanges.count
                return change(&traffic.waiters, current)
            }
        }
    }

    /// The problem of each unmatched request, with the nearest route and the difference.
    public var unmatched: [String] { traffic.withLock(\.unmatched) }

    /// Removes all recorded requests, exchanges and problems.
    public func forgetRequests() { traffic.withLock { ($0.requests, $0.exchanges, $0.unmatched) = ([], [], []) } }

    /// Replies to a request, with its planned faults.
    ///
    /// - Throws: ``TransportError`` for a fault of the network, or with the reason `other` for an unknown route.
    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        if isDown { throw TransportError(.connectionRefused, request) }
        let incoming = Request(request, body: try await bytes(of: request), below: map.basePath)
        let next = faults.withLock { $0.next(for: incoming) }
        switch next?.fault {
        case .lostRequest: throw TransportError(.connectionLost, request)
        case .unreachable: throw TransportError(.connectionRefused, request)
        case .latency(let duration):
            do { try await clock.sleep(for: duration) } catch { throw TransportError(.cancelled, request) }
            if isDown { throw TransportError(.connectionRefused, request) }
        default: break
        }
        if Task.isCancelled { throw TransportError(.cancelled, request) }
        traffic.withLock { $0.requests.append(request) }
        gate.begin()
        defer { gate.end() }
        let reply = try await deliver(incoming, next?.fault, isPlanned: next?.isPlanned == true)
        if Task.isCancelled { throw TransportError(.cancelled, request) }
        return try reply.response(to: request, of: "the test server")
    }

    private func bytes(of request: APIRequest) async throws(TransportError) -> [UInt8] {
        guard let body = request.body else { return [] }
        do { return try await body.readAll() } catch {
            throw TransportError(.unreadableBody("\(type(of: error))"), request)
        }
    }

    private func deliver(
        _ incoming: Request, _ fault: Fault?, isPlanned: Bool
    ) async throws(TransportError) -> Reply {
        var reply: Reply
        if case .status(let status, let body, let fields) = fault {
            reply = Reply(status: status, body: Array(body.utf8))
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) { reply.headerFields.set(name, value) }
        } else {
            reply = try await answer(incoming)
        }
        if fault == .duplicated { _ = try await answer(incoming) }
        note(Exchange(request: incoming.request, reply: reply))
        let isCrash = fault == .crash || endsAfter(incoming, reply)
        if isCrash { isDown = true }
        if isCrash || fault == .lostReply { throw TransportError(.connectionLost, incoming.request) }
        switch fault {
        case .truncated: reply.body = Array(reply.body.prefix(reply.body.count / 2))
        case .held: await gate.hold(isOvertaken: false)
        case .overtaken: await gate.hold(isOvertaken: true, needsOther: !isPlanned)
        default: break
        }
        return reply
    }

    private func note(_ exchange: Exchange) {
        let waiters = traffic.withLock { traffic in
            traffic.exchanges.append(exchange)
            return traffic.waiters.take(at: traffic.exchanges.count)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Whether this is the last write before a planned crash.
    private func endsAfter(_ incoming: Request, _ reply: Reply) -> Bool {
        guard incoming.method != .get, incoming.method != .head, 200..<300 ~= reply.status else { return false }
        return faults.withLock { faults in
            guard let left = faults.writesUntilCrash else { return false }
            faults.writesUntilCrash = left > 1 ? left - 1 : nil
            return left == 1
        }
    }

    // MARK: Answers

    private func answer(_ incoming: Request) async throws(TransportError) -> Reply {
        let (refusal, limit) = state.withLock { state in (state.refusal(of: incoming), state.count(at: clock.seconds)) }
        var reply: Reply
        if let refused = limit?.refusal ?? refusal {
            reply = refused.reply(as: errorFormat, about: nil, conventions.mediaType)
            if refused.status == 401 { reply.headerFields[.wwwAuthenticate] = "Bearer" }
        } else if let known = try await handled(incoming) {
            reply = known
        } else {
            reply = try declared(incoming)
        }
        for (name, value) in limit?.fields ?? [] { reply.headerFields.set(name, value) }
        let own = Set(reply.headerFields.map(\.name))
        for field in headerFields where !own.contains(field.name) { reply.headerFields.append(field) }
        // RFC 9110 §9.3.2
        if incoming.method == .head { reply.body = [] }
        return reply
    }

    private func handled(_ incoming: Request) async throws(TransportError) -> Reply? {
        for handler in handlers.withLock({ $0 }).reversed() {
            guard handler.method == nil || handler.method == incoming.method,
                let match = handler.pattern.map({ $0.matches(incoming.path).first }) ?? RoutePattern.Match()
            else { continue }
            var incoming = incoming
            incoming.parameters = Dictionary(match.values.map { ($0.key.joined(separator: "."), $0.value) }) { $1 }
            do {
                if let reply = try await handler.answer(incoming) { return reply }
            } catch let error as TransportError {
                throw error
            } catch {
                let route = [handler.method?.rawValue, handler.pattern?.text].compactMap(\.self)
                let name = route.isEmpty ? "each request" : route.joined(separator: " ")
                let line = "the handler of \(name) threw \(error)"
                throw TransportError(.other(line), incoming.request)
            }
        }
        return nil
    }

    /// Replies by the models' routes.
    private func declared(_ incoming: Request) throws(TransportError) -> Reply {
        if incoming.isBelowBase, let reply = state.withLock({ $0.answerOnce(incoming) }) { return reply }
        let text =
            incoming.isBelowBase
            ? NearestRoute(map.routes, handlers.withLock { $0 }).text(for: incoming)
            : "the test server has no route for \(incoming.line); its routes are below \(map.basePath)"
        traffic.withLock { $0.unmatched.append(text) }
        throw TransportError(.other(text), incoming.request)
    }
}

extension ServerState {
    /// The reason to refuse a request before its route is considered.
    fileprivate func refusal(of request: TestServer.Request) -> Refusal? {
        guard let authorization = rules.authorization, request.headerFields[.authorization] != authorization,
            rules.openPaths.allSatisfy({ $0.matches(request.path).isEmpty })
        else { return nil }
        return Refusal(status: 401, message: "Bad credentials")
    }

    /// Counts a request for the limit.
    ///
    /// - Returns: The limit's header fields, and the refusal if the limit is exceeded.
    fileprivate mutating func count(at now: Double) -> (fields: [(String, String)], refusal: Refusal?)? {
        guard var limit = rules.limit else { return nil }
        let second = Int(now)
        if limit.start.map({ second >= $0 + limit.seconds }) ?? true { (limit.start, limit.used) = (second, 0) }
        let isSpent = limit.used >= limit.count
        if !isSpent { limit.used += 1 }
        rules.limit = limit
        let end = (limit.start ?? second) + limit.seconds
        var fields = [
            ("X-RateLimit-Limit", "\(limit.count)"), ("X-RateLimit-Remaining", "\(limit.count - limit.used)"),
            ("X-RateLimit-Reset", "\(end)"), ("Date", TestClock.httpDate(now)),
        ]
        guard isSpent else { return (fields, nil) }
        fields.append(("Retry-After", "\(end - second)"))
        return (fields, Refusal(status: 429, message: "Too many requests"))
    }
}
