import HTTPTypes
public import ObjectStore
import RESTTransport

/// A relationship of one object, through which its routes are called: `repository.$issues`.
///
/// `Value` is the property's type: `[Issue]` for a list, `User?` for at most one object.
public struct Relationship<Owner: Model, Value> {
    /// The object that has the relationship.
    public let owner: Owner
    private let token: any PropertyToken

    /// The to-one relationship of a token; for the code that `@Model` writes.
    @_documentation(visibility: internal)
    public init<D: Model>(of owner: Owner, _ token: ToOne<Owner, D>) where Value == D? {
        self.owner = owner
        self.token = token
    }

    /// The to-many relationship of a token; for the code that `@Model` writes.
    @_documentation(visibility: internal)
    public init<D: Model>(of owner: Owner, _ token: ToMany<Owner, D>) where Value == [D] {
        self.owner = owner
        self.token = token
    }

    /// For an attribute whose type could have been a model's, as far as a macro can tell: it has no routes.
    @_documentation(visibility: internal)
    public init(of owner: Owner, _ token: Attribute<Owner, Value>) where Value: Sendable {
        self.owner = owner
        self.token = token
    }

    /// For a property whose type can be no attribute's, which the compiler has said.
    @_documentation(visibility: internal)
    public init(of owner: Owner, _ token: MisdeclaredAttribute<Owner, Value>) {
        self.owner = owner
        self.token = token
    }

    /// The property. For an object whose row is another model's by now, which doesn't have it, the first one.
    var compiled: Property {
        let model = owner._object.model
        return model[model.index(of: token.description) ?? PropertyIndex(0)]
    }

    /// The way to the API of the objects that the relationship leads to.
    func client(in context: ObjectContext) throws(APIError) -> APIClient {
        try context.client(of: context.schema.target(of: compiled) ?? owner._object.model)
    }

    /// The relationship's own URL, and whether its members' URLs are their own.
    ///
    /// - Throws: ``RouteProblem/noRoute(of:needs:)`` for one that is not there, or can't do that;
    ///   ``APIError/notYetCreated(model:)`` where the owner isn't at the server.
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

    /// - Throws: ``RouteProblem/noRoute(of:needs:)`` for what the declaration leaves out.
    func checkVerb(_ verb: RelationshipVerbs) throws(APIError) {
        guard let options = compiled.link?.options ?? compiled.list?.options, !options.verbs.isSuperset(of: verb) else {
            return
        }
        let name = verb == .fetch ? ".fetch" : verb == .add ? ".add" : ".delete"
        throw .route(
            .noRoute(of: "\(owner._object.model.modelName).\(compiled.name)", needs: "\(name) among its `verbs:`"))
    }

    /// An owner that is in no file yet has no row that members could lead to.
    func ownerBatch(in context: ObjectContext) -> [WriteBatch] { owner.isInserted ? [context.batch(of: [owner])] : [] }

    /// The list as it is in memory.
    func members<D: Model>() -> [D] where Value == [D] {
        (token as? ToMany<Owner, D>).map { $0.value(in: owner._object) } ?? []
    }

    /// Edits the list in memory.
    func setMembers<D: Model>(_ members: [D]) where Value == [D] {
        if let list = token as? ToMany<Owner, D> { owner._object.set(list, to: members) }
    }
}

extension Relationship: CustomDebugStringConvertible, CustomReflectable {
    /// The relationship in one line, as far as it is loaded: `Repository 7 "Hello" issues: 30 members`.
    public var debugDescription: String { owner._object.relationshipSummary(compiled) }

    /// What `dump` shows: the owner.
    public var customMirror: Mirror { Mirror(self, children: ["owner": owner], displayStyle: .struct) }
}

// MARK: Fetching a list

