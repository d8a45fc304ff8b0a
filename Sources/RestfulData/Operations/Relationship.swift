import HTTPTypes
public import ObjectStore
import RESTTransport

/// A relationship of one object, with methods that call its routes: `repository.$issues`.
///
/// `Value` is the property's type: `[Issue]` for a list, `User?` for at most one object.
public struct Relationship<Owner: Model, Value> {
    /// The object that has the relationship.
    public let owner: Owner
    private let token: any PropertyToken

    /// Makes a to-one relationship, for the code that `@Model` writes.
    @_documentation(visibility: internal)
    public init<D: Model>(of owner: Owner, _ token: ToOne<Owner, D>) where Value == D? {
        self.owner = owner
        self.token = token
    }

    /// Makes a relationship to one of several models, for the code that `@Model` writes.
    @_documentation(visibility: internal)
    @_disfavoredOverload
    public init<C: ModelChoice>(of owner: Owner, _ token: ToOneChoice<Owner, C>) where Value == C? {
        self.owner = owner
        self.token = token
    }

    /// Makes a to-many relationship, for the code that `@Model` writes.
    @_documentation(visibility: internal)
    public init<D: Model>(of owner: Owner, _ token: ToMany<Owner, D>) where Value == [D] {
        self.owner = owner
        self.token = token
    }

    /// Makes one for an attribute that looks like a relationship to the macro. It has no routes.
    @_documentation(visibility: internal)
    public init(of owner: Owner, _ token: Attribute<Owner, Value>) where Value: Sendable {
        self.owner = owner
        self.token = token
    }

    /// Makes one for a property whose type the compiler has rejected.
    @_documentation(visibility: internal)
    public init(of owner: Owner, _ token: MisdeclaredAttribute<Owner, Value>) {
        self.owner = owner
        self.token = token
    }

    /// The compiled property; if the row now belongs to a model without it, that model's first property.
    var compiled: Property {
        let model = owner._object.model
        return model[model.index(of: token.description) ?? PropertyIndex(0)]
    }

    func client(in context: ObjectContext) throws(APIError) -> APIClient {
        try context.client(of: context.schema.target(of: compiled) ?? owner._object.model)
    }

    /// - Returns: the URL, and whether the members' own URLs are below it.
    func route(
        _ client: APIClient, to verb: RelationshipVerbs
    ) throws(APIError) -> (url: RequestURL, isDerived: Bool) {
        let model = owner._object.model
        try checkVerb(verb)
        guard let route = client.routes.route(of: compiled, in: model) else {
            let name = compiled.jsonPath.joined(separator: "/")
            throw .route(
                .noRoute(
                    of: "\(model.modelName).\(compiled.name)",
                    needs: "its route, as in @Relationship(\"/\(model.collectionName)/:id/\(name)\")"))
        }
        if let url = try client.linkedURL(route.template, of: owner._object) { return (url, false) }
        do {
            return (try route.template.url(for: owner._object, in: client.schema), route.isDerived)
        } catch {
            throw client.explained(error, by: owner._object)
        }
    }

    func checkVerb(_ verb: RelationshipVerbs) throws(APIError) {
        guard let options = compiled.link?.options ?? compiled.list?.options, !options.verbs.isSuperset(of: verb) else {
            return
        }
        let name = verb == .fetch ? ".fetch" : verb == .add ? ".add" : ".delete"
        throw .route(
            .noRoute(of: "\(owner._object.model.modelName).\(compiled.name)", needs: "\(name) among its `verbs:`"))
    }

    func ownerBatch(in context: ObjectContext) -> [WriteBatch] { owner.isInserted ? [context.batch(of: [owner])] : [] }

    func members<D: Model>() -> [D] where Value == [D] {
        (token as? ToMany<Owner, D>).map { $0.value(in: owner._object) } ?? []
    }

    func setMembers<D: Model>(_ members: [D]) where Value == [D] {
        if let list = token as? ToMany<Owner, D> { owner._object.set(list, to: members) }
    }
}

extension Relationship: CustomDebugStringConvertible, CustomReflectable {
    /// The relationship in one line, from loaded values only: `Repository 7 "Hello" issues: 30 members`.
    public var debugDescription: String { owner._object.relationshipSummary(compiled) }

