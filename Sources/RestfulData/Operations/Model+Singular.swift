public import ObjectStore
import RESTTransport

extension SingularModel {
    /// Fetches the one object of this model, and imports it: a `GET` of its base URL.
    ///
    /// ```swift
    /// @Model("/account/preferences", singular: true)
    /// final class Preferences {
    ///     var theme = "light"
    /// }
    ///
    /// let preferences = try await Preferences.fetch(in: store.main)   // GET /account/preferences
    /// ```
    ///
    /// The reply may lack an identity. If each parent has an object, use the parent's relationship:
    /// `repository.$pages.fetch()`.
    ///
    /// - Parameters:
    ///   - policy: nil for the policy of the call, model or API.
    ///   - context: the context of the object.
    ///   - settings: changes the call's ``Call``: `{ $0.timeout = .seconds(5) }`.
    /// - Returns: the object.
    /// - Throws: ``APIError``; nothing was stored. ``APIError/noObject(model:_:_:)`` if the reply is a list, or lacks
    ///   the model's properties. ``RouteProblem/needsMore(model:template:)`` for a base URL with placeholders.
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

    /// The one object of this model in the store.
    ///
    /// - Returns: nil until it is fetched or made locally. Of several, any.
    /// - Throws: ``StoreError`` if reading the file fails.
    public static func stored(in context: ObjectContext) throws(StoreError) -> Self? {
        try context.query(Self.self).limit(1).fetch().first
    }
}
