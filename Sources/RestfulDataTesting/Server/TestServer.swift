public import RestfulData
import Synchronization

// TestServer               the public API for tests, previews and programs without a network
//  ├─ ServerMap            the declarations: schema, routes, envelopes; immutable
//  ├─ ServerState          the objects as JSON; a value that is replaced when a request succeeds
//  │   ├─ +Answering       executes a matched route
//  │   ├─ +Bodies          converts bodies to objects and back
//  │   ├─ +Writing         writes an object's JSON and assigns its identity
//  │   ├─ +Documents       writes objects as JSON
//  │   └─ ServerRules      rules that a test adds
//  ├─ ServerFaults         planned and random faults
//  └─ ServerHandler        a route that a test adds

/// A server made of your models' declarations: routes, names, envelopes and pages.
///
/// ```swift
/// let server = try TestServer(models: [User.self, Issue.self], conventions: .github) {
///     try $0.seed(User.self, json: #"[{"id": 1, "login": "octocat"}]"#)
/// }
/// let store = try Store(.temporary, models: [User.self, Issue.self], api: API(server))
/// ```
///
/// It runs in your process, without a port. An unmatched request fails with the name of the nearest route. The server
/// shares no code with the library's import.
///
/// | request | effect |
/// |---|---|
/// | GET of a collection or list | a page in the conventions' style; `?state=open` filters by an attribute or link |
/// | the same in JSON:API | `sort` sorts, `include` adds related resources; an unknown path is a 400 |
/// | POST to a collection or list | creates an object: 201 with its `Location` and an identity; or adds members |
/// | GET of an object | returns it with an `ETag`, or 304 if the client has this version |
/// | GET of a deleted object | 404, or 410 if the conventions' tombstones include it |
/// | PATCH, PUT, POST of an object | changes it, in the format of each ``API/SaveMethod``; 412 by `If-Match` |
/// | DELETE | deletes an object, by the delete rules of its relationships; or removes a member from a list |
/// | PUT of a list; DELETE of a list without a body | makes the named objects the list's members; removes all members |
/// | PATCH or PUT, and DELETE of a collection | changes or deletes all of its objects that match the query |
///
/// It accepts relationships as the conventions send them. Replies nest the targets of those that are sent as whole
/// objects or by a key, or that you pass to ``nest(_:_:)``.
public final class TestServer: Transport {
    /// The reply of a handler.
    public typealias Reply = StubTransport.Reply

    /// The base URL of the models' paths.
    public var baseURL: String { map.baseURL }
    /// The conventions of the service.
    public var conventions: APIConventions { map.conventions }
    /// The clock of latency and limits.
    public let clock: TestClock
    /// Whether the test has passed the clock.
    let hasOwnClock: Bool

    let map: ServerMap
    let state: Mutex<ServerState>
    let traffic = Mutex(ServerTraffic())
    let handlers = Mutex<[ServerHandler]>([])
    let faults = Mutex(ServerFaults())
    let gate = ReplyGate()

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - models: The models, including all targets of relationships.
    ///   - baseURL: The base URL. Its host is only a name.
    ///   - clock: The clock of latency and limits, and, unless it is nil, of all times of stores with
    ///     ``API/init(_:policy:limits:middleware:)``.
    /// - Throws: ``TestServerError/models(_:)`` if declarations or conventions contradict each other; any error of
    ///   `setUp`.
    public init(
        models: [any Model.Type], conventions: APIConventions = .default,
        at baseURL: String = "https://api.example.com", clock: TestClock? = nil,
        _ setUp: (TestServer) throws -> Void = { _ in }
    ) throws {
        map = try ServerMap(models, conventions, at: baseURL)
        self.clock = clock ?? TestClock()
        hasOwnClock = clock != nil
        state = Mutex(ServerState(map))
        try setUp(self)
    }

    // MARK: Objects

    /// Adds objects as they would be in a database, or none if one is refused. Missing identities are assigned. An
    /// existing object gets the new values. Targets of relationships can be nested, or added later.
    ///
    /// - Parameter json: An object or an array of objects, without an envelope: `{"id": 1, "author_id": 7}`.
    /// - Throws: ``TestServerError``; ``TestServerError/refused(model:_:)`` for an identity of another object.
    public func seed<M: Model>(_ type: M.Type, json: String) throws(TestServerError) {
        let value = JSONValue(Array(json.utf8))
        let objects = value.map { $0.array ?? [$0] } ?? []
        guard value != nil, objects.allSatisfy({ if case .object = $0 { true } else { false } }) else {
            throw .json(model: "\(type)")
        }
        guard !objects.isEmpty else { return }
        try change(type) { state, model throws(Refusal) in
            for object in objects { _ = try state.seed(model, object.members) }
        }
    }

