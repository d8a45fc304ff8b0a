import RestfulData

/// A request that the declared models answer: a method, a pattern, and what is done.
struct ServerRoute: Sendable {
    enum Action: Sendable {
        case index, create, deleteAll
        case fetch, update, delete
        /// PUT of an object's own URL, which makes the object where there is none.
        case put
        /// The members of a list at its own URL.
        case list(Property)
        /// What makes objects members, or makes new ones, and what takes members out.
        case add(Property)
        case remove(Property)
        /// One member below a list's URL.
        case member(Property)
        case addMember(Property)
        case removeMember(Property)
        /// What a to-one relationship leads to.
        case target(Property)
        /// JSON:API's linkage of a relationship.
        case linkage(Property)
        case replaceLinkage(Property)
    }

    let method: HTTPRequest.Method
    let pattern: RoutePattern
    /// The model whose objects the URL names; of a relationship, its owner.
    let model: ModelSchema
    let action: Action

    /// `PATCH /issues/:number`
    var line: String { "\(method.rawValue) \(pattern.text)" }

    /// Of routes that match alike, that of an object's own URL comes before that of a list's member.
    var rank: Int {
        switch action {
        case .index, .create, .deleteAll, .fetch, .update, .delete, .put: 0
        case .list, .add, .remove, .target, .linkage, .replaceLinkage: 1
        case .member, .addMember, .removeMember: 2
        }
    }
}

/// Makes the routes of all models.
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
        // A submodel without a URL of its own has its parent's.
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
        if !model.options.singular {
            add(.get, pattern(.index, base), of: model, to: .index)
            add(.delete, base, of: model, to: .deleteAll)
        }
        add(.post, pattern(.create, base), of: model, to: .create)
        guard let object = routes.object.map({ RoutePattern($0) }) else { return }
        add(.get, object, of: model, to: .fetch)
        let update = pattern(.update, object)
        add(.patch, update, of: model, to: .update)
        let creates = model.options.creates ?? conventions.creates
        add(.put, creates == .put ? object : update, of: model, to: creates == .put ? .put : .update)
        if creates == .put { add(.put, update, of: model, to: .update) }
        if (model.options.saveMethod ?? conventions.saveMethod) == .post { add(.post, update, of: model, to: .update) }
        add(.delete, pattern(.delete, object), of: model, to: .delete)
    }

    // MARK: Relationships

    private mutating func addRelationship(_ property: Property, of model: ModelSchema) {
        let route = table.route(of: property, in: model)
        if conventions.document == .jsonAPI { addLinkage(property, of: model, at: route?.template) }
        // The URL of a derived route is that of the members' own collection.
        guard let route, !route.isDerived else { return }
        let pattern = RoutePattern(route.template)
        guard property.list != nil else { return add(.get, pattern, of: model, to: .target(property)) }
        add(.get, pattern, of: model, to: .list(property))
        add(.post, pattern, of: model, to: .add(property))
        add(.delete, pattern, of: model, to: .remove(property))
        guard let target = schema.target(of: property), let key = target.key.map({ target[$0] }) else { return }
        let member = pattern.appending(
            key: [RoutePattern.member, key.jsonPath.joined(separator: ".")], isSegment: false)
        add(.get, member, of: model, to: .member(property))
        add(.post, member, of: model, to: .addMember(property))
        add(.put, member, of: model, to: .addMember(property))
        add(.delete, member, of: model, to: .removeMember(property))
    }

    /// <https://jsonapi.org/format/1.1/#fetching-relationships>
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
