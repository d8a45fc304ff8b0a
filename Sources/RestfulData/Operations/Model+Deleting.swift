import HTTPTypes
public import ObjectStore
import RESTTransport

extension Model {
    /// Deletes this object at the server, and then locally. Sends `DELETE base/:key`, with the key that the server has.
    ///
    /// The object is deleted in this context before this returns, and in other contexts as soon as their actors are
    /// free. This waits for requests in flight about this object, and for those that send a link to it.
    ///
    /// A reply of 410 has the same effect as a success. So has 404, if a GET of the object finds none and a GET of its
    /// collection succeeds (``APIConventions/notFoundDeletions``).
    ///
    /// If the outcome is unknown, for example after a timeout, the object stays. It is deleted as soon as you fetch a
    /// whole list that had it, or all objects, and the reply omits it, unless it was edited since.
    ///
    /// If a relationship denies the deletion, nothing is sent. Once the server has deleted the object, objects that
    /// refer to it are unlinked, under any rule. Edits of the object made meanwhile are lost, and the context's next
    /// save reports them (``StoreError/deletedObject(model:)``).
    ///
    /// - Parameter settings: changes the call's ``Call``.
    /// - Throws: ``APIError``; the object still exists. ``StoreError/deleteDenied(model:identity:relationship:count:)``
    ///   in ``APIError/store(_:)``. ``APIError/notYetCreated(model:)`` if the object is still to be created and lacks a
    ///   key.
    public nonisolated(nonsending) func delete(with settings: Call.Settings? = nil) async throws(APIError) {
        if isQueued(settings) { return try await delete(.queued) }
        try await deleteNow(settings)
    }

    nonisolated(nonsending) func deleteNow(_ settings: Call.Settings?) async throws(APIError) {
        try await inTurn(with: settings) { (context, client) throws(APIError) in
            _ = try await storeCreation(by: client, in: context)
            try await delete(in: context) { () throws(APIError) in
                DeletionURLs(
                    url: try requestURL(to: .delete, by: client), collection: try? client.collectionURL(for: _object),
                    own: try? client.ownURL(of: _object, to: .fetch))
            }
        }
    }

    nonisolated(nonsending) func delete(
        in context: ObjectContext, at urls: () throws(APIError) -> DeletionURLs
    ) async throws(APIError) {
        let client = try context.client(of: _object.model)
        let (urls, request) = try await begin(
            in: context, scope: { _ in context.scope(of: _object, deletes: true) }, urls)
        defer { request.end() }
        do { try context.checkDeletion(of: self) } catch { throw .store(error) }
        var trip = client.roundTrip(.delete, urls.url, about: _object.model, in: context)
            .about(Subject(_object, sending: _object.model.properties, to: client))
        trip.addCondition(about: self)
        let record = _object.record
        let isNew = isInserted
        let former = isNew ? nil : context.operations.requestDeletion(of: record)
        var isKnown = true
        context.beginDeletion(of: record)
        defer { context.endDeletion(of: record, isKnown: isKnown) }
        do throws(APIError) {
            let trip = trip
            try await trip.sendDeletion { await trip.isObjectGone(at: urls.own, from: urls.collection) ?? false }
        } catch {
            isKnown = isNew || error.outcome == .refused
            if isKnown, !isNew { context.operations.endDeletionRequest(of: record, former: former) }
            throw error
        }
        if isInserted {
            context.delete(self)
        } else {
            try await trip.store([WriteBatch.confirmed(deletions: [_object.record])])
        }
    }
}

struct DeletionURLs {
    let url: RequestURL
    let collection: RequestURL?
    /// Where a GET checks whether the object is gone; nil for `url`.
    var own: RequestURL?
}
