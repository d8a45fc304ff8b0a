import ObjectStore
import RestfulData

/// A model of the simulated world, by the random program's use of it.
@MainActor
struct Kind {
    let name: String
    let fetch: (ObjectContext) throws -> [any Model]
    /// How many a query counts and finds.
    let count: (ObjectContext) throws -> (Int, Int)
    let make: (ObjectContext) -> any Model
    let take: (ObjectContext, String) async throws -> Void
    /// The identity's key in JSON, and the identity as JSON.
    let key: String
    let identity: (Int) -> String
    let has: (any Model) -> Bool
    let setIdentity: (any Model, Int) -> Void
    /// Names a new object by its values; `nil` if all have an identity.
    let setTag: ((any Model, String) -> Void)?
    /// Which object it is, the same in all contexts.
    let label: (any Model) -> String
    var attributes: [Attribute] = []
    var relations: [Relation] = []

    init<M: Model>(
        _ type: M.Type, _ identity: ReferenceWritableKeyPath<M, Int?>, tag: ReferenceWritableKeyPath<M, String>? = nil,
        _ make: @escaping (ObjectContext) -> M
    ) {
        self.init(
            type, key: "id", json: { "\($0)" }, set: { $0[keyPath: identity] = $1 }, tag: tag,
            label: { object in
                object[keyPath: identity].map { "\($0)" } ?? tag.map { object[keyPath: $0] } ?? ""
            }, make)
    }

    /// A model with a text as its identity.
    init<M: Model>(
        _ type: M.Type, named key: String, _ identity: ReferenceWritableKeyPath<M, String?>,
        _ make: @escaping (ObjectContext) -> M
    ) {
        self.init(
            type, key: key, json: { "\"t\($0)\"" }, set: { $0[keyPath: identity] = "t\($1)" }, tag: nil,
            label: { $0[keyPath: identity] ?? "new" }, make)
    }

    private init<M: Model>(
        _ type: M.Type, key: String, json: @escaping (Int) -> String, set: @escaping (M, Int) -> Void,
        tag: ReferenceWritableKeyPath<M, String>?, label: @escaping (M) -> String,
        _ make: @escaping (ObjectContext) -> M
    ) {
        let name = "\(type)"
        (self.name, self.key, self.make) = (name, key, make)
        fetch = { try $0.query(M.self).fetch().filter { Swift.type(of: $0) == M.self } }
        count = { try ($0.query(M.self).count(), $0.query(M.self).fetch().count) }
        take = { try await $0.take(M.self, $1) }
        identity = json
        has = { $0 is M }
        setIdentity = { object, number in (object as? M).map { set($0, number) } }
        setTag = tag.map { tag in { ($0 as? M)?[keyPath: tag] = $1 } }
        self.label = { ($0 as? M).map { "\(name) \(label($0))" } ?? "?" }
    }

    /// The name of an object with this identity.
    func labels(_ number: Int) -> [String] { ["\(name) \(number)", "\(name) t\(number)"] }

    func with(_ attributes: Attribute..., relations: [Relation] = []) -> Kind {
        var kind = self
        kind.attributes += attributes
        kind.relations += relations
        return kind
    }
}

/// A value of a model, as text.
@MainActor
struct Attribute {
    let name: String
    let read: (any Model) -> String?
    let write: (any Model, Int) -> Void
    let json: (Int) -> String
    /// Whether an edit is the whole value, and so independent of others' changes.
    var isWhole = true

    init<M: Model, Value>(
        _ name: String, _ path: ReferenceWritableKeyPath<M, Value>, _ value: @escaping (Int) -> Value,
        json: @escaping (Int) -> String = { "\($0)" }
    ) {
        self.name = name
        read = { object in (object as? M).map { "\($0[keyPath: path])" } }
        write = { ($0 as? M)?[keyPath: path] = value($1) }
        self.json = json
    }

    init<M: Model>(
        _ name: String, of type: M.Type, read: @escaping (M) -> String, write: @escaping (M, Int) -> Void,
        json: @escaping (Int) -> String
    ) {
        self.name = name
        self.read = { ($0 as? M).map(read) }
        self.write = { object, number in (object as? M).map { write($0, number) } }
        self.json = json
        isWhole = false
    }
}

enum ListChange {
    case set([any Model])
    case insert(any Model, at: Int)
    case remove(at: Int)
    case move(Int, to: Int)
}

/// A link or a list, as the objects that it leads to.
@MainActor
struct Relation {
    let name: String
    let target: String
    let isList: Bool
    /// Whether it is the other direction of a relationship of this name.
    let inverse: String?
    let has: (any Model) -> Bool
    let read: (any Model) -> [any Model]
    let change: (any Model, ListChange) -> Void
    /// The objects of the model that lead to the one given, as a query finds them.
    let ask: ((ObjectContext, any Model) throws -> [any Model])?

    static func link<M: Model, T: Model>(
        _ name: String, _ path: ReferenceWritableKeyPath<M, T?>, to target: String = "\(T.self)",
        inverse: String? = nil, ask: ((M.Properties, T) -> QueryPredicate<M>)? = nil
    ) -> Relation {
        Relation(
            name: name, target: target, isList: false, inverse: inverse, has: { $0 is M },
            read: { ($0 as? M)?[keyPath: path].map { [$0] } ?? [] },
            change: { object, change in
                guard let object = object as? M else { return }
                switch change {
                case .set(let targets): object[keyPath: path] = targets.first as? T
                case .insert(let target, _): object[keyPath: path] = target as? T
                case .remove, .move: object[keyPath: path] = nil
                }
            }, ask: asking(ask))
    }

    static func list<M: Model, T: Model>(
        _ name: String, _ path: ReferenceWritableKeyPath<M, [T]>, to target: String = "\(T.self)",
        inverse: String? = nil, ask: ((M.Properties, T) -> QueryPredicate<M>)? = nil
    ) -> Relation {
        Relation(
            name: name, target: target, isList: true, inverse: inverse, has: { $0 is M },
            read: { ($0 as? M)?[keyPath: path] ?? [] },
            change: { object, change in
                guard let object = object as? M else { return }
                let count = object[keyPath: path].count
                switch change {
                case .set(let targets): object[keyPath: path] = targets.compactMap { $0 as? T }
                case .insert(let target, let place):
                    guard let target = target as? T else { return }
                    // A list has each member once: one that is there already moves.
                    var members = object[keyPath: path]
                    members.removeAll { $0 === target }
                    members.insert(target, at: place % (members.count + 1))
                    object[keyPath: path] = members
                case .remove(let place) where count > 0: object[keyPath: path].remove(at: place % count)
                case .move(let place, let next) where count > 0:
                    let moved = object[keyPath: path].remove(at: place % count)
                    object[keyPath: path].insert(moved, at: next % count)
                case .remove, .move: break
                }
            }, ask: asking(ask))
    }

    private static func asking<M: Model, T: Model>(
        _ ask: ((M.Properties, T) -> QueryPredicate<M>)?
    ) -> ((ObjectContext, any Model) throws -> [any Model])? {
        guard let ask else { return nil }
        return { context, object in
            guard let object = object as? T else { return [] }
            return try context.query(M.self).where { ask($0, object) }.fetch()
        }
    }
}
