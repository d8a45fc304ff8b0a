import HTTPTypes
public import ObjectStore
import RESTTransport

extension Model {
    /// Deletes this object at the server, `DELETE base/:key` as the server last said that it is, and then here: in this
    /// context before this returns, in others as soon as their actors are free.
    ///
    /// A reply of 410 says that it is gone already, and has the same effect; so does 404, once a GET of the object
    /// finds nothing either while its collection is there (``APIConventions/notFoundDeletions``). It waits for requests
    /// about this object that are on their way.
    ///
    /// Where nobody knows whether the server has deleted it, as after a time-out, the object stays. It goes as soon as
    /// a whole list that it was in, or that of all objects, is asked for and is without it, unless it was edited since.
    ///
    /// When a relationship denies the deletion, nothing is sent. Once the server has deleted the object it has the last
    /// word: what a rule would still keep it for is unlinked. What is edited of it meanwhile is gone, and the context's
    /// next save says so (``StoreError/deletedObject(model:)``).
    ///
    /// - Parameter settings: the call's own ``Call``.
    /// - Throws: ``APIError``; the object is still there.
    ///   ``StoreError/deleteDenied(model:identity:relationship:count:)`` in ``APIError/store(_:)``.
    ///   ``APIError/notYetCreated(model:)`` for an object that was not created yet and has no key.
    public nonisolated(nonsending) func delete(with settings: Call.Settings? = nil) async throws(APIError) {
        if isQueued(settings) { return try await delete(.queued) }
        try await deleteNow(settings)
    }

    nonisolated(nonsending) func deleteNow(_ settings: Call.Settings?) async throws(APIError) {
        try await inTurn(with: settings) { (context, client) throws(APIError) in
            _ = try await storeCreation(by: client, in: context)
            let collection = try? client.collectionURL(for: _object)
            let url = try requestURL(to: .delete, by: client)
            // What is asked whether the object is gone is the URL that it is fetched from.
            let own = try? client.ownURL(of: _object, to: .fetch)
            try await delete(at: url, from: collection, checking: own, in: context)
        }
    }

    /// - Parameters:
    ///   - collection: the list that the object is in.
    ///   - own: where a GET tells whether the object is gone; nil for `url`.
    nonisolated(nonsending) func delete(
        at url: RequestURL, from collection: RequestURL?, checking own: RequestURL? = nil, in context: ObjectContext
    ) async throws(APIError) {
        let client = try context.client(of: _object.model)
        do { try context.checkDeletion(of: self) } catch { throw .store(error) }
        var trip = client.roundTrip(.delete, url, about: _object.model, in: context)
            .about(Subject(_object, sending: _object.model.properties, to: client))
        trip.addCondition(about: self)
        let record = _object.record
        let isNew = isInserted
        let former = isNew ? nil : context.underway.requestDeletion(of: record)
        var isKnown = true
        context.beginDeletion(of: record)
        defer { context.endDeletion(of: record, isKnown: isKnown) }
        do throws(APIError) {
            let trip = trip
            try await trip.sendDeletion { await trip.isObjectGone(at: own, from: collection) ?? false }
        } catch {
            isKnown = isNew || error.outcome == .refused
            if isKnown, !isNew { context.underway.endDeletionRequest(of: record, former: former) }
            throw error
        }
        if isInserted {
            context.delete(self)
        } else {
            try await trip.store([WriteBatch.confirmed(deletions: [_object.record])])
        }
    }
}
