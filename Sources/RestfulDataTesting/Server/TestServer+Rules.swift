public import HTTPTypes
public import RestfulData
import Synchronization

// Rules that a test adds to its server.

extension TestServer {
    /// The source of the `ETag` of a reply.
    public enum EntityTags: Sendable, Hashable {
        /// The body: `"98d6ddba368da729"`.
        case content
        /// The body, as a weak tag: `W/"98d6ddba368da729"`.
        case weakContent
        /// For an object, its number of changes: `"3"`. For a list, the body.
        case versions
        /// The value of ``versions``, as a weak tag: `W/"3"`.
        case weakVersions
        /// Replies omit `ETag`.
        case none

        var isWeak: Bool { self == .weakContent || self == .weakVersions }
        var isOfVersions: Bool { self == .versions || self == .weakVersions }
    }

    /// The default size of a page; nil, the default, for the whole list.
    public var pageSize: Int? {
        get { state.withLock(\.rules.pageSize) }
        set { state.withLock { $0.rules.pageSize = newValue } }
    }

    /// The format of errors; by default that of the service of the conventions.
    public var errorFormat: ErrorFormat {
        get { state.withLock(\.rules.errors) }
        set { state.withLock { $0.rules.errors = newValue } }
    }

    /// The source of entity tags; by default as the conventions' conditional writes need it.
    public var entityTags: EntityTags {
        get { state.withLock(\.rules.entityTags) }
        set { state.withLock { $0.rules.entityTags = newValue } }
    }

    /// Whether objects have a `Last-Modified`, a second later with each change; by default if the conventions use it
    /// for conditional writes.
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

    /// Sets default values of new objects: `server.defaults(Issue.self, ["state": "open"])`.
    ///
    /// - Throws: ``TestServerError`` for an unknown model, or values that aren't an object.
    public func defaults<M: Model>(_ type: M.Type, _ values: JSONValue) throws(TestServerError) {
        let model = try model(type)
        guard case .object(let members) = values else { throw .json(model: model.modelName) }
        state.withLock { $0.rules.defaults[model.modelName, default: [:]].merge(members) { $1 } }
    }

    /// Nests the targets of some relationships in replies.
    ///
    /// - Parameter names: The relationships' Swift names.
    /// - Throws: ``TestServerError`` for an unknown model or property.
    public func nest<M: Model>(_ type: M.Type, _ names: String...) throws(TestServerError) {
        let model = try model(type)
        for name in names {
            let property = try map.property(name, of: model).name
            _ = state.withLock { $0.rules.nested[model.modelName, default: []].insert(property) }
        }
    }

    // MARK: Validation

    /// Rejects objects whose properties are missing, null, empty or blank, with "can't be blank".
    ///
    /// - Parameter names: The properties' Swift names.
    /// - Throws: ``TestServerError`` for an unknown model or property.
    public func require<M: Model>(_ type: M.Type, _ names: String...) throws(TestServerError) {
        for name in names {
            try check(type, name) { value in value?.isBlank != false ? "can't be blank" : nil }
        }
    }

    /// Rejects objects by your own rule.
    ///
    /// - Parameters:
    ///   - name: The Swift name of an attribute, or of a to-one relationship, which is checked by its identity.
    ///   - problem: Returns the problem of a value, or nil if it is valid. It must not call the server, whose lock is
    ///     held.
    /// - Throws: ``TestServerError`` for an unknown model or property.
    public func check<M: Model>(
        _ type: M.Type, _ name: String, problem: @escaping @Sendable (_ value: JSONValue?) -> String?
    ) throws(TestServerError) {
        let model = try model(type)
        let path = try map.property(name, of: model).jsonPath
        let check = ServerRules.Check(model: model.modelName, path: path, problem: problem)
        state.withLock { $0.rules.checks.append(check) }
    }

    // MARK: Access

    /// Replies 401 to requests without `Authorization: Bearer` and this token, before any handler. Another call
    /// replaces the token; nil removes it.
    public func requireToken(_ token: String?) { setToken(token, except: []) }

    /// Replies 401 to requests without `Authorization: Bearer` and this token, except on some paths.
    ///
    /// ```swift
    /// try server.on(.post, "/oauth/token") { _ in .json(#"{"access_token": "t0ken", "token_type": "bearer"}"#) }
    /// try server.requireToken("t0ken", except: ["/oauth/token"])
    /// ```
    ///
    /// - Parameter templates: paths below the base URL. A name stands for any segment: `/logins/:id`.
    /// - Throws: ``TestServerError/template(_:_:)``.
    public func requireToken(_ token: String?, except templates: [String]) throws(TestServerError) {
        var patterns: [RoutePattern] = []
        for template in templates { patterns.append(try RoutePattern(below: template)) }
        setToken(token, except: patterns)
    }

    private func setToken(_ token: String?, except patterns: [RoutePattern]) {
        state.withLock { state in
            state.rules.authorization = token.map { "Bearer \($0)" }
            state.rules.openPaths = patterns
        }
    }

    /// Replies 403 to requests with a method and path.
    ///
    /// - Parameter template: A path below the base URL. A name stands for any segment: `/issues/:number`.
    /// - Throws: ``TestServerError/template(_:_:)``.
    public func forbid(
        _ method: HTTPRequest.Method, _ template: String, message: String = "Forbidden"
    ) throws(TestServerError) {
        let (map, format) = (map, errorFormat)
        try on(method, template) { _ in
            Refusal(status: 403, message: message).reply(as: format, about: nil, map.conventions.mediaType)
        }
    }

