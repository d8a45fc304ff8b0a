import HTTPTypes
public import ObjectStore
import RESTTransport

extension Model {
    /// Deletes all objects of this model, at the server and then locally. Sends one `DELETE` of the model's base URL.
    ///
    /// ```swift
    /// try await Notification.deleteAll(in: store.main)                     // DELETE /notifications
    /// ```
    ///
    /// After a success, all objects that the server knows are deleted locally in one transaction. Objects that
    /// relationships declare to be deleted with them are deleted too. An object stays if it is new, has a pending edit,
    /// or has changed since the request was sent, since the server may still have it.
    ///
    /// A query, a header field or a body of the call's own may select a part of the collection. All objects then stay
    /// here. Fetch the collection with `prune: .delete` to find out which are gone.
    ///
    /// The request is sent once no request about such an object, or one that names it, is in flight. It doesn't wait in
    /// the outbox, also with `StoreOptions(writes: .queued)`. If its outcome is unknown (5xx, a time-out, a lost
    /// connection), the server may have deleted the objects. Fetch the collection with `prune:
    /// .delete`.
    ///
    /// - Parameters:
    ///   - context: the context that waits for the deletion.
    ///   - settings: changes the call's ``Call``. A ``Call/path`` must lead to the whole collection.
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
            let question = context.operations.ask()
            defer { withExtendedLifetime(question) {} }
            let rows: [RecordID]
            do throws(StoreError) { rows = try context.settledRows(of: model) } catch { throw .store(error) }
            let trip = client.roundTrip(.delete, url, about: model, in: context)
            let reply = try await trip.send()
            guard trip.isOfWholeList else { return 0 }
            do throws(StoreError) {
                try await AcceptedChange(pruning: rows, askedAt: question.stamp, in: context).store(in: context)
                return try context.missing(among: rows).count
            } catch {
                throw APIError(ofUnstored: error, reply.request)
            }
        }
    }

    /// Sets an attribute of all objects of this model at the server and here, by one request to the model's base URL.
    ///
    /// ```swift
    /// try await Notification.updateAll(\.isRead, to: true, in: store.main)      // PATCH /notifications {"is_read":true}
    /// ```
    ///
    /// The method is the one by which such objects are saved. After a success the value is the server's value of every
    /// object here that the server knows, in one transaction. Pending edits of the attribute stay, and so do objects
    /// that have changed since the request was sent. If the reply is a list, it is imported afterwards, so its values
    /// win over the value sent.
    ///
    /// A query or a header field of the call's own may select a part of the collection. The objects then stay as they
    /// are here, except for those in the reply's list. Fetch the collection to find out which have changed.
    ///
    /// The request is sent once no request about such an object is in flight. It doesn't wait in the outbox, also with
    /// `StoreOptions(writes: .queued)`. If its outcome is unknown (5xx, a time-out, a lost connection), the server may
    /// have the new value. Fetch the collection, or call this method
    /// again, which has the same effect.
    ///
    /// - Parameters:
    ///   - attribute: an attribute that is sent.
    ///   - value: its value; nil if the attribute is optional.
    ///   - context: the context that waits for the change.
    ///   - settings: the call's own ``Call``; its ``Call/body`` and ``Call/path`` replace those of the request.
    /// - Throws: ``APIError``. In that case all is unchanged here, except after ``APIError/leftOut(_:_:)`` and
    ///   ``APIError/unstored(_:_:)``. ``APIError/unsendable(model:property:value:)`` for an attribute that is never
    ///   sent or is part of the identity, ``APIError/unencodable(_:)`` if the objects are saved by JSON Patch or in
    ///   documents of JSON:API, and the call has no body of its own. ``RouteProblem/needsMore(model:template:)`` for a
    ///   base URL with placeholders.
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
            // The reply's values win over the value sent.
            let toImport = try trip.changedList(in: reply, as: ImportRequest(model)) { () throws(APIError) in [] }
            let acceptedChange = AcceptedChange(
                reply, importing: toImport.body, as: toImport.request, after: [], confirming: [])
            try trip.reportConfirmed(try await trip.confirm(acceptedChange, of: reply), of: reply)
        }
    }

    /// Asks the server whether something is true of this object. Sends a `GET`: a success means true, and 404 false.
    ///
    /// ```swift
    /// let isStarred = try await repository.check("/user/starred/:full_name")       // 204 or 404
    /// ```
    ///
    /// Nothing is stored. A mistyped path gives 404, too.
    ///
    /// - Parameters:
    ///   - template: a path below the API's base URL, or an absolute URL. A name takes its value from this object:
    ///     `:id`, `:owner.login`. Interpolate all other values.
    ///   - query: parameters that are added to the URL.
    ///   - settings: changes the call's ``Call``.
    /// - Returns: whether the server replied with a status of 200 to 299.
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
        // A new object with an identity of its own is still to be created.
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