    /// Adds one object, or changes the object with its identity, as another client would.
    ///
    /// - Parameters:
    ///   - object: The object's JSON, as for ``seed(_:json:)``.
    ///   - index: The 0-based position in the class, the order of lists. Nil appends a new object, and leaves an
    ///     existing one in place.
    /// - Throws: The errors of ``seed(_:json:)``.
    @discardableResult
    public func insert<M: Model>(
        _ type: M.Type, _ object: JSONValue, at index: Int? = nil
    ) throws(TestServerError) -> JSONValue {
        guard case .object(let members) = object else { throw .json(model: "\(type)") }
        return try change(type) { state, model throws(Refusal) in
            let number = try state.seed(model, members)
            if let index { state.move(number, to: index) }
            return state.rows[number].map { state.flat($0) } ?? .null
        }
    }

    /// Changes some values of an object, as another client would.
    ///
    /// - Parameters:
    ///   - key: The identity, or the key in the URL.
    ///   - changes: The values by their JSON names; others stay.
    /// - Throws: ``TestServerError/noObject(model:key:)``, and the errors of ``seed(_:json:)``.
    @discardableResult
    public func update<M: Model>(
        _ type: M.Type, _ key: some RouteValueConvertible, setting changes: JSONValue
    ) throws(TestServerError) -> JSONValue {
        guard case .object(let members) = changes else { throw .json(model: "\(type)") }
        return try change(type) { state, model throws(Refusal) in
            let row = try state.row(key, model)
            try state.write(members, to: row.number, by: .test)
            return state.rows[row.number].map { state.flat($0) } ?? .null
        }
    }

    /// Deletes an object, as another client would, by the delete rules of its relationships.
    ///
    /// - Throws: ``TestServerError`` for an unknown object, or if a relationship denies it.
    public func remove<M: Model>(_ type: M.Type, _ key: some RouteValueConvertible) throws(TestServerError) {
        try change(type) { state, model throws(Refusal) in try state.remove(try state.row(key, model).number) }
    }

    /// Returns all objects of a class in the order of creation, by JSON names, with the identities of targets; empty
    /// for an unknown class.
    public func objects<M: Model>(_ type: M.Type) -> [JSONValue] {
        guard let model = map.schema.model(for: type) else { return [] }
        return state.withLock { state in state.rows(of: model).map { state.flat($0) } }
    }

    /// Returns the object with an identity or key; nil if it is missing.
    public func object<M: Model>(_ type: M.Type, _ key: some RouteValueConvertible) -> JSONValue? {
        guard let model = map.schema.model(for: type) else { return nil }
        return state.withLock { state in (try? state.row(key, model)).map { state.flat($0) } }
    }

    /// Returns the identities of a list's members, in order: `server.members(Author.self, 7, "posts")`.
    ///
    /// - Throws: ``TestServerError`` for an unknown object or property.
    public func members<M: Model>(
        _ type: M.Type, _ key: some RouteValueConvertible, of list: String
    ) throws(TestServerError) -> [JSONValue] {
        let property = try map.property(list, of: try model(type))
        return try change(type) { state, model throws(Refusal) in
            let members = state.members(of: property, try state.row(key, model))
            return members.compactMap { state.rows[$0] }.compactMap { state.identityValue(of: $0) }
        }
    }

    func model<M: Model>(_ type: M.Type) throws(TestServerError) -> ModelSchema {
        guard let model = map.schema.model(for: type) else { throw .unknownModel("\(type)") }
        return model
    }

    /// Changes the objects. If the change fails, they stay as they were.
    private func change<M: Model, Result: Sendable>(
        _ type: M.Type, _ body: (inout ServerState, ModelSchema) throws(Refusal) -> Result
    ) throws(TestServerError) -> Result {
        let model = try model(type)
        do {
            return try state.withLock { (state: inout ServerState) throws(Refusal) -> Result in
                var copy = state
                let result = try body(&copy, model)
                state = copy
                return result
            }
        } catch {
            if error.status == 404 { throw .noObject(model: model.modelName, key: error.message) }
            throw .refused(model: model.modelName, error.text)
        }
    }
}

extension ServerState {
    /// The row of a key.
    ///
    /// - Throws: 404 with the key.
    fileprivate func row(_ key: some RouteValueConvertible, _ model: ModelSchema) throws(Refusal) -> ServerRow {
        let value = key.routeValue(as: map.conventions.values)
        guard let text = value.text, let row = row(keyed: text, of: model) else { throw .notFound(value.text ?? "nil") }
        return row
    }
}
