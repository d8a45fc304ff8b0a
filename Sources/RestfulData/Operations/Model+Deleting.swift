import HTTPTypes
public import ObjectStore
import RESTTransport

extension Model {
    /// Deletes this object at the server, and then locally: `DELETE base/:key`, with the server's key.
    ///
    /// This waits for requests in flight about this object or with a link to it.
    ///
    /// A 410 counts as a success, as does a 404 if a GET of the object finds none and a GET of its collection succeeds
    /// (``APIConventions/notFoundDeletions``).
    ///
    /// After an unknown outcome, such as a timeout, the object stays until a whole list that had it, or a list of all
    /// objects, omits it. It also stays if it was edited since.
    ///
    /// If a relationship denies the deletion, nothing is sent. After the server's deletion, objects that refer to it
    /// are unlinked, under any rule. Edits made meanwhile are lost, and the context's next save reports them
    /// (``StoreError/deletedObject(model:)``).
    ///
    /// - Throws: ``APIError``; the object still exists. ``StoreError/deleteDenied(model:identity:relationship:count:)``
    ///   in ``APIError/store(_:)``. ``APIError/notYetCreated(model:)`` if the object isn't created yet and lacks a key.
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
    /// The URL at which a GET checks whether the object is gone; nil for `url`.
    var own: RequestURL?
}
