import ObjectStore

extension Model {
    /// Prepares a request that changes this object at the server, and begins it, once no request in flight shares a
    /// fact with it or changes an object that it names (``RequestScope``).
    ///
    /// - Parameters:
    ///   - scope: the scope of a prepared request; nil stands for one that can't be made.
    ///   - prepare: makes the request from the present state. It runs again after each wait. Its error is thrown only if
    ///     there is nothing to wait for, since another request may create the object that is missing.
    /// - Throws: ``StoreError/cancelled`` in ``APIError/store(_:)`` if the task is cancelled during a wait.
    nonisolated(nonsending) func begin<Prepared>(
        in context: ObjectContext, scope: (Prepared?) -> RequestScope, _ prepare: () throws(APIError) -> Prepared
    ) async throws(APIError) -> (prepared: Prepared, request: OpenRequest) {
        while true {
            let prepared = Result { () throws(APIError) in try prepare() }
            let scope = scope(try? prepared.get())
            if await context.underway.requests.waitForOthers(of: scope) {
                guard !Task.isCancelled else { throw .store(.cancelled) }
                await context.finishSaves()
                _ = try liveContext()
                continue
            }
            let ready = try prepared.get()
            // Another context may have begun a request meanwhile.
            if let request = context.underway.requests.begin(scope) { return (ready, request) }
        }
    }
}

extension Outgoing {
    /// The scope of the request about the object.
    ///
    /// - Parameter list: the list that the object joins by the same request.
    func scope(of object: ObjectState, joining list: ListOwner?, in context: ObjectContext) -> RequestScope {
        let sent = inBody + confirmed.filter { $0.link != nil && object.model.hasInURL($0) }
        let edited = sent.filter { atRisk.contains($0.index) }
        var scope = context.scope(
            of: object, sending: sent, editing: edited,
            along: facts(of: object, in: context) + along.flatMap(\.relationships))
        scope.changesSubject =
            !object.isAtServer || edited.contains { object.model.identity.contains($0.index) }
        if let list {
            scope.edited.insert(SentFact(.relationship(list.property), of: list.record))
            scope.named.insert(list.record)
        }
        return scope
    }
}