    /// Accepts `count` requests within a time, by the server's ``clock``, and replies 429 to further ones. Replies have
    /// `X-RateLimit-Limit`, `-Remaining` and `-Reset`.
    ///
    /// - Parameter duration: The time, in whole seconds; at most 100 years.
    public func limit(_ count: Int, per duration: Duration) {
        let seconds = Int(min(max(duration.components.seconds, 1), 100 * 365 * 86_400))
        state.withLock { $0.rules.limit = ServerRules.RateLimit(count: max(0, count), seconds: seconds) }
    }

    // MARK: Routes

    /// Replies to requests with a method and path by a closure, before the models' routes and closures added earlier.
    ///
    /// ```swift
    /// try server.on(.post, "/issues/:number/lock") { [weak server] request in
    ///     try server?.update(Issue.self, request.parameters["number"], setting: ["locked": true])
    ///     return .status(204)
    /// }
    /// ```
    ///
    /// Capture the server weakly, to avoid a cycle.
    ///
    /// - Parameters:
    ///   - template: A path below the base URL. Each name stands for one segment.
    ///   - handler: Returns a reply, or nil to pass the request to the next handler or the models. The client gets a
    ///     ``TransportError`` that it throws.
    /// - Throws: ``TestServerError/template(_:_:)``.
    public func on(
        _ method: HTTPRequest.Method, _ template: String,
        handler: @escaping @Sendable (Request) async throws -> Reply?
    ) throws(TestServerError) {
        let pattern = try RoutePattern(below: template)
        handlers.withLock { $0.append(ServerHandler(method: method, pattern: pattern, answer: handler)) }
    }

    /// Passes every request to a closure before it is answered, and before handlers added earlier. It may wait, change
    /// objects, or reply itself.
    ///
    /// - Parameter handler: See ``on(_:_:handler:)``. The request's parameters are empty.
    public func onEach(_ handler: @escaping @Sendable (Request) async throws -> Reply?) {
        handlers.withLock { $0.append(ServerHandler(method: nil, pattern: nil, answer: handler)) }
    }

    // MARK: Faults

    /// Plans a fault for the next matching requests.
    ///
    /// ```swift
    /// try server.fail(.lostReply, .post)                          // the next POST is done, and its reply lost
    /// try server.fail(.status(503), at: "/issues/:number", times: 2)
    /// ```
    ///
    /// - Parameters:
    ///   - method: The method; nil for any.
    ///   - template: The path; nil for any.
    ///   - skip: The matching requests before it.
    ///   - times: The requests with it.
    /// - Throws: ``TestServerError/template(_:_:)``.
    public func fail(
        _ fault: Fault, _ method: HTTPRequest.Method? = nil, at template: String? = nil, after skip: Int = 0,
        times: Int = 1
    ) throws(TestServerError) {
        var pattern: RoutePattern?
        if let template { pattern = try RoutePattern(below: template) }
        plan(fault, after: skip, times: times) { [pattern] request in
            (method == nil || method == request.method) && pattern?.matches(request.path).isEmpty != true
        }
    }

    /// Plans a fault for the next requests that a closure selects.
    ///
    /// ```swift
    /// server.fail(.lostReply) { $0.method != .get }
    /// ```
    ///
    /// - Parameters:
    ///   - skip: The matching requests before it.
    ///   - times: The requests with it.
    ///   - isMeant: Returns whether a request matches. It must not call the server, whose lock is held.
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

    /// Lets one in `interval` requests fail, on average. The same seed and requests give the same faults.
    public func fail(oneOf interval: Int, with faults: [Fault], seed: UInt64) {
        self.faults.withLock {
            $0.chance = ServerFaults.Chance(generator: SplitMix(seed: seed), interval: interval, faults: faults)
        }
    }

    /// Stops the server after a number of further writes, until ``restart()``. The last reply is lost. The objects
    /// stay.
    public func crash(afterWrites count: Int) { faults.withLock { $0.writesUntilCrash = max(1, count) } }

    /// Removes all planned and random faults.
    public func forgetFaults() { faults.withLock { $0 = ServerFaults() } }

    /// The number of planned faults and crashes still to happen. At the end of a test, expect 0.
    public var pendingFaults: Int {
        faults.withLock { faults in
            faults.planned.reduce(faults.writesUntilCrash == nil ? 0 : 1) { sum, planned in
                // A fault for all requests has the largest number.
                let (total, isBeyond) = sum.addingReportingOverflow(planned.times)
                return isBeyond ? .max : total
            }
        }
    }

    /// Whether the server refuses connections.
    public var isDown: Bool {
        get { traffic.withLock(\.isDown) }
        set { traffic.withLock { $0.isDown = newValue } }
    }

    /// Accepts connections again, for example after a crash.
    public func restart() { isDown = false }

    // MARK: Held replies

    /// The number of replies that ``Fault/held`` or ``Fault/overtaken`` hold.
    public var heldReplies: Int { gate.count }

    /// Waits until `count` replies are held, after their execution. Returns early if the task is cancelled.
    public func waitForHeldReplies(_ count: Int) async { await gate.wait(for: count) }

    /// Releases all held replies.
    public func release() { gate.releaseAll() }

    /// Releases one held reply, by its 0-based order of holding.
    public func release(_ index: Int) { gate.release(index) }
}
