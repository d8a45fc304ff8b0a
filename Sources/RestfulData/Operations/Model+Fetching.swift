import Conventions
import HTTPTypes
public import ObjectStore
import RESTTransport

extension Model {
    /// Fetches one object from a URL template, and imports it.
    ///
    /// ```swift
    /// let octocat = try await User.fetch("/users/:login", ["login": "octocat"], in: store.main)
    /// ```
    ///
    /// Sends one GET request, and stores the reply off this actor, in one transaction.
    ///
    /// - Parameters:
    ///   - template: a path below the base URL, or an absolute URL, with `:name` or an interpolated value for each
    ///     variable part.
    ///   - values: the values of the names.
    ///   - query: parameters that are added to the URL's query.
    ///   - keyPath: the keys of the object in the reply, such as `"data.user"`; by default, the conventions decide.
    ///   - policy: nil for the policy of the call, model or API.
    ///   - context: the context of the object.
    ///   - settings: changes the call's ``Call``: `{ $0.timeout = .seconds(5) }`.
    /// - Returns: the object, as the context's live instance if there is one. Of a list, the first object.
    /// - Throws: ``APIError``; nothing was stored. After ``APIError/noObject(model:_:_:)``, the reply's other objects
    ///   are stored.
    public nonisolated(nonsending) static func fetch(
        _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:], query: RouteQuery = [:],
        at keyPath: JSONKeyPath? = nil, policy: FetchPolicy? = nil, in context: ObjectContext,
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> Self {
        let (client, model) = try context.clientAndModel(Self.self)
        return try await Call.with(settings) { () async throws(APIError) in
            let url = try client.callURL(try RequestURL(template, values, at: client), query: query)
            return try await client.roundTrip(.get, url, about: model, asking: .object, at: keyPath, in: context)
                .keeping(model.purpose(.object), by: policy).fetchObject(Self.self)
        }
    }

