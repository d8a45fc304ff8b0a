import HTTPTypes
public import ObjectStore
import RESTTransport

extension Model {
    /// Deletes all objects of this model, at the server and then locally, by one `DELETE` of its base URL.
    ///
    /// ```swift
    /// try await Notification.deleteAll(in: store.main)                     // DELETE /notifications
    /// ```
    ///
    /// After a success, all objects are deleted locally in one transaction, with those that relationships declare to be
    /// deleted with them. An object stays if it is new, has a pending edit, or has changed since the request was sent.
    ///
    /// If the call has a query, a header field or a body, which may select a part, all objects stay. Fetch the
    /// collection with `prune: .delete`, also after an unknown outcome (5xx, a time-out, a lost connection).
    ///
    /// This waits for requests in flight that name an object of the model, but never in the outbox.
    ///
    /// - Parameters:
    ///   - context: the context that waits for the deletion.
    ///   - settings: changes the ``Call``. A ``Call/path`` must lead to the whole collection.
    /// - Returns: the number of objects deleted locally.
    /// - Throws: ``APIError``; nothing is deleted locally. ``RouteProblem/needsMore(model:template:)`` for a base URL
    ///   with placeholders. ``APIError/unstored(_:_:)`` if writing the file fails after the success.
    /// - Complexity: linear in the objects of the model.
    @discardableResult
    public nonisolated(nonsending) static func deleteAll(
        in context: ObjectContext, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Int {
        let (client, model) = try context.clientAndModel(Self.self)
        return try await Call.with(settings) { () async throws(APIError) in
            let url = try client.callURL(try client.collectionURL(of: model))
            let request = try await context.beginRequest(aboutAllOf: model, deletes: true)
            defer { request.end() }
            let requestStart = context.operations.startRequest()
            defer { withExtendedLifetime(requestStart) {} }
            let rows: [RecordID]
            do throws(StoreError) { rows = try context.settledRows(of: model) } catch { throw .store(error) }
            let trip = client.roundTrip(.delete, url, about: model, in: context)
            let reply = try await trip.send()
            guard trip.isOfWholeList else { return 0 }
            do throws(StoreError) {
                try await AcceptedChange(pruning: rows, requestedAt: requestStart.stamp, in: context).store(in: context)
                return try context.missing(among: rows).count
            } catch {
                throw APIError(ofUnstored: error, reply.request)
            }
        }
    }

    /// Sets an attribute of all objects of this model at the server and here, by one request to its base URL.
    ///
    /// ```swift
    /// try await Notification.updateAll(\.isRead, to: true, in: store.main)      // PATCH /notifications {"is_read":true}
    /// ```
    ///
    /// The method is that of saves. After a success, the value is the server's value of every object here that the
    /// server knows, in one transaction. Pending edits of the attribute stay, as do objects changed since the request
    /// was sent. A list in the reply is imported afterwards.
    ///
    /// If the call has a query or a header field, which may select a part, only objects in the reply's list change
    /// here: fetch the others.
    ///
    /// This waits for requests in flight about an object of the model, but never in the outbox. After an unknown
    /// outcome, fetch the collection, or call this method again, which has the same effect.
    ///
    /// - Parameters:
    ///   - attribute: an attribute that is sent.
    ///   - value: its value; nil for none, if the attribute is optional.
    ///   - context: the context that waits for the change.
    ///   - settings: changes the call's ``Call``.
    /// - Throws: ``APIError``; all is unchanged here, except after ``APIError/leftOut(_:_:)`` and
    ///   ``APIError/unstored(_:_:)``. ``APIError/unsendable(model:property:value:)`` for an attribute that is never
    ///   sent or is part of the identity, ``APIError/unencodable(_:)`` for JSON Patch or JSON:API without a body of the
    ///   call. ``RouteProblem/needsMore(model:template:)`` for a base URL with placeholders.
    /// - Complexity: linear in the objects of the model.
    public nonisolated(nonsending) static func updateAll<Value: Sendable>(
        _ attribute: KeyPath<Properties, Attribute<Self, Value>>, to value: Value, in context: ObjectContext,
        with settings: Call.Settings? = nil
    ) async throws(APIError) {
        let (client, model) = try context.clientAndModel(Self.self)
        let token = properties[keyPath: attribute]
        let property = model[model.index(of: token.description) ?? PropertyIndex(0)]
        let shapes = context.shapes
        let json = try model.json(
            of: property, token.stored(value), shaped: shapes[model.table, property.index])
        let path = property.sentPath(insteadOf: shapes.path(of: property, in: model))
        try await Call.with(settings) { () async throws(APIError) in
            let method = client.saveMethod(of: model)
            let body =
                Call.current.body == nil
                ? try client.bodyOfAll(json, at: path, of: model, as: method.changeFormat) : nil
            let url = try client.callURL(try client.collectionURL(of: model)).naming(body)
            let request = try await context.beginRequest(aboutAllOf: model)
            defer { request.end() }
            let trip = client.roundTrip(
                HTTPRequest.Method(method), url, body: body.map { .json($0) }, about: model, asking: .list, in: context)
            let reply = try await trip.send()
            if trip.isOfWholeList { try await trip.setAll((property, json), of: model, after: reply) }
            guard reply.isChangedList else { return }
            let toImport = try trip.changedList(in: reply, as: ImportRequest(model)) { () throws(APIError) in [] }
            let acceptedChange = AcceptedChange(
                reply, importing: toImport.body, as: toImport.request, after: [], confirming: [])
            try trip.reportConfirmed(try await trip.confirm(acceptedChange, of: reply), of: reply)
        }
    }

    /// Asks the server whether something is true of this object, by a `GET`: a success means true, and 404 false.
    ///
    /// ```swift
    /// let isStarred = try await repository.check("/user/starred/:full_name")       // 204 or 404
    /// ```
    ///
    /// Nothing is stored. A mistyped path gives 404, too.
    ///
    /// - Parameters:
    ///   - template: a path below the base URL, or an absolute URL. Its names take their values from this object.
    ///   - query: parameters that are added to the URL.
    ///   - settings: changes the call's ``Call``.
    /// - Throws: ``APIError`` for other failures than a 404.
    public nonisolated(nonsending) func check(
        _ template: URLTemplate, query: RouteQuery = [:], with settings: Call.Settings? = nil
    ) async throws(APIError) -> Bool {
        try await Call.with(settings) { () async throws(APIError) in
            let context = try liveContext()
            let client = try context.client(of: _object.model)
            let url = try client.callURL(try client.url(template, for: _object), query: query, for: _object)
            do throws(APIError) {
                _ = try await client.roundTrip(.get, url, about: nil, in: context).send()
                return true
            } catch {
                guard error.reply?.status == 404 else { throw error }
                return false
            }
        }
    }
}

extension RoundTrip {
    fileprivate func setAll(
        _ value: (attribute: Property, value: OutboundJSON), of model: ModelSchema, after reply: Reply
    ) async throws(APIError) {
        let rows: [RecordID]
        do throws(StoreError) { rows = try context.settledRows(of: model, withEdited: true) } catch {
            throw APIError(ofUnstored: error, reply.request)
        }
        // A new object, even with an identity, is still to be created.
        let objects = rows.compactMap { context.object(for: $0)?._object }.filter(\.isAtServer)
        let toImport = try changedList(in: nil, as: ImportRequest(model)) { () throws(APIError) in
            try OutboundJSON.naming(objects, with: [value], in: client.schema).bytes
        }
        let acceptedChange = AcceptedChange(
            reply, importing: toImport.body, as: toImport.request, after: [], confirming: [])
        try reportConfirmed(try await confirm(acceptedChange, of: reply), of: reply)
    }
}

extension ModelSchema {
    /// - Throws: ``APIError/unsendable(model:property:value:)`` for an attribute that is never sent or is part of the
    ///   identity.
    fileprivate func json(
        of attribute: Property, _ value: StoredValue, shaped shape: WireShape
    ) throws(APIError) -> OutboundJSON {
        guard !attribute.isFixed else {
            throw .unsendable(model: modelName, property: attribute.name, value: "a value that only the server sets")
        }
        guard !identity.contains(attribute.index) else {
            throw .unsendable(model: modelName, property: attribute.name, value: "a part of what tells objects apart")
        }
        if value.isNull, shape.isNothingEmptyText { return .string("") }
        do { return OutboundJSON(try attribute.wireText(of: value, shape)) } catch {
            throw .unsendable(model: modelName, property: attribute.name, value: error.value)
        }
    }
}
