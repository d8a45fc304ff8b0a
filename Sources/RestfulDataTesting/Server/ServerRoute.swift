import RestfulData

/// A route of the declared models: a method, a pattern and an action.
struct ServerRoute: Sendable {
    enum Action: Sendable {
        case index, create, deleteAll, updateAll
        case fetch, update, delete
        /// PUT to an object's own URL, which creates the object if it is missing.
        case put
        /// Returns the members of a list.
        case list(Property)
        /// Adds members, or creates new ones; and removes members.
        case add(Property)
        case remove(Property)
        /// Makes the members that the body names the list's members.
        case replace(Property)
        /// Returns one member below a list's URL.
        case member(Property)
        case addMember(Property)
        case removeMember(Property)
        /// Returns the target of a to-one relationship.
        case target(Property)
        /// Returns the linkage of a relationship in JSON:API.
        case linkage(Property)
        case replaceLinkage(Property)
    }

    let method: HTTPRequest.Method
    let pattern: RoutePattern
    /// The model of the object in the URL; for a relationship, its owner.
    let model: ModelSchema
    let action: Action

    /// `PATCH /issues/:number`
    var line: String { "\(method.rawValue) \(pattern.text)" }

    /// The priority of routes that match equally: an object's own URL comes before a list's member.
    var rank: Int {
        switch action {
        case .index, .create, .deleteAll, .updateAll, .fetch, .update, .delete, .put: 0
        case .list, .add, .remove, .replace, .target, .linkage, .replaceLinkage: 1
        case .member, .addMember, .removeMember: 2
        }
    }
}

struct ServerRoutes {
    private let schema: Schema
    private let table: RouteTable
    private let conventions: APIConventions
    private(set) var all: [ServerRoute] = []
    private var known: Set<String> = []

    init(_ schema: Schema, _ table: RouteTable, by conventions: APIConventions) {
        (self.schema, self.table, self.conventions) = (schema, table, conventions)
        for model in schema.models { addObjects(of: model) }
        for model in schema.models { for property in model.declared { addRelationship(property, of: model) } }
    }

    private mutating func add(
        _ method: HTTPRequest.Method, _ pattern: RoutePattern, of model: ModelSchema, to action: ServerRoute.Action
    ) {
        let route = ServerRoute(method: method, pattern: pattern, model: model, action: action)
        // A submodel may share its parent's URL.
        guard known.insert(route.line).inserted else { return }
        all.append(route)
    }

    // MARK: Objects

    private mutating func addObjects(of model: ModelSchema) {
        guard let routes = table.routes(of: model) else { return }
        let base = RoutePattern(routes.base)
        func pattern(_ verb: RouteTable.Verb, _ other: RoutePattern) -> RoutePattern {
            routes.declared[verb].map { RoutePattern($0) } ?? other
        }
        let (own, root) = (model.options, schema[model.table].options)
        let save = own.saveMethod ?? root.saveMethod ?? conventions.saveMethod
        if !model.options.singular {
            add(.get, pattern(.index, base), of: model, to: .index)
            add(.delete, base, of: model, to: .deleteAll)
            // A POST creates an object.
            if save != .post, routes.object.map({ RoutePattern($0).text }) != base.text {
                add([.put, .putChanges].contains(save) ? .put : .patch, base, of: model, to: .updateAll)
            }
        }
        add(.post, pattern(.create, base), of: model, to: .create)
        guard let object = routes.object.map({ RoutePattern($0) }) else { return }
        add(.get, object, of: model, to: .fetch)
        let update = pattern(.update, object)
        add(.patch, update, of: model, to: .update)
        let creates = own.creates ?? root.creates ?? conventions.creates
        add(.put, creates == .put ? object : update, of: model, to: creates == .put ? .put : .update)
        if creates == .put { add(.put, update, of: model, to: .update) }
        if save == .post { add(.post, update, of: model, to: .update) }
        add(.delete, pattern(.delete, object), of: model, to: .delete)
    }

    // MARK: Relationships

    private mutating func addRelationship(_ property: Property, of model: ModelSchema) {
        let route = table.route(of: property, in: model)
        if conventions.document == .jsonAPI { addLinkage(property, of: model, at: route?.template) }
        // A derived route is the URL of the members' own collection.
        guard let route, !route.isDerived else { return }
        let pattern = RoutePattern(route.template)
        guard property.list != nil else { return add(.get, pattern, of: model, to: .target(property)) }
        add(.get, pattern, of: model, to: .list(property))
        add(.post, pattern, of: model, to: .add(property))
        add(.delete, pattern, of: model, to: .remove(property))
        add(.put, pattern, of: model, to: .replace(property))
        guard let target = schema.target(of: property), let key = target.key.map({ target[$0] }) else { return }
        let member = pattern.appending(
            key: [RoutePattern.member, key.jsonPath.joined(separator: ".")], isSegment: false)
        add(.get, member, of: model, to: .member(property))
        add(.post, member, of: model, to: .addMember(property))
        add(.put, member, of: model, to: .addMember(property))
        add(.delete, member, of: model, to: .removeMember(property))
    }

    /// See <https://jsonapi.org/format/1.1/#fetching-relationships>.
    private mutating func addLinkage(_ property: Property, of model: ModelSchema, at template: RouteTemplate?) {
        guard let target = schema.target(of: property), !target.isEmbedded else { return }
        let declared = template.flatMap { RoutePattern($0).asLinkage }
        let object = table.routes(of: model)?.object.map { RoutePattern($0) }
        let name = property.jsonPath.joined(separator: ".")
        let end = "/relationships/\(name)"
        let own = object.map { RoutePattern($0.pieces + [.text(end)], text: $0.text + end) }
        guard let pattern = declared ?? own else { return }
        add(.get, pattern, of: model, to: .linkage(property))
        add(.patch, pattern, of: model, to: .replaceLinkage(property))
        guard property.list != nil else { return }
        add(.post, pattern, of: model, to: .add(property))
        add(.delete, pattern, of: model, to: .remove(property))
    }
}
