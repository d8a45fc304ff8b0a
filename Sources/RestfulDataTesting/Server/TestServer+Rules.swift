public import HTTPTypes
public import RestfulData
import Synchronization

// What a test says of its server beside the models.

extension TestServer {
    /// What the `ETag` of a reply is made of.
    public enum EntityTags: Sendable, Hashable {
        /// The body: `"98d6ddba368da729"`.
        case content
        /// The same, as a weak tag: `W/"98d6ddba368da729"`.
        case weakContent
        /// Of an object, how often it was changed: `"3"`. Of a list, the body.
        case versions
        /// The same, as a weak tag: `W/"3"`.
        case weakVersions
        /// Replies have none.
        case none

        var isWeak: Bool { self == .weakContent || self == .weakVersions }
        var isOfVersions: Bool { self == .versions || self == .weakVersions }
    }

    /// How many objects a page has where a request doesn't say it; nil, as at first, for all.
    public var pageSize: Int? {
        get { state.withLock(\.rules.pageSize) }
        set { state.withLock { $0.rules.pageSize = newValue } }
    }

    /// How errors are written; at first as the service does that the conventions are named for.
    public var errorFormat: ErrorFormat {
        get { state.withLock(\.rules.errors) }
        set { state.withLock { $0.rules.errors = newValue } }
    }

    /// What entity tags are made of; at first of what the conventions send back in conditions.
    public var entityTags: EntityTags {
        get { state.withLock(\.rules.entityTags) }
        set { state.withLock { $0.rules.entityTags = newValue } }
    }

    /// Whether objects have a `Last-Modified`, a second later with each change; at first where the conventions send it
    /// back.
    public var hasModificationDates: Bool {
        get { state.withLock(\.rules.hasDates) }
        set { state.withLock { $0.rules.hasDates = newValue } }
    }

    /// Header fields of all replies, such as `Cache-Control`.
    public var headerFields: HTTPFields {
        get { state.withLock(\.rules.headerFields) }
        set { state.withLock { $0.rules.headerFields = newValue } }
    }

    // MARK: Objects

    /// What new objects have that the client doesn't send: `server.defaults(Issue.self, ["state": "open"])`.
    ///
    /// - Throws: ``TestServerError/unknownModel(_:)``; ``TestServerError/json(model:)`` for what is no object.
    public func defaults<M: Model>(_ type: M.Type, _ values: JSONValue) throws(TestServerError) {
        let model = try model(type)
        guard case .object(let members) = values else { throw .json(model: model.modelName) }
        state.withLock { $0.rules.defaults[model.modelName, default: [:]].merge(members) { $1 } }
    }

    /// Lets what some relationships lead to stand whole in replies, as GitHub's `user` does.
    ///
    /// - Parameter names: their Swift names.
    /// - Throws: ``TestServerError/unknownModel(_:)``, ``TestServerError/unknownProperty(model:name:suggestion:)``.
    public func nest<M: Model>(_ type: M.Type, _ names: String...) throws(TestServerError) {
        let model = try model(type)
        for name in names {
            let property = try map.property(name, of: model).name
            _ = state.withLock { $0.rules.nested[model.modelName, default: []].insert(property) }
        }
    }

    // MARK: Validation

    /// Refuses objects without a value of some properties: null, empty and blank ones, "can't be blank".
    ///
    /// - Parameter names: their Swift names.
    /// - Throws: ``TestServerError/unknownModel(_:)``, ``TestServerError/unknownProperty(model:name:suggestion:)``.
    public func require<M: Model>(_ type: M.Type, _ names: String...) throws(TestServerError) {
        for name in names {
            try check(type, name) { value in value?.isBlank != false ? "can't be blank" : nil }
        }
    }

    /// Refuses objects by a rule of the test's own.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - name: the Swift name of an attribute, or of a to-one relationship, whose identity is the value.
    ///   - problem: says what is wrong with a value; nil for nothing. It must not call the server, which waits for it.
    /// - Throws: ``TestServerError/unknownModel(_:)``, ``TestServerError/unknownProperty(model:name:suggestion:)``.
    public func check<M: Model>(
        _ type: M.Type, _ name: String, problem: @escaping @Sendable (_ value: JSONValue?) -> String?
    ) throws(TestServerError) {
        let model = try model(type)
        let path = try map.property(name, of: model).jsonPath
        let check = ServerRules.Check(model: model.modelName, path: path, problem: problem)
        state.withLock { $0.rules.checks.append(check) }
    }

    // MARK: Access

    /// Answers 401 unless a request has `Authorization: Bearer` with this token. Another call renews the token, and the
    /// old one is refused from then on; nil lets everybody in.
    public func requireToken(_ token: String?) {
        state.withLock { $0.rules.authorization = token.map { "Bearer \($0)" } }
    }

    /// Answers 403 to requests of a method and path.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - template: a path below the base URL; a name stands for any segment: `/issues/:number`.
    ///   - message: what the error says.
    /// - Throws: ``TestServerError/template(_:_:)``.
    public func forbid(
        _ method: HTTPRequest.Method, _ template: String, message: String = "Forbidden"
    ) throws(TestServerError) {
        let (map, format) = (map, errorFormat)
        try on(method, template) { _ in
            Refusal(status: 403, message: message).reply(as: format, about: nil, map.conventions.mediaType)
        }
    }

    /// Lets so many requests in within a time, counted by the server's ``clock``, and answers 429 to further ones.
    /// Replies say how many are left, in `X-RateLimit-Limit`, `-Remaining` and `-Reset`.
    ///
    /// - Parameters:
    ///   - count: how many requests.
    ///   - duration: the time, in whole seconds.
    public func limit(_ count: Int, per duration: Duration) {
        let seconds = Int(clamping: duration.components.seconds)
        state.withLock { $0.rules.limit = ServerRules.RateLimit(count: max(0, count), seconds: max(1, seconds)) }
    }

