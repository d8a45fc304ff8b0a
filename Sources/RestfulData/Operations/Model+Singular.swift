public import ObjectStore
import RESTTransport

extension SingularModel {
    /// Fetches the one object of this model, `GET` of its base URL, and imports it.
    ///
    /// ```swift
    /// @Model("/account/preferences", singular: true)
    /// final class Preferences {
    ///     var theme = "light"
    /// }
    ///
    /// let preferences = try await Preferences.fetch(in: store.main)        // GET /account/preferences
    /// preferences.theme = "dark"
    /// try await preferences.save()                                         // PATCH /account/preferences {"theme":"dark"}
    /// ```
    ///
    /// The object needs no identity in the reply: a store has one row of such a model. Where there is one for each
    /// parent, fetch it through the relationship of the parent: `repository.$pages.fetch()`.
    ///
    /// - Parameters:
    ///   - policy: whether the server is asked; nil for what the model or API says.
    ///   - context: where the object is to live.
    ///   - settings: the call's own ``Call``: `{ $0.timeout = .seconds(5) }`.
    /// - Returns: the object: the one that is live in the context already, if it is.
    /// - Throws: ``APIError``; nothing was written then. ``APIError/noObject(model:_:_:)`` for a reply that is a list,
    ///   or has nothing of the model. ``RouteProblem/needsMore(model:template:)`` for a base URL with placeholders.
    public nonisolated(nonsending) static func fetch(
        _ policy: FetchPolicy? = nil, in context: ObjectContext, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Self {
        let (client, model) = try context.clientAndModel(Self.self)
        return try await Call.with(settings) { () async throws(APIError) in
            let url = try client.callURL(try client.listURL(of: model, template: nil, values: [:]))
            return try await client.roundTrip(.get, url, about: model, asking: .object, in: context)
                .keeping(model.purpose(.object), by: policy).fetchObject(Self.self) { () throws(APIError) in
                    do throws(StoreError) { return try stored(in: context) } catch { throw .store(error) }
                }
        }
    }

    /// The one object of this model, as it is here.
    ///
    /// - Returns: nil if it was neither fetched nor made here. Of a model that has one object for each parent, any of
    ///   them.
    /// - Throws: ``StoreError`` if the file can't be read.
    public static func stored(in context: ObjectContext) throws(StoreError) -> Self? {
        try context.query(Self.self).limit(1).fetch().first
    }
}