    /// Fetches the object with a key, and imports it: `GET base/:key`.
    ///
    /// ```swift
    /// let octocat = try await User.fetch(key: "octocat", in: store.main)      // @Model("/users", key: "login")
    /// ```
    ///
    /// - Parameters:
    ///   - key: the value of the key's property.
    ///   - keyPath: the keys of the object in the reply; by default, the conventions decide.
    ///   - policy: nil for the policy of the call, model or API.
    ///   - context: the context of the object.
    ///   - settings: changes the call's ``Call``: `{ $0.timeout = .seconds(5) }`.
    /// - Returns: the object; after a 304 to a condition of your own, the stored one.
    /// - Throws: ``APIError``, as the other `fetch`. ``RouteProblem/needsMore(model:template:)`` if the base URL has
    ///   placeholders, ``RouteProblem/keyExpected(of:call:model:found:)`` for a path or URL.
    public nonisolated(nonsending) static func fetch(
        key: some AttributeValue, at keyPath: JSONKeyPath? = nil, policy: FetchPolicy? = nil,
        in context: ObjectContext, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Self {
        let (client, model) = try context.clientAndModel(Self.self)
        return try await Call.with(settings) { () async throws(APIError) in
            let url = try client.callURL(try client.url(of: model, key: key, in: context))
            return try await client.roundTrip(.get, url, about: model, asking: .object, at: keyPath, in: context)
                .keeping(model.purpose(.object), by: policy).fetchObject(Self.self) { () throws(APIError) in
                    try context.object(Self.self, of: model) { row, property in
                        row.known.storedValue(property) == key.stored
                    }
                }
        }
    }

    /// Fetches a list of objects from a URL template, or from the model's base URL, and imports it.
    ///
    /// ```swift
    /// let users = try await User.fetchAll(query: ["since": 1000], in: store.main)         // GET /users?since=1000
    /// let found = try await User.fetchAll("/search", query: ["q": "ada"], at: "data.items", in: store.main)
    /// ```
    ///
    /// - Parameters:
    ///   - template: a path below the base URL, or an absolute URL, with `:name` for each value; nil for the model's
    ///     base URL.
    ///   - values: the values of the names.
    ///   - query: parameters that are added to the URL's query.
    ///   - keyPath: the keys of the list in the reply; by default, the conventions decide.
    ///   - pages: how many pages to fetch.
    ///   - policy: nil for the policy of the call, model or API.
    ///   - pruning: the effect on stored objects that the list omits. ``Pruning/delete`` deletes them if the whole list
    ///     at the model's base URL proves that they are gone, without a query, a key path, or header fields of the call
    ///     that may name another account.
    ///   - context: the context of the objects.
    ///   - settings: changes the call's ``Call``: `{ $0.timeout = .seconds(5) }`.
    /// - Returns: the objects in the server's order. After a 304 to a condition of your own, those of the pages before;
    ///   the report says that there are more.
    /// - Throws: ``APIError``; earlier pages are stored. ``APIError/noObject(model:_:_:)`` if no element could be read.
    public nonisolated(nonsending) static func fetchAll(
        _ template: URLTemplate? = nil, _ values: [String: any RouteValueConvertible] = [:], query: RouteQuery = [:],
        at keyPath: JSONKeyPath? = nil, pages: Pages = .first, policy: FetchPolicy? = nil,
        prune pruning: Pruning = .never, in context: ObjectContext, with settings: Call.Settings? = nil
    ) async throws(APIError) -> [Self] {
        let question = ListQuestion(
            template: template, values: values, query: query, keyPath: keyPath, policy: policy, pruning: pruning)
        return try await Call.with(settings) { () async throws(APIError) in
            let walk = try walk(question, in: context)
            return try Imported<Self>(try await walk.fetch(pages), in: context).objects
        }
    }

    /// Fetches a list as ``fetchAll(_:_:query:at:pages:policy:prune:in:with:)`` does, and reports how the store
    /// changed, summed over the pages, and whether there are more (``ImportReport/hasMore``).
    ///
    /// - Throws: ``APIError``, as `fetchAll`. Omissions of earlier pages then go to the API's listeners
    ///   (``ReplyReports``).
    public nonisolated(nonsending) static func fetchAllReporting(
        _ template: URLTemplate? = nil, _ values: [String: any RouteValueConvertible] = [:], query: RouteQuery = [:],
        at keyPath: JSONKeyPath? = nil, pages: Pages = .first, policy: FetchPolicy? = nil,
        prune pruning: Pruning = .never, in context: ObjectContext, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Imported<Self> {
        let question = ListQuestion(
            template: template, values: values, query: query, keyPath: keyPath, policy: policy, pruning: pruning)
        return try await Call.with(settings) { () async throws(APIError) in
            let walk = try walk(question, in: context)
            return try await API.reporting { () async throws(APIError) in
                try Imported(try await walk.fetch(pages), in: context)
            }.value
        }
    }

    static func walk(_ question: ListQuestion, in context: ObjectContext) throws(APIError) -> PageWalk {
        let (client, model) = try context.clientAndModel(Self.self)
        let (template, values, query) = (question.template, question.values, question.query)
        let url = try client.callURL(
            try client.listURL(of: model, template: template, values: values), query: query)
        var walk = PageWalk(
            first: client.roundTrip(.get, url, about: model, asking: .list, at: question.keyPath, in: context)
                .keeping(model.purpose(.list), by: question.policy))
        walk.pruning = question.pruning
        let call = walk.first.call
        let isOwn = template == nil && values.isEmpty && call.path == nil
        walk.isOfAll = isOwn && question.keyPath == nil && !query.narrowsLists && !call.query.narrowsLists
        walk.listing = Listing.Key(model, scope: isOwn ? url.scope : url.scopeWithPath)
        return walk
    }
}

extension ObjectContext {
    /// - Complexity: linear in the model's objects. Only a 304 to a condition of the caller or middleware needs this.
    func object<M: Model>(
        _ type: M.Type, of model: ModelSchema, where isKey: (any OutboundRow, Property) -> Bool
    ) throws(APIError) -> M? {
        guard let key = model.key.map({ model[$0] }) else { return nil }
        let all: [M]
        do { all = try query(type).fetch() } catch { throw .store(error) }
        return all.first { isKey($0._object, key) }
    }
}

extension APIClient {
    fileprivate func url(
        of model: ModelSchema, key: some AttributeValue, in context: ObjectContext
    ) throws(APIError) -> RequestURL {
        let (template, property) = try objectRoute(of: model)
        if let url = try absoluteURL(key.stored, of: property) { return url }
        guard template.placeholders.count == 1 else {
            throw .route(.needsMore(model: model.modelName, template: template.description))
        }
        let value = RouteValue(key: key, of: model, in: context)
        try model.checkKey(value, of: model.modelName, as: "\(model.modelName).fetch(key: …)")
        return try RequestURL(template, [template.placeholders[0].name: value], at: self)
    }

    func listURL(
        of model: ModelSchema, template: URLTemplate?, values: [String: any RouteValueConvertible]
    ) throws(APIError) -> RequestURL {
        if let template { return try RequestURL(template, values, at: self) }
        let routes = try routes(of: model)
        return try url(of: model, at: routes.declared[.index] ?? routes.base, values)
    }

    func collectionURL(of model: ModelSchema) throws(APIError) -> RequestURL {
        try url(of: model, at: try routes(of: model).base, [:])
    }

    private func url(
        of model: ModelSchema, at route: RouteTemplate, _ values: [String: any RouteValueConvertible]
    ) throws(APIError) -> RequestURL {
        guard !values.isEmpty || route.placeholders.isEmpty else {
            throw .route(.needsMore(model: model.modelName, template: route.description))
        }
        return try RequestURL(route, values, at: self)
    }
}

// MARK: Refreshing

extension Model {
    /// Fetches this object again from its own URL, `GET base/:key`, and updates this instance and those in other
    /// contexts.
    ///
    /// Unsaved edits stay. This waits for requests in flight that change the object.
    ///
    /// ```swift
    /// try await issue.fetch(.ifOlder(than: .seconds(300)))
    /// ```
    ///
    /// You can fetch a new object after you have set its key, which then counts as the server's. The reply may omit the
    /// identity, but must have a property that the model declares.
    ///
    /// - Parameters:
    ///   - policy: nil for the policy of the call, model or API.
    ///   - settings: changes the call's ``Call``.
    /// - Throws: ``APIError``; the object is unchanged. ``APIError/noObject(model:_:_:)`` if the reply is about
    ///   something else, such as `{"error": "…"}`. ``APIError/notYetCreated(model:)`` for a new object without a key.
    public nonisolated(nonsending) func fetch(
        _ policy: FetchPolicy? = nil, with settings: Call.Settings? = nil
    ) async throws(APIError) {
        try await inTurn(with: settings, isFetch: true) { (context, client) throws(APIError) in
            let key = try client.objectRoute(of: _object.model).key
            let url = try requestURL(to: .fetch, by: client)
            var trip = client.roundTrip(.get, url, about: _object.model, asking: .object, in: context)
                .keeping(isInserted ? nil : _object.model.purpose(.object), by: policy)
            trip.canRevalidate = true
            var reply = try await trip.sendingUnlessGone(_object.record)
            if let kept = reply.kept, !kept.rows.roots.contains(_object.localID) {
                guard trip.policy.kind != .offline else { throw .notStored(reply.request) }
                reply = try await trip.reloading.send()
            }
            trip.reportKept(reply)
            if reply.isStale { trip.revalidateLater(as: _object.importRequest) }
            guard !reply.isUnmodified else { return }
            var batches = isInserted ? [firstRow(named: key, in: context)] : []
            batches += trip.fetchedValidators(in: reply, of: self)
            let outcome = try await trip.import(reply, as: _object.importRequest, after: batches)
            // The reply said that the object is deleted.
            if outcome.roots.isEmpty, outcome.report.deleted > 0, isDeleted { return }
            guard outcome.roots.contains(_object.localID) else { throw reply.noObject(outcome.report) }
        }
    }

    /// The defaults, key and identity. Other edits stay unsaved.
    private func firstRow(named key: Property, in context: ObjectContext) -> WriteBatch {
        let model = _object.model
        let edited = Set(changedProperties)
        let rows = context.batch(of: [self]).rows.map { row in
            var row = row
            row.values = row.values.filter { index, _ in
                index == key.index || index == model.family?.discriminator || model.identity.contains(index)
                    || !edited.contains(model[index].name)
            }
            return row
        }
        return WriteBatch.confirmed(rows: rows)
    }
}
