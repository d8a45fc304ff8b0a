import ObjectStore

extension Model {
    /// Begins a request that changes this object, once no request in flight shares a fact with it or changes an object
    /// that it names (``RequestScope``).
    ///
    /// - Parameters:
    ///   - scope: the scope of a prepared request; nil stands for one that can't be made.
    ///   - prepare: makes the request, again after each wait. Its error is thrown only if there is nothing to wait for,
    ///     since another request may create the object that is missing.
    /// - Throws: ``StoreError/cancelled`` in ``APIError/store(_:)`` if the task is cancelled during a wait.
    nonisolated(nonsending) func begin<Prepared>(
        in context: ObjectContext, scope: (Prepared?) -> RequestScope, _ prepare: () throws(APIError) -> Prepared
    ) async throws(APIError) -> (prepared: Prepared, request: OpenRequest) {
        try await context.begin(scope: scope, prepare) { () throws(APIError) in _ = try liveContext() }
    }
}

extension ObjectContext {
    /// Begins a request about all objects of a model, once no request about one of them is in flight.
    ///
    /// - Parameter deletes: whether the server deletes the objects. The request then waits for those that name one.
    nonisolated(nonsending) func beginRequest(
        aboutAllOf model: ModelSchema, deletes: Bool = false
    ) async throws(APIError) -> OpenRequest {
        let scope = RequestScope(ofAll: model.table, deletes: deletes)
        let begun = try await begin(
            scope: { (_: Void?) in scope }, { () throws(APIError) in },
            check: { () throws(APIError) in if isEnded { throw .store(.endedContext) } })
        return begun.request
    }

    /// Prepares and begins a request; see `Model.begin(in:scope:_:)`.
    ///
    /// - Parameter check: runs after each wait; its error ends the request.
    fileprivate nonisolated(nonsending) func begin<Prepared>(
        scope: (Prepared?) -> RequestScope, _ prepare: () throws(APIError) -> Prepared,
        check: () throws(APIError) -> Void
    ) async throws(APIError) -> (prepared: Prepared, request: OpenRequest) {
        while true {
            let prepared = Result { () throws(APIError) in try prepare() }
            let scope = scope(try? prepared.get())
            if await operations.requests.waitForOthers(of: scope) {
                guard !Task.isCancelled else { throw .store(.cancelled) }
                await finishSaves()
                try check()
                continue
            }
            let ready = try prepared.get()
            // Another context may have begun a request meanwhile.
            if let request = operations.requests.begin(scope) { return (ready, request) }
        }
    }
}

extension Outgoing {
    func scope(of object: ObjectState, joining list: ListOwner?, in context: ObjectContext) -> RequestScope {
        let sent = inBody + confirmed.filter { $0.link != nil && object.model.hasInURL($0) }
        let edited = sent.filter { atRisk.contains($0.index) }
        var scope = context.scope(
            of: object, sending: sent, editing: edited,
            furtherFacts: sentFacts(of: object, in: context) + includedEdits.flatMap(\.relationships))
        scope.changesSubject =
            !object.isAtServer || edited.contains { object.model.identity.contains($0.index) }
        if let list {
            scope.edited.insert(SentFact(.relationship(list.property), of: list.record))
            scope.named.insert(list.record)
        }
        return scope
    }
}
