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
    /// One GET request. The reply is parsed, written in one transaction and committed off this actor; the change is
    /// merged into this context before this returns, and into others as soon as their actors are free.
    ///
    /// - Parameters:
    ///   - template: a path below the API's base URL, or an absolute URL, with `:name` or an interpolated value in each
    ///     place that changes.
    ///   - values: the values of the names.
    ///   - query: what is added to the URL's query.
    ///   - keyPath: the keys that lead to the object in the reply; nil when it is the whole: `"data.user"`.
    ///   - policy: whether the server is asked; nil for what the API says.
    ///   - context: where the object is to live.
    ///   - settings: the call's own ``Call``: `{ $0.timeout = .seconds(5) }`.
    /// - Returns: the object: the one that is live in the context already, if it is. Of a list, the first.
    /// - Throws: ``APIError``; nothing was written then. ``APIError/noObject(model:_:_:)`` when the reply holds no such
    ///   object; what else it held is in the store.
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

    /// Fetches the object of a key, `GET base/:key`, and imports it.
    ///
    /// ```swift
    /// let octocat = try await User.fetch(key: "octocat", in: store.main)      // @Model("/users", key: "login")
    /// ```
    ///
    /// - Parameters:
    ///   - key: the value of the property that names the object in its URL.
    ///   - keyPath: the keys of the object's place in the reply; nil when it is the whole.
    ///   - policy: whether the server is asked; nil for what the API says.
    ///   - context: where the object is to live.
    ///   - settings: the call's own ``Call``: `{ $0.timeout = .seconds(5) }`.
    /// - Returns: the object: the one that is live in the context already, if it is. The one that is here, when the
    ///   server says that it has nothing newer (304) than what a condition of the caller's own names.
    /// - Throws: ``APIError``, as the other `fetch`. ``RouteProblem/needsMore(model:template:)`` when the base URL has
    ///   placeholders of its own, ``RouteProblem/keyExpected(of:call:model:found:)`` for a path or URL.
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
    ///   - template: a path below the API's base URL, or an absolute URL, with `:name` for each value; nil is the
    ///     model's base URL.
    ///   - values: what stands for the names.
    ///   - query: what is added to the URL's query.
    ///   - keyPath: the keys of the list's place in the reply; nil when it is the whole.
    ///   - pages: whether to follow the reply to further pages.
    ///   - policy: whether the server is asked; nil for what the API says.
    ///   - pruning: what becomes of objects of the model that are here and that the list leaves out: with
    ///     ``Pruning/delete`` they are deleted, once the model's own collection has come whole, without a query, a key
    ///     path, or header fields of the call's own that may name another account, and on proof.
    ///   - context: where the objects are to live.
    ///   - settings: the call's own ``Call``: `{ $0.timeout = .seconds(5) }`.
    /// - Returns: the objects in the server's order. When the server answers 304 to a condition of the caller's own,
    ///   those of the pages before that; the report says that there are more.
    /// - Throws: ``APIError``; of several pages, those that came are in the store. ``APIError/noObject(model:_:_:)``
    ///   when no element could be read.
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

    /// The same, with the report of what it did to the store, summed over the pages, and of whether there are more
    /// (``ImportReport/hasMore``).
    ///
    /// - Throws: as the other; what the pages that came have left out is told to the API's listeners (``ReplyReports``)
    ///   then.
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

    /// How a list of objects is fetched.
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
    /// The object whose key is one that was asked for.
    ///
    /// - Complexity: linear in the objects of the model: for what only middleware makes happen.
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
    /// The URL of the object of a key.
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

    /// The URL of a list: of a template, or else of the model's base URL.
    func listURL(
        of model: ModelSchema, template: URLTemplate?, values: [String: any RouteValueConvertible]
    ) throws(APIError) -> RequestURL {
        if let template { return try RequestURL(template, values, at: self) }
        let routes = try routes(of: model)
        let base = routes.declared[.index] ?? routes.base
        guard !values.isEmpty || base.placeholders.isEmpty else {
            throw .route(.needsMore(model: model.modelName, template: base.description))
        }
        return try RequestURL(base, values, at: self)
    }
}

// MARK: Refreshing

extension Model {
    /// Fetches this object anew from its own URL, `GET base/:key`, into this same instance and every other context's.
    ///
    /// Properties with unsaved edits keep them. A reply of 304 to a condition changes nothing. It waits for what is on
    /// its way to change this object.
    ///
    /// ```swift
    /// try await issue.fetch(.ifOlder(than: .seconds(300)))
    /// ```
    ///
    /// An object that was made here gets its identity and everything else from the reply; the key, which was set to
    /// fetch it, counts as the server's.
    ///
    /// The reply need not repeat the identity, but has something of what the model declares.
    ///
    /// - Parameters:
    ///   - policy: whether the server is asked; nil for what the API says.
    ///   - settings: the call's own ``Call``.
    /// - Throws: ``APIError``; the object is as it was. ``APIError/noObject(model:_:_:)`` when the reply is about
    ///   something else, or about nothing: `{"error": "…"}`. ``APIError/notYetCreated(model:)`` for an object that was
    ///   not created yet and has no key.
    public nonisolated(nonsending) func fetch(
        _ policy: FetchPolicy? = nil, with settings: Call.Settings? = nil
    ) async throws(APIError) {
        try await inTurn(with: settings, isQuestion: true) { (context, client) throws(APIError) in
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
            trip.tellKept(reply)
            if reply.isStale { trip.revalidateLater(as: _object.importRequest) }
            guard !reply.isUnmodified else { return }
            var batches = isInserted ? [firstRow(named: key, in: context)] : []
            batches += trip.fetchedValidators(in: reply, of: self)
            let outcome = try await trip.import(reply, as: _object.importRequest, after: batches)
            // The reply says that it is deleted, and so it is here.
            if outcome.roots.isEmpty, outcome.report.deleted > 0, isDeleted { return }
            guard outcome.roots.contains(_object.localID) else { throw reply.noObject(outcome.report) }
        }
    }

    /// The row of an object that is in no file yet: its defaults and what names it; other edits stay edits.
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