extension Relationship {
    /// Fetches the list: `GET` of its route. What comes becomes the list, in the server's order.
    ///
    /// Members that the reply leaves out are unlinked, not deleted, and only when the reply is the whole list: a page
    /// of several, one that a `query` narrows (by more than the length of a page), or one with an element that isn't an
    /// object with an identity, is merged in. Whatever says that there is more, in the head or beside the list, makes
    /// it a page, unless the relationship or the API declares otherwise (``ListExtent``).
    ///
    /// ```swift
    /// let repositories = try await octocat.$repositories.fetch(pages: .all())
    /// ```
    ///
    /// - Parameters:
    ///   - policy: whether the server is asked; nil for what the API says.
    ///   - query: what is added to the URL's query.
    ///   - keyPath: the keys that lead to the list in the reply; nil when it is the whole: `"data.items"`.
    ///   - pages: whether to follow the reply to further pages.
    ///   - pruning: what becomes of members that the whole list leaves out, on proof that they are gone.
    ///   - settings: the call's own ``Call``.
    /// - Returns: the objects that came, live in the owner's context, in the server's order; of pages to which the
    ///   server answers 304, those that it vouches for.
    /// - Throws: ``APIError``; the list is as it was, or, of several pages, has those that came.
    ///   ``StoreError/deletedObject(model:)`` when the owner was deleted meanwhile, ``APIError/noObject(model:_:_:)``
    ///   when no element could be read.
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
    /// What comes becomes the list as it does from its route: in the server's order, with pages, and members that the
    /// whole list leaves out are unlinked.
    ///
    /// - Parameters:
    ///   - template: a path below the API's base URL, or an absolute URL; its names take their values from the owner.
    ///   - query: what is added to the URL's query.
    ///   - keyPath: the keys that lead to the list in the reply; nil when it is the whole.
    ///   - pages: whether to follow the reply to further pages.
    ///   - pruning: what becomes of members that the whole list leaves out, on proof that they are gone.
    ///   - settings: the call's own ``Call``.
    /// - Returns: the objects that came, live in the owner's context, in the server's order.
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

    /// The same, with the report of what it did to the store, summed over the pages.
    ///
    /// ```swift
    /// let again = try await repository.$issues.fetchReporting(pages: .all())
    /// print(again.report)                                              // 0 inserted, 0 updated, 65 unchanged
    /// ```
    ///
    /// - Throws: as the other; what the pages that came have left out is told to the API's listeners (``ReplyReports``)
    ///   then.
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

    /// How the list is fetched.
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

    /// Fetches one member by its key, `GET` of the list's route, `/` and the key, and links it to the owner.
    ///
    /// ```swift
    /// let issue = try await repository.$issues.fetch(1347)             // GET /repos/octocat/Hello-World/issues/1347
    /// issue.repository === repository                                   // true
    /// ```
    ///
    /// A part of the member's identity that the reply leaves out is taken from the owner.
    ///
    /// - Parameters:
    ///   - key: what names the member in its URL, as one segment of the path: a slash in it is escaped.
    ///   - keyPath: the keys that lead to the object in the reply; nil when it is the whole.
    ///   - policy: whether the server is asked; nil for what the API says.
    ///   - settings: the call's own ``Call``.
    /// - Returns: the member: the object that is live in the owner's context already, if it is.
    /// - Throws: ``APIError``; nothing was written then. ``APIError/noObject(model:_:_:)`` when the reply has no such
    ///   object. ``RouteProblem/keyExpected(of:call:model:found:)`` for a path or URL, which
    ///   ``Model/fetch(_:_:query:at:policy:in:with:)`` takes.
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
    /// Fetches the object that the relationship leads to: from the relationship's own route, or else from the object's
    /// own URL. What is known by its identity only has its own URL too, where that is made of the identity, and is here
    /// afterwards.
    ///
    /// What the relationship's route gives is what the relationship leads to from then on, unless that was edited and
    /// not sent. 204, or a body of `null`, says that there is no such object.
    ///
    /// - Parameters:
    ///   - policy: whether the server is asked; nil for what the API says.
    ///   - settings: the call's own ``Call``.
    /// - Returns: the object, live in the owner's context; nil when there is none.
    /// - Throws: ``APIError``; nothing has changed.
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
            // An old answer changes no link; one that the server has just borne out does.
            let isLed = linked?._object.localID == row
            guard isLed || reply.source == .validated || trip.policy.needsIntact else { return linked as? D }
            if isLed || reply.source == .validated {
                trip.tellKept(reply)
                if !isLed { try await lead(property, to: row, answering: reply.question, in: context) }
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
        try await lead(property, to: id, answering: reply.question, in: context)
        let object = id.flatMap { context.objects(D.self, of: [$0]).first }
        try context.checkNotErased()
        return object
    }

    /// Fetches what the link leads to from its own URL.
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
            // The import has made the link, unless the reply is about another object.
            guard case .pending = owner._object.target(of: link) else { return object }
            let request = RequestSummary(method: "GET", url: client.api.url(url))
            throw .noObject(model: target.model.modelName, ImportReport(), request)
        case nil: return nil
        }
    }

    /// Stores what the link leads to, as the server says; not what was confirmed since that was asked.
    private nonisolated(nonsending) func lead(
        _ property: Property, to id: RowID?, answering question: Question?, in context: ObjectContext
    ) async throws(APIError) {
        let object = owner._object
        guard !object.unsentProperties.contains(where: { $0.index == property.index }) else { return }
        let batch = WriteBatch.confirmed(rows: [object.row([property.index: StoredValue(id)])])
        do { try await context.writeAnswer(batch, to: question?.stamp) } catch { throw .store(error) }
    }
}
