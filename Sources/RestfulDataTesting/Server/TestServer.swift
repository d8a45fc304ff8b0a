public import RestfulData
import Synchronization

// TestServer               what tests, previews and programs without a network talk to
//  ├─ ServerMap            the declarations: schema, routes, envelopes; frozen
//  ├─ ServerState          the objects, as JSON; a value that is replaced when a request succeeds
//  │   ├─ +Answering       a matched route does something
//  │   ├─ +Bodies          from a body to an object and back
//  │   ├─ +Writing         an object's JSON is written, and its identity given
//  │   ├─ +Documents       an object's JSON is shown
//  │   └─ ServerRules      what a test declares beside the models
//  ├─ ServerFaults         what goes wrong
//  └─ ServerHandlers       routes of the test's own

/// A server made of the models that a program declares: its routes, names, envelopes and pages are theirs, run
/// backwards.
///
/// ```swift
/// let server = try TestServer(models: [User.self, Issue.self], conventions: .github) {
///     try $0.seed(User.self, json: #"[{"id": 1, "login": "octocat"}]"#)
/// }
/// let store = try Store(.temporary, models: [User.self, Issue.self], api: API(server))
/// ```
///
/// It answers in the process, without a port. A request that no route matches fails with the nearest one, so a mistyped
/// path is found at once. Its objects are JSON of its own, not a store's, and no code of the library's import reads or
/// writes them.
///
/// | request | does |
/// |---|---|
/// | GET of a collection or list | a page in the conventions' style; `?state=open` filters by an attribute or link |
/// | POST of a collection or list | makes an object: 201 with its `Location` and an identity, or adds members |
/// | GET of an object | it, with an `ETag`; 304 where it is known |
/// | PATCH, PUT, POST of an object | changes it, in the format of each ``API/SaveMethod``; 412 by `If-Match` |
/// | DELETE | deletes it, with what its relationships delete; takes a member out of a list |
///
/// A relationship is written as its conventions send it; of one that is sent as whole objects or by a key, the objects
/// stand whole in replies, and so they do of those that ``nest(_:_:)`` names.
public final class TestServer: Transport {
    /// What a handler answers.
    public typealias Reply = StubTransport.Reply

    /// The base URL that the models' paths are below.
    public var baseURL: String { map.baseURL }
    /// What the service does its own way.
    public var conventions: APIConventions { map.conventions }
    /// The clock of latency and of limits.
    public let clock: TestClock
    /// Whether a test has given the clock.
    let hasOwnClock: Bool

    let map: ServerMap
    let state: Mutex<ServerState>
    let traffic = Mutex(ServerTraffic())
    let handlers = Mutex<[ServerHandler]>([])
    let faults = Mutex(ServerFaults())
    let gate = ReplyGate()

    /// - Parameters:
    ///   - models: the model classes, with those that relationships lead to, as for a store.
    ///   - conventions: what the service does its own way, as for an ``API``.
    ///   - baseURL: the base URL, whose host is never asked.
    ///   - clock: the clock of latency and limits, and of the freshness of stores by ``API/init(_:policy:middleware:)``.
    ///     Nil for one of its own.
    ///   - setUp: seeds objects and declares rules.
    /// - Throws: ``TestServerError/models(_:)`` for declarations or conventions that contradict each other; what
    ///   `setUp` throws.
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

    /// Adds objects, as they would stand in a database: an identity that is given is kept, one that isn't is made up.
    /// Objects that are there already get the new values. What they lead to may come later, or stand whole in them.
    ///
    /// - Parameters:
    ///   - type: their class.
    ///   - json: an object or an array of objects by their JSON names, without an envelope: `{"id": 1, "author_id": 7}`.
    /// - Throws: ``TestServerError/json(model:)``, ``TestServerError/unknownModel(_:)``,
    ///   ``TestServerError/refused(model:_:)`` for an identity that is another object's.
    public func seed<M: Model>(_ type: M.Type, json: String) throws(TestServerError) {
        let value = JSONValue(Array(json.utf8))
        let objects = value.map { $0.array ?? [$0] } ?? []
        guard value != nil, objects.allSatisfy({ if case .object = $0 { true } else { false } }) else {
            throw .json(model: "\(type)")
        }
        for object in objects { try insert(type, object) }
    }

    /// Adds one object, or changes the one that has its identity: another client's work, of which a store hears when it
    /// asks.
    ///
    /// - Parameters:
    ///   - type: its class.
    ///   - object: its JSON, as for ``seed(_:json:)``.
    ///   - index: its place among the objects of its class, from 0, by which lists are ordered; nil for the last one,
    ///     or the one that it has.
    /// - Returns: the object as the server has it.
    /// - Throws: as ``seed(_:json:)``.
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
    ///   - type: its class.
    ///   - key: its identity, or the key of its URL.
    ///   - changes: the values by their JSON names; all others stay.
    /// - Returns: the object as the server has it then.
    /// - Throws: ``TestServerError/noObject(model:key:)``, and as ``seed(_:json:)``.
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

    /// Deletes an object, as another client would, with what its relationships delete.
    ///
    /// - Throws: ``TestServerError/noObject(model:key:)``; ``TestServerError/refused(model:_:)`` where a relationship
    ///   denies it.
    public func remove<M: Model>(_ type: M.Type, _ key: some RouteValueConvertible) throws(TestServerError) {
        try change(type) { state, model throws(Refusal) in try state.remove(try state.row(key, model).number) }
    }

    /// All objects of a class in the order in which they came, by their JSON names, with what they lead to as
    /// identities. Empty for a class that isn't one of the server's.
    public func objects<M: Model>(_ type: M.Type) -> [JSONValue] {
        guard let model = map.schema.model(for: type) else { return [] }
        return state.withLock { state in state.rows(of: model).map { state.flat($0) } }
    }

    /// One object by its identity, or by the key of its URL; nil where there is none.
    public func object<M: Model>(_ type: M.Type, _ key: some RouteValueConvertible) -> JSONValue? {
        guard let model = map.schema.model(for: type) else { return nil }
        return state.withLock { state in (try? state.row(key, model)).map { state.flat($0) } }
    }

    /// The identities of a list's members, in their order: `server.members(Author.self, 7, "posts")`.
    ///
    /// - Throws: ``TestServerError/noObject(model:key:)``, ``TestServerError/unknownProperty(model:name:suggestion:)``.
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

    /// Does something with the objects, all of it or nothing.
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