    // MARK: Routes

    /// Answers requests of a method and path by a closure, before the models' routes are looked at. Of several that
    /// match, the last one that was added is asked first.
    ///
    /// ```swift
    /// try server.on(.post, "/issues/:number/lock") { request in
    ///     try server.update(Issue.self, request.parameters["number"], setting: ["locked": true])
    ///     return .status(204)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - template: a path below the base URL; each name is one segment.
    ///   - handler: gets the request, and returns nil to leave it to the next handler or the models. A
    ///     ``TransportError`` that it throws is what the client gets.
    /// - Throws: ``TestServerError/template(_:_:)``.
    public func on(
        _ method: HTTPRequest.Method, _ template: String,
        handler: @escaping @Sendable (Request) async throws -> Reply?
    ) throws(TestServerError) {
        let pattern: RoutePattern
        do { pattern = RoutePattern(try RouteTemplate(template), isSegmented: true) } catch {
            throw .template(template, "\(error)")
        }
        handlers.withLock { $0.append(ServerHandler(method: method, pattern: pattern, answer: handler)) }
    }

    /// Shows every request to a closure before it is answered, which may wait, change objects, or answer itself. It is
    /// asked before all other handlers that were added before it.
    ///
    /// - Parameter handler: as of ``on(_:_:handler:)``; the request has no parameters.
    public func onEach(_ handler: @escaping @Sendable (Request) async throws -> Reply?) {
        handlers.withLock { $0.append(ServerHandler(method: nil, pattern: nil, answer: handler)) }
    }

    // MARK: Faults

    /// Lets the next requests go wrong.
    ///
    /// ```swift
    /// try server.fail(.lostReply, .post)                          // the next POST is done, and its reply lost
    /// try server.fail(.status(503), at: "/issues/:number", times: 2)
    /// ```
    ///
    /// - Parameters:
    ///   - fault: what goes wrong.
    ///   - method: the method of the requests; nil for any.
    ///   - template: their path; nil for any.
    ///   - skip: how many such requests go well before.
    ///   - times: how many go wrong.
    /// - Throws: ``TestServerError/template(_:_:)``.
    public func fail(
        _ fault: Fault, _ method: HTTPRequest.Method? = nil, at template: String? = nil, after skip: Int = 0,
        times: Int = 1
    ) throws(TestServerError) {
        var pattern: RoutePattern?
        if let template {
            do { pattern = RoutePattern(try RouteTemplate(template), isSegmented: true) } catch {
                throw .template(template, "\(error)")
            }
        }
        plan(fault, after: skip, times: times) { [pattern] request in
            (method == nil || method == request.method) && pattern?.matches(request.path).isEmpty != true
        }
    }

    /// Lets those of the next requests go wrong that a closure chooses.
    ///
    /// ```swift
    /// server.fail(.lostReply) { $0.method != .get }
    /// ```
    ///
    /// - Parameters:
    ///   - fault: what goes wrong.
    ///   - skip: how many such requests go well before.
    ///   - times: how many go wrong.
    ///   - isMeant: whether it is such a request. It must not call the server, which waits for it.
    public func fail(
        _ fault: Fault, after skip: Int = 0, times: Int = 1,
        when isMeant: @escaping @Sendable (Request) -> Bool
    ) {
        plan(fault, after: skip, times: times, when: isMeant)
    }

    private func plan(
        _ fault: Fault, after skip: Int, times: Int, when isMeant: @escaping @Sendable (Request) -> Bool
    ) {
        guard times > 0 else { return }
        let planned = ServerFaults.Planned(fault: fault, isMeant: isMeant, skip: max(0, skip), times: times)
        faults.withLock { $0.planned.append(planned) }
    }

    /// Lets requests go wrong by chance: one of `interval`, on average. The same seed and the same requests give the
    /// same faults.
    public func fail(oneOf interval: Int, with faults: [Fault], seed: UInt64) {
        self.faults.withLock {
            $0.chance = ServerFaults.Chance(generator: SplitMix(seed: seed), interval: interval, faults: faults)
        }
    }

    /// Ends the server when it has done that many further writes, of which the last one's reply is lost. Its objects
    /// stay; ``restart()`` brings it back.
    public func crash(afterWrites count: Int) { faults.withLock { $0.writesUntilCrash = max(1, count) } }

    /// Forgets all faults that have not happened.
    public func forgetFaults() { faults.withLock { $0 = ServerFaults() } }

    /// How many planned faults have not happened, which a test that means all of them expects to be 0.
    public var pendingFaults: Int { faults.withLock { $0.planned.reduce(0) { $0 + $1.times } } }

    /// Whether connections are refused.
    public var isDown: Bool {
        get { traffic.withLock(\.isDown) }
        set { traffic.withLock { $0.isDown = newValue } }
    }

    /// Accepts connections again, after a crash say.
    public func restart() { isDown = false }

    // MARK: Held replies

    /// How many replies are held, by ``Fault/held`` or ``Fault/overtaken``.
    public var heldReplies: Int { gate.count }

    /// Waits until that many replies are held: their requests are done.
    public func waitForHeldReplies(_ count: Int) async { await gate.wait(for: count) }

    /// Lets all held replies go.
    public func release() { gate.releaseAll() }

    /// Lets one held reply go, counted from 0 in the order in which they were held.
    public func release(_ index: Int) { gate.release(index) }
}