    /// The owner alone.
    public var customMirror: Mirror { Mirror(self, children: ["owner": owner], displayStyle: .struct) }
}

// MARK: Fetching a list

extension Relationship {
    /// Fetches the list by a `GET` of its route. The reply's objects become its members, in the server's order.
    ///
    /// A whole list unlinks the members that it omits; they stay in the store. A part is only merged in: some of
    /// several pages, a list that a `query` narrows (except by a page's length), or one with an element without
    /// identity. A sign of more members also makes a part, unless declared otherwise (``ListExtent``).
    ///
    /// ```swift
    /// let repositories = try await octocat.$repositories.fetch(pages: .all())
    /// ```
    ///
    /// - Parameters:
    ///   - policy: nil for the policy of the call, model or API.
    ///   - query: parameters that are added to the URL's query.
    ///   - keyPath: the keys of the list in the reply, such as `"data.items"`; by default, the conventions decide.
    ///   - pages: how many pages to fetch.
    ///   - pruning: the effect on members that the whole list omits, once proved gone.
    ///   - settings: changes the call's ``Call``.
    /// - Returns: the objects in the server's order; for a page with a 304, the stored ones.
    /// - Throws: ``APIError``; the list is unchanged, or has the earlier pages. ``StoreError/deletedObject(model:)`` if
    ///   the owner was deleted meanwhile, ``APIError/noObject(model:_:_:)`` if no element could be read.
    @discardableResult
    public nonisolated(nonsending) func fetch<D: Model>(
        _ policy: FetchPolicy? = nil, query: RouteQuery = [:], at keyPath: JSONKeyPath? = nil, pages: Pages = .first,
        prune pruning: Pruning = .unlink, with settings: Call.Settings? = nil
    ) async throws(APIError) -> [D] where Value == [D] {
        let question = ListQuestion(query: query, keyPath: keyPath, policy: policy, pruning: pruning)
        return try await Call.with(settings) { () async throws(APIError) in
            try await imported(question, pages).objects
        }
    }

    /// Fetches the list from another URL than its route.
    ///
    /// ```swift
    /// let starred = try await user.$repositories.fetch(from: "/users/:login/starred", pages: .all())
    /// ```
    ///
    /// - Parameters:
    ///   - template: a path below the base URL, or an absolute URL. Its names take their values from the owner.
    ///   - query: parameters that are added to the URL's query.
    ///   - keyPath: the keys of the list in the reply; by default, the conventions decide.
    ///   - pages: how many pages to fetch.
    ///   - pruning: the effect on members that the whole list omits, once it is proved that they are gone.
    ///   - settings: changes the call's ``Call``.
    /// - Throws: ``APIError``, as ``fetch(_:query:at:pages:prune:with:)``.
    @discardableResult
    public nonisolated(nonsending) func fetch<D: Model>(
        from template: URLTemplate, query: RouteQuery = [:], at keyPath: JSONKeyPath? = nil, pages: Pages = .first,
        prune pruning: Pruning = .unlink, with settings: Call.Settings? = nil
    ) async throws(APIError) -> [D] where Value == [D] {
        try await fetch(query: query, at: keyPath, pages: pages, prune: pruning) { call in
            try settings?(&call)
            call.path = template
        }
    }

