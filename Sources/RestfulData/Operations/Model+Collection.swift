public import ObjectStore
import RESTTransport

extension Model {
    /// Deletes all objects of this model at the server and here, by one `DELETE` of the model's base URL.
    ///
    /// ```swift
    /// try await Notification.deleteAll(in: store.main)                     // DELETE /notifications
    /// ```
    ///
    /// After a success all objects that the server knows are deleted here, in one transaction, with what their
    /// relationships declare to be deleted with them. An object stays if it is new, has an edit that the server doesn't
    /// have, or has changed since the request was sent, as the server may have it still.
    ///
    /// - Parameters:
    ///   - context: the context that waits for the deletion.
    ///   - settings: the call's own ``Call``.
    /// - Returns: how many objects are deleted here.
    /// - Throws: ``APIError``; nothing is deleted here then. ``RouteProblem/needsMore(model:template:)`` for a base URL
    ///   with placeholders. ``APIError/unstored(_:_:)`` if the file can't be written after the success.
    /// - Complexity: linear in the objects of the model.
    @discardableResult
    public nonisolated(nonsending) static func deleteAll(
        in context: ObjectContext, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Int {
        let (client, model) = try context.clientAndModel(Self.self)
        return try await Call.with(settings) { () async throws(APIError) in
            let url = try client.callURL(try client.listURL(of: model, template: nil, values: [:]))
            let question = context.underway.ask()
            defer { withExtendedLifetime(question) {} }
            let rows: [RecordID]
            do throws(StoreError) { rows = try context.settledRows(of: model) } catch { throw .store(error) }
            let reply = try await client.roundTrip(.delete, url, about: model, in: context).send()
            do throws(StoreError) {
                return try await context.prune(rows, askedAt: question.stamp, after: WriteBatch()).count
            } catch {
                throw APIError(ofUnstored: error, reply.request)
            }
        }
    }

    /// Asks the server a question about this object that it answers with yes or no: `GET`, of which a success is yes
    /// and 404 is no.
    ///
    /// ```swift
    /// let isStarred = try await repository.check("/user/starred/:full_name")       // 204 or 404
    /// ```
    ///
    /// Nothing is stored. A mistyped path is answered with 404 as well.
    ///
    /// - Parameters:
    ///   - template: a path below the API's base URL, or an absolute URL. A name takes its value from this object:
    ///     `:id`, `:owner.login`. Interpolate all other values.
    ///   - query: parameters that are added to the URL.
    ///   - settings: the call's own ``Call``.
    /// - Returns: whether the server answered with a status of 200 to 299.
    /// - Throws: ``APIError`` for any other status than 404, and if there is no reply.
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
