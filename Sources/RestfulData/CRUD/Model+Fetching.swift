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
    ///   - context: where the object is to live.
    /// - Returns: the object: the one that is live in the context already, if it is.
    /// - Throws: ``APIError``; nothing was written then. ``APIError/body(_:_:)`` when the reply holds no such object.
    public nonisolated(nonsending) static func fetch(
        _ template: String, _ values: [String: RouteValue] = [:], query: KeyValuePairs<String, RouteValue> = [:],
        in context: Context
    ) async throws(APIError) -> Self {
        let objects = try await fetchAll(template, values, query: query, in: context)
        guard let object = objects.first else {
            throw .route(.noRoute(of: "\(Self.self)", needs: "the reply to \(template) holds no \(Self.self)"))
        }
        return object
    }

    /// Fetches a list of objects from a URL template, or from the model's base URL, and imports it.
    ///
    /// - Parameters: as ``fetch(_:_:query:in:)``'s; without a template, the base URL is the template.
    ///   - pages: whether to follow the reply's `Link` to further pages.
    /// - Returns: the objects in the server's order.
    public nonisolated(nonsending) static func fetchAll(
        _ template: String? = nil, _ values: [String: RouteValue] = [:], query: KeyValuePairs<String, RouteValue> = [:],
        pages: Pages = .first, in context: Context
    ) async throws(APIError) -> [Self] {
        let bridge = try context.bridge()
        let table: Table
        do { table = try context.table(of: Self.self) } catch { throw .store(error) }
        let path: String
        do {
            path = try (template.map { text throws(RouteTemplateError) in try RouteTemplate(text) } ?? bridge.base(table))
                .expand(values)
        } catch let error as RouteTemplateError {
            throw .route(.template(error))
        } catch {
            throw error as? APIError ?? .noAPI
        }
        let listing = Listing(bridge: bridge, url: url(path, query: query), request: ImportRequest(table: table.index))
        let ids = try await listing.fetch(pages, in: context).ids
        return context.objects(Self.self, table.index, ids)
    }

    /// Fetches this object anew from its own URL, `GET base/:key`, into this same instance and every other context's.
    ///
    /// Properties with unsaved edits keep them. A reply of 304 changes nothing.
    ///
    /// - Throws: ``APIError``; the object is as it was.
    public nonisolated(nonsending) func fetch() async throws(APIError) {
        let context = try liveContext()
        let bridge = try context.bridge()
        let exchange = Exchange(
            bridge: bridge, method: .get, url: try bridge.objectURL(_object, context.schema), table: _object.table)
        try await importReply(try await exchange.send(), in: context)
    }

    /// Imports what a reply says of this object.
    nonisolated(nonsending) func importReply(
        _ response: Response, in context: Context, after batches: [WriteBatch] = [],
        confirming confirmed: [StoreFile.Confirmation] = []
    ) async throws(APIError) {
        do {
            let file = try context.openFile()
            guard response.hasBody else {
                try await file.write(batches, confirming: confirmed)
                return
            }
            var request = ImportRequest(table: _object.table.index)
            request.target = _object.localID
            _ = try await file.importBody(response.body, request, after: batches, confirming: confirmed)
        } catch {
            throw APIError(error, response)
        }
    }

    /// The context, for an operation on an object that is there.
    func liveContext() throws(APIError) -> Context {
        guard !isDeleted else { throw .store(.deletedObject(model: _object.table.modelName)) }
        guard let context else { throw .store(.endedContext) }
        return context
    }
}

/// How much of a paged list is fetched.
public enum Pages: Sendable, Hashable {
    /// The page that the URL gives.
    case first
    /// All pages, by the replies' `Link` fields with `rel="next"` (RFC 8288), at most this many.
    case all(limit: Int = 1000)
}

extension Bridge {
    func base(_ table: Table) throws(APIError) -> RouteTemplate {
        guard let routes = routes.models[table.index] else {
            throw .route(
                .noRoute(of: table.modelName, needs: "declare its base URL, as in @Model(\"/\(table.name)s\")"))
        }
        return routes.base
    }

    /// The object's own URL.
    func objectURL(_ object: ObjectState, _ schema: Schema) throws(APIError) -> String {
        let table = object.table
        guard let template = routes.models.indices.contains(table.index) ? routes.models[table.index]?.object : nil else {
            throw .route(
                .noRoute(
                    of: table.modelName, needs: "declare its base URL and key, as in @Model(\"/\(table.name)s\")"))
        }
        return try template.url(for: object, schema)
    }
}