    /// Fetches the list as ``fetch(_:query:at:pages:prune:with:)`` does, and reports how the store changed, summed over
    /// the pages.
    ///
    /// - Throws: ``APIError``, as `fetch`. Omissions of earlier pages then go to the API's listeners
    ///   (``ReplyReports``).
    public nonisolated(nonsending) func fetchReporting<D: Model>(
        _ policy: FetchPolicy? = nil, query: RouteQuery = [:], at keyPath: JSONKeyPath? = nil, pages: Pages = .first,
        prune pruning: Pruning = .unlink, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Imported<D> where Value == [D] {
        let question = ListQuestion(query: query, keyPath: keyPath, policy: policy, pruning: pruning)
        return try await Call.with(settings) { () async throws(APIError) in
            try await API.reporting { () async throws(APIError) in try await imported(question, pages) }.value
        }
    }

    private nonisolated(nonsending) func imported<D: Model>(
        _ question: ListQuestion, _ pages: Pages
    ) async throws(APIError) -> Imported<D> where Value == [D] {
        let context = try owner.liveContext()
        let walk = try walk(question, in: context)
        let course = try await walk.fetch(pages)
        if course.isUnmodified { return Imported(objects: members(), report: course.report) }
        return try Imported(course, in: context)
    }

    func walk(_ question: ListQuestion, in context: ObjectContext) throws(APIError) -> PageWalk {
        let query = question.query
        let client = try client(in: context)
        let property = compiled
        let url = try client.callURL(
            try route(client, to: .fetch).url, query: query, for: owner._object)
        guard let list = property.list, let target = client.schema.target(of: property) else {
            throw .route(.noRoute(of: "\(owner._object.model.modelName).\(property.name)", needs: "to be a list"))
        }
        let first = client.roundTrip(.get, url, about: target, asking: .list, at: question.keyPath, in: context)
            .keeping(owner._object.purpose(of: property), by: question.policy)
        let call = first.call
        let mayBeWhole = !query.narrowsLists && !call.query.narrowsLists && list.options.merges != true
        var walk = PageWalk(first: first)
        walk.membership = PageWalk.Membership(owner: owner._object, list: property, mayBeWhole: mayBeWhole)
        walk.batches = ownerBatch(in: context)
        walk.pruning = question.pruning
        if !owner.isInserted {
            walk.listing = Listing.Key(
                property, of: owner._object.record, in: owner._object.model,
                scope: call.path == nil ? url.scope : url.scopeWithPath)
        }
        return walk
    }

    /// Fetches one member by its key, and links it to the owner: a `GET` of the list's route, `/` and the key.
    ///
    /// ```swift
    /// let issue = try await repository.$issues.fetch(1347)             // GET /repos/octocat/Hello-World/issues/1347
    /// issue.repository === repository                                   // true
    /// ```
    ///
    /// A missing part of the member's identity is taken from the owner.
    ///
    /// - Parameters:
    ///   - key: the member's key, as one segment of the URL's path, so a slash is escaped.
    ///   - keyPath: the keys of the object in the reply; by default, the conventions decide.
    ///   - policy: nil for the policy of the call, model or API.
    ///   - settings: changes the call's ``Call``.
    /// - Returns: the member.
    /// - Throws: ``APIError``; nothing was stored. ``RouteProblem/keyExpected(of:call:model:found:)`` for a path or
    ///   URL; pass these to ``Model/fetch(_:_:query:at:policy:in:with:)``.
    @discardableResult
    public nonisolated(nonsending) func fetch<D: Model>(
        _ key: some AttributeValue, at keyPath: JSONKeyPath? = nil, policy: FetchPolicy? = nil,
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> D where Value == [D] {
        try await Call.with(settings) { () async throws(APIError) in
            try await member(key, at: keyPath, policy: policy)
        }
    }

    private nonisolated(nonsending) func member<D: Model>(
        _ key: some AttributeValue, at keyPath: JSONKeyPath?, policy: FetchPolicy?
    ) async throws(APIError) -> D where Value == [D] {
        let context = try owner.liveContext()
        let client = try client(in: context)
        let list = try route(client, to: .fetch).url
        let property = compiled
        let target = client.schema.target(of: property)
        let value = RouteValue(key: key, of: target ?? owner._object.model, in: context)
        let name = "\(owner._object.model.modelName).\(property.name)"
        try target?.checkKey(value, of: name, as: "$\(property.name).fetch(…)")
        let own = if let target { try client.absoluteURL(key.stored, of: target) } else { nil as RequestURL? }
        let memberURL =
            if let own { own } else { try list.member(value, isPath: target.map(client.keyIsPath) ?? false) }
        let url = try client.callURL(memberURL, for: owner._object)
        guard let target, property.list != nil else {
            throw .noObject(model: "", ImportReport(), RequestSummary(method: "GET", url: url.text))
        }
        return try await client.roundTrip(.get, url, about: target, asking: .object, at: keyPath, in: context)
            .keeping(property.list?.isOfLinks == true ? owner._object.purpose(of: property) : nil, by: policy)
            .fetchObject(
                D.self, joining: owner._object.importMembership(of: property, isWhole: false),
                after: ownerBatch(in: context)
            ) { () throws(APIError) in
                let list: [D] = members()
                guard let index = target.key, case let property = target[index] else { return nil }
                return list.first { KeyPathResolver.value(of: property, in: $0._object).text == value.text }
            }
    }
}

// MARK: Fetching one object

extension Relationship {
    /// Fetches the related object, from the relationship's route, or else from the object's own URL, even if only its
    /// identity is known.
    ///
    /// The route's object becomes the link's target, unless the link has a pending edit. A 204, or a body of `null`,
    /// means none.
    ///
    /// - Parameters:
    ///   - policy: nil for the policy of the call, model or API.
    ///   - settings: changes the call's ``Call``.
    /// - Returns: nil if there is none.
    /// - Throws: ``APIError``; the link is unchanged.
    @discardableResult
    public nonisolated(nonsending) func fetch<D: Model>(
        _ policy: FetchPolicy? = nil, with settings: Call.Settings? = nil
    ) async throws(APIError) -> D? where Value == D? {
        try await Call.with(settings) { () async throws(APIError) in try await target(by: policy) }
    }

    private nonisolated(nonsending) func target<D: Model>(
        by policy: FetchPolicy?
    ) async throws(APIError) -> D? where Value == D? {
        let context = try owner.liveContext()
        let client = try client(in: context)
        let property = compiled
        guard property.link != nil, let target = client.schema.target(of: property) else { return nil }
        guard client.routes.route(of: property, in: owner._object.model) != nil else {
            return try await fetchTarget(of: property, at: client, by: policy, in: context)
        }
        let trip = client.roundTrip(
            .get, try client.callURL(try route(client, to: .fetch).url, for: owner._object), about: target,
            asking: .object, in: context
        ).keeping(owner._object.purpose(of: property), by: policy)
        var reply = try await trip.send()
        if let row = reply.kept?.rows.roots.first {
            let linked = owner._object.linkedObject(property)
            // A stored reply changes the link only if the server has just validated it.
            let isLed = linked?._object.localID == row
            guard isLed || reply.source == .validated || trip.policy.needsIntact else { return linked as? D }
            if isLed || reply.source == .validated {
                trip.reportKept(reply)
                if !isLed { try await lead(property, to: row, answering: reply.requestStart, in: context) }
                return context.objects(D.self, of: [row]).first
            }
            reply = try await trip.reloading.send()
        }
        if reply.isUnmodified { return owner._object.linkedObject(property) as? D }
        var id: RowID?
        if !reply.isNothing, !reply.isNull {
            var request = ImportRequest(target)
            if target.options.singular { request.container = owner._object.record }
            let outcome = try await trip.import(reply, as: request, after: ownerBatch(in: context))
            guard let root = outcome.roots.first else { throw reply.noObject(outcome.report) }
            id = root
        }
        _ = try owner.liveContext()
        try await lead(property, to: id, answering: reply.requestStart, in: context)
        let object = id.flatMap { context.objects(D.self, of: [$0]).first }
        try context.checkNotErased()
        return object
    }

    private nonisolated(nonsending) func fetchTarget<D: Model>(
        of link: Property, at client: APIClient, by policy: FetchPolicy?, in context: ObjectContext
    ) async throws(APIError) -> D? {
        switch owner._object.target(of: link) {
        case .object(let object):
            guard let object = object as? D else { return nil }
            try await object.fetch(policy)
            return object
        case .pending(let target):
            let url = try client.callURL(try client.url(of: target), for: target)
            let object = try await client.roundTrip(.get, url, about: target.model, asking: .object, in: context)
                .keeping(target.model.purpose(.object), by: policy).fetchObject(D.self)
            // The import sets the link, unless the reply is about another object.
            guard case .pending = owner._object.target(of: link) else { return object }
            let request = RequestSummary(method: "GET", url: client.api.url(url))
            throw .noObject(model: target.model.modelName, ImportReport(), request)
        case nil: return nil
        }
    }

    /// Sets the link. A pending edit stays, and so does an edit acknowledged since the request.
    private nonisolated(nonsending) func lead(
        _ property: Property, to id: RowID?, answering requestStart: RequestStart?, in context: ObjectContext
    ) async throws(APIError) {
        let object = owner._object
        guard !object.unsentProperties.contains(where: { $0.index == property.index }) else { return }
        let batch = WriteBatch.confirmed(rows: [object.row([property.index: StoredValue(id)])])
        do { try await context.writeAnswer(batch, to: requestStart?.stamp) } catch { throw .store(error) }
    }
}
