public import Conventions
import HTTPTypes
public import ObjectStore
import RESTTransport

extension Relationship {
    /// Fetches the list: `GET` of its route. What comes becomes the list, in the server's order.
    ///
    /// Members that the reply leaves out are unlinked, not deleted, and only where the reply is the whole list: a page of
    /// several, one that a `query` narrows, or one with an element that is no object with an identity, is merged in.
    ///
    /// ```swift
    /// let repositories = try await octocat.$repositories.fetch(pages: .all())
    /// ```
    ///
    /// - Parameters:
    ///   - query: what is added to the URL's query.
    ///   - keyPath: the keys that lead to the list in the reply, with dots between, where it is not the whole: `"data.items"`.
    ///   - pages: whether to follow the reply's `Link` to further pages.
    /// - Returns: the objects that came, live in the owner's context, in the server's order; the list as it is where the
    ///   server answers 304.
    /// - Throws: ``APIError``; the list is as it was, or, of several pages, has those that came.
    @discardableResult
    public nonisolated(nonsending) func fetch<D: Model>(
        query: KeyValuePairs<String, RouteValue> = [:], at keyPath: String? = nil, pages: Pages = .first
    ) async throws(APIError) -> [D] where Value == [D] {
        try await fetchReporting(query: query, at: keyPath, pages: pages).objects
    }

    /// The same with the report of what it did to the store, which is summed over the pages.
    ///
    /// ```swift
    /// let again = try await repository.$issues.fetchReporting(pages: .all())
    /// print(again.report)                                              // 0 inserted, 0 updated, 65 unchanged
    /// ```
    public nonisolated(nonsending) func fetchReporting<D: Model>(
        query: KeyValuePairs<String, RouteValue> = [:], at keyPath: String? = nil, pages: Pages = .first
    ) async throws(APIError) -> Imported<D> where Value == [D] {
        let context = try owner.liveContext()
        let bridge = try context.bridge()
        let path = try route(bridge, context).url
        guard let list = compiled.list else { return Imported(objects: [], report: ImportReport()) }
        let isWhole = query.isEmpty && !list.options.merges
        let result = try await fetch(
            url(path, query: query), at: keyPath, isWhole: isWhole, pages, bridge, in: context)
        if result.isUnmodified { return Imported(objects: members(), report: result.report) }
        return Imported(objects: context.objects(D.self, list.target, result.ids), report: result.report)
    }

    /// Fetches one member by its key, `GET` of the list's route, `/` and the key, and links it to the owner.
    ///
    /// ```swift
    /// let issue = try await repository.$issues.fetch(1347)             // GET /repos/octocat/Hello-World/issues/1347
    /// issue.repository === repository                                   // true
    /// ```
    ///
    /// A part of the member's identity that the reply leaves out is taken from the owner.
    ///
    /// - Parameters:
    ///   - key: what names the member in its URL, as one segment of the path: a slash in it is escaped.
    ///   - keyPath: the keys that lead to the object in the reply, where it is not the whole.
    /// - Returns: the member: the object that is live in the owner's context already, if it is.
    /// - Throws: ``APIError``; nothing was written then. ``APIError/noObject(model:_:_:)`` when the reply holds no such
    ///   object.
    @discardableResult
    public nonisolated(nonsending) func fetch<D: Model>(
        _ key: some AttributeValue, at keyPath: String? = nil
    ) async throws(APIError) -> D where Value == [D] {
        let context = try owner.liveContext()
        let bridge = try context.bridge()
        let path = try route(bridge, context).url
        let address: String
        let target = compiled.list?.target ?? owner._object.table.index
        let value = RouteValue(key: key, of: context.schema.tables[target], in: context)
        do { address = try url(path, member: value) } catch { throw .route(.template(error)) }
        let result = try await fetch(
            address, at: keyPath, isWhole: false, .first, bridge, in: context, asksForList: false)
        guard let member = context.objects(D.self, target, result.ids).first else {
            throw .noObject(
                model: context.schema.target(of: compiled)?.modelName ?? "", result.report,
                result.summary ?? RequestSummary(method: "GET", url: address))
        }
        return member
    }

    private nonisolated(nonsending) func fetch(
        _ url: String, at keyPath: String?, isWhole: Bool, _ pages: Pages, _ bridge: Bridge, in context: ObjectContext,
        asksForList: Bool = true
    ) async throws(APIError) -> Listing.Result {
        guard compiled.list != nil, let target = context.schema.target(of: compiled) else { return Listing.Result() }
        var request = ImportRequest(target, at: keyPath)
        request.membership = membership(isWhole: isWhole)
        let listing = Listing(
            bridge: bridge, url: url, request: request, batches: ownerBatch(in: context), asksForList: asksForList)
        return try await listing.fetch(pages, in: context)
    }
}
