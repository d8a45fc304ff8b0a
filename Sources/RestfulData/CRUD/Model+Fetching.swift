public import Conventions
import HTTPTypes
public import ObjectStore
import RESTTransport

extension Model {
    /// Fetches one object from a URL template, and imports it.
    ///
    /// ```swift
    /// let octocat = try await User.fetch("/users/:login", ["login": "octocat"], in: store.main)
    /// ```
    ///
    /// One GET request. The reply is parsed, written in one transaction and committed off this actor; the change is merged
    /// into every context before this returns.
    ///
    /// - Parameters:
    ///   - template: a path below the API's base URL, or an absolute URL, with `:name` for each value.
    ///   - values: what stands for the names.
    ///   - query: what is added to the URL's query.
    ///   - keyPath: the keys that lead to the object in the reply, with dots between, where it is not the whole: `"data.user"`.
    ///   - context: where the object is to live.
    /// - Returns: the object: the one that is live in the context already, if it is. Of a list, the first.
    /// - Throws: ``APIError``; nothing was written then. ``APIError/noObject(model:_:_:)`` when the reply holds no such
    ///   object; what else it held is in the store.
    public nonisolated(nonsending) static func fetch(
        _ template: String, _ values: [String: RouteValue] = [:], query: KeyValuePairs<String, RouteValue> = [:],
        at keyPath: String? = nil, in context: ObjectContext
    ) async throws(APIError) -> Self {
        let (bridge, table) = try context.bridge(to: Self.self)
        let path = try RouteTemplate(route: template).url(with: values, bridge)
        return try await fetchOne(url(path, query: query), at: keyPath, bridge, table, in: context)
    }

    /// Fetches the object of a key, `GET base/:key`, and imports it.
    ///
    /// ```swift
    /// let octocat = try await User.fetch(key: "octocat", in: store.main)      // @Model("/users", key: "login")
    /// ```
    ///
    /// - Parameters:
    ///   - key: the value of the property that names the object in its URL.
    ///   - context: where the object is to live.
    /// - Returns: the object: the one that is live in the context already, if it is.
    /// - Throws: ``APIError``, as the other `fetch`. ``RouteProblem/needsMore(model:template:)`` where the base URL has
    ///   placeholders of its own.
    public nonisolated(nonsending) static func fetch(
        key: some AttributeValue, at keyPath: String? = nil, in context: ObjectContext
    ) async throws(APIError) -> Self {
        let (bridge, table) = try context.bridge(to: Self.self)
        let (template, property) = try bridge.objectTemplate(table)
        if let url = try bridge.absoluteURL(key.stored, property) {
            return try await fetchOne(url, at: keyPath, bridge, table, in: context)
        }
        guard template.placeholders.count == 1 else {
            throw .route(.needsMore(model: table.modelName, template: template.description))
        }
        let value = RouteValue(key: key, of: table, in: context)
        let path = try template.url(with: [template.placeholders[0].name: value], bridge)
        return try await fetchOne(path, at: keyPath, bridge, table, in: context)
    }

    private nonisolated(nonsending) static func fetchOne(
        _ url: String, at keyPath: String?, _ bridge: Bridge, _ table: ModelSchema, in context: ObjectContext
    ) async throws(APIError) -> Self {
        let listing = Listing(
            bridge: bridge, url: url, request: ImportRequest(table, at: keyPath), asksForList: false)
        let result = try await listing.fetch(.first, in: context)
        guard let object = context.objects(Self.self, table.index, result.ids).first else {
            throw .noObject(
                model: table.modelName, result.report, result.summary ?? RequestSummary(method: "GET", url: url))
        }
        return object
    }

    /// Fetches a list of objects from a URL template, or from the model's base URL, and imports it.
    ///
    /// ```swift
    /// let users = try await User.fetchAll(query: ["since": 1000], in: store.main)         // GET /users?since=1000
    /// let found = try await User.fetchAll("/search", query: ["q": "ada"], at: "data.items", in: store.main)
    /// ```
    ///
    /// - Parameters: as ``fetch(_:_:query:at:in:)``'s; without a template, the base URL is the template.
    ///   - pages: whether to follow the reply's `Link` to further pages.
    /// - Returns: the objects in the server's order. None where the server answers 304, as only middleware makes it do.
    /// - Throws: ``APIError``; of several pages, those that came are in the store.
    public nonisolated(nonsending) static func fetchAll(
        _ template: String? = nil, _ values: [String: RouteValue] = [:], query: KeyValuePairs<String, RouteValue> = [:],
        at keyPath: String? = nil, pages: Pages = .first, in context: ObjectContext
    ) async throws(APIError) -> [Self] {
        try await fetchAllReporting(template, values, query: query, at: keyPath, pages: pages, in: context).objects
    }

    /// The same with the report of what it did to the store, which is summed over the pages.
    public nonisolated(nonsending) static func fetchAllReporting(
        _ template: String? = nil, _ values: [String: RouteValue] = [:], query: KeyValuePairs<String, RouteValue> = [:],
        at keyPath: String? = nil, pages: Pages = .first, in context: ObjectContext
    ) async throws(APIError) -> Imported<Self> {
        let (bridge, table) = try context.bridge(to: Self.self)
        let route = if let template { try RouteTemplate(route: template) } else { try bridge.modelRoutes(table).base }
        if template == nil, values.isEmpty, !route.placeholders.isEmpty {
            throw .route(.needsMore(model: table.modelName, template: route.description))
        }
        let listing = Listing(
            bridge: bridge, url: url(try route.url(with: values, bridge), query: query),
            request: ImportRequest(table, at: keyPath))
        let result = try await listing.fetch(pages, in: context)
        return Imported(objects: context.objects(Self.self, table.index, result.ids), report: result.report)
    }
}

extension ObjectContext {
    /// The way to the API, and the table of a model.
    fileprivate func bridge<M: Model>(to type: M.Type) throws(APIError) -> (Bridge, ModelSchema) {
        let bridge = try bridge()
        let table: ModelSchema
        do { table = try self.table(of: type) } catch { throw .store(error) }
        guard !table.isEmbedded else { throw .store(.embeddedObject(model: table.modelName)) }
        return (bridge, table)
    }
}

extension RouteTemplate {
    init(route text: String) throws(APIError) {
        do { try self.init(text) } catch { throw .route(.template(error)) }
    }

    /// The URL for values, spelt as the API does.
    func url(with values: [String: RouteValue], _ bridge: Bridge) throws(APIError) -> String {
        do {
            return try checked(against: values.keys.sorted()).styled(by: bridge.api.conventions.urls).expand(values)
        } catch {
            throw .route(.template(error))
        }
    }
}
