public import Conventions
import HTTPTypes
public import ObjectStore
import RESTTransport

/// A relationship of one object, through which its routes are called: `repository.$issues`.
///
/// `Value` is the property's type: `[Issue]` for a list, `User?` for at most one object.
public struct Relationship<Owner: Model, Value> {
    public let owner: Owner
    let property: Int

    public init<D: Model>(of owner: Owner, _ token: ToOne<Owner, D>) where Value == D? {
        self.owner = owner
        self.property = token.description.index
    }

    public init<D: Model>(of owner: Owner, _ token: ToMany<Owner, D>) where Value == [D] {
        self.owner = owner
        self.property = token.description.index
    }

    /// For an attribute whose type could have been a model's, as far as a macro can tell: it has no routes.
    public init(of owner: Owner, _ token: Attribute<Owner, Value>) where Value: Sendable {
        self.owner = owner
        self.property = token.description.index
    }

    private var compiled: Property { owner._object.table.properties[property] }

    /// The list's own URL, and whether its members' URLs are their own.
    private func route(_ bridge: Bridge, _ context: Context) throws(APIError) -> (url: String, isDerived: Bool) {
        let table = owner._object.table
        guard let route = bridge.routes.route(of: property, in: table) else {
            throw .route(
                .noRoute(
                    of: "\(table.modelName).\(compiled.name)",
                    needs: "register one, as in @Relationship(\"/\(table.name)s/:id/\(compiled.name)\")"))
        }
        return (try route.template.url(for: owner._object, context.schema), route.isDerived)
    }
}

// MARK: To-many

extension Relationship {
    /// Fetches the list: `GET` of its route. What comes becomes the list, in the server's order.
    ///
    /// Members that the reply leaves out are unlinked, not deleted, and only where the reply is the whole list: a page of
    /// several, or one that a `query` narrows, is merged in.
    ///
    /// ```swift
    /// let repositories = try await octocat.$repositories.fetch(pages: .all())
    /// ```
    ///
    /// - Parameters:
    ///   - query: what is added to the URL's query.
    ///   - pages: whether to follow the reply's `Link` to further pages.
    /// - Returns: the objects that came, live in the owner's context, in the server's order.
    /// - Throws: ``APIError``; the list is as it was, or, of several pages, has those that came.
    @discardableResult
    public nonisolated(nonsending) func fetch<D: Model>(
        query: KeyValuePairs<String, RouteValue> = [:], pages: Pages = .first
    ) async throws(APIError) -> [D] where Value == [D] {
        let context = try owner.liveContext()
        let bridge = try context.bridge()
        let path = try route(bridge, context).url
        guard let list = compiled.list else { return [] }
        try await saveOwner(in: context)
        var request = ImportRequest(table: list.target)
        request.membership = ImportRequest.Membership(
            table: owner._object.table.index, property: property, owner: owner._object.localID,
            isWhole: query.isEmpty)
        let listing = Listing(bridge: bridge, url: url(path, query: query), request: request)
        let ids = try await listing.fetch(pages, in: context).ids
        return context.objects(D.self, list.target, ids)
    }

    /// An owner that is in no file yet has no row that members could lead to.
    private nonisolated(nonsending) func saveOwner(in context: Context) async throws(APIError) {
        guard owner.isInserted else { return }
        let batch = context.batch(of: [owner])
        do { try await context.openFile().write([batch]) } catch { throw .store(error) }
        context.noteSaved(batch)
    }

    /// Creates an object as a member of this list: `POST` to its route with what was set, the reply imported into this same
    /// instance, and links both.
    ///
    /// ```swift
    /// let issue = Issue(in: store.main)
    /// issue.title = "Found a bug"
    /// try await repository.$issues.add(issue)      // POST /repos/octocat/Hello-World/issues
    /// ```
    ///
    /// - Throws: ``APIError``; neither object has changed, and the member can be added again.
    public nonisolated(nonsending) func add<D: Model>(_ member: D) async throws(APIError) where Value == [D] {
        let context = try owner.liveContext()
        guard try member.liveContext() === context else {
            throw .store(.foreignObject(model: member._object.table.modelName))
        }
        let bridge = try context.bridge()
        let path = try route(bridge, context).url
        guard let list = compiled.list else { return }
        try await saveOwner(in: context)
        if case .column(let link, _, _) = list.storage {
            try await member.send(.post, path, bridge, in: context, linking: (link, owner._object.localID))
        } else {
            try await member.send(.post, path, bridge, in: context)
        }
        try await append(member, in: context)
    }

    /// Stores the member as the list's last, which the server has confirmed.
    private nonisolated(nonsending) func append(_ member: any Model, in context: Context) async throws(APIError) {
        let members = owner._object.memberIDs(compiled)
        let id = member._object.localID
        try await store(members.filter { $0 != id } + [id], in: context)
    }

    private nonisolated(nonsending) func store(_ members: [Int64], in context: Context) async throws(APIError) {
        var batch = WriteBatch()
        batch.isConfirmed = true
        batch.memberships = [
            WriteBatch.Membership(
                table: owner._object.table.index, property: property, owner: owner._object.localID, members: members)
        ]
        do { try await context.openFile().write([batch]) } catch { throw .store(error) }
    }

    /// Removes a member at the server: `DELETE` of the list's route, `/` and the member's key.
    ///
    /// Where the route is derived from the members' own base URL, this is the member's own URL, and the member is deleted
    /// here too. Where it was registered for the relationship, the member only leaves the list. A reply of 404 or 410 says
    /// that it is gone already, and has the same effect.
    ///
    /// - Throws: ``APIError``; nothing has changed here.
    public nonisolated(nonsending) func delete<D: Model>(_ member: D) async throws(APIError) where Value == [D] {
        let context = try owner.liveContext()
        guard try member.liveContext() === context else {
            throw .store(.foreignObject(model: member._object.table.modelName))
        }
        let bridge = try context.bridge()
        let (path, isDerived) = try route(bridge, context)
        let url = try path + "/" + memberKey(member._object, context.schema)
        if isDerived {
            try await member.delete(at: url, bridge, in: context)
            return
        }
        do {
            _ = try await Exchange(bridge: bridge, method: .delete, url: url, table: member._object.table).send()
        } catch {
            guard error.reply?.kind == .notFound else { throw error }
        }
        let members = owner._object.memberIDs(compiled)
        try await store(members.filter { $0 != member._object.localID }, in: context)
    }

    private func memberKey(_ member: ObjectState, _ schema: Schema) throws(APIError) -> String {
        guard let key = member.table.key else {
            throw .route(.noRoute(of: member.table.modelName, needs: "declare its key, as in @Model(key:)"))
        }
        let name = member.table.properties[key].jsonPath.joined(separator: ".")
        do {
            let path = try RouteTemplate("/:{\(name)}").url(for: member, schema)
            // A slash within a key would lead to another resource.
            return path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).joined(separator: "%2F")
        } catch let error as RouteTemplateError {
            throw .route(.template(error))
        } catch {
            throw error as? APIError ?? .route(.invalidURL(name))
        }
    }
}

// MARK: To-one

extension Relationship {
    /// Fetches the object that the relationship leads to: from the relationship's own route, or else from the object's own
    /// URL.
    ///
    /// - Returns: the object, live in the owner's context; `nil` where the relationship leads nowhere.
    /// - Throws: ``APIError``; nothing has changed.
    @discardableResult
    public nonisolated(nonsending) func fetch<D: Model>() async throws(APIError) -> D? where Value == D? {
        let context = try owner.liveContext()
        let bridge = try context.bridge()
        guard let link = compiled.link else { return nil }
        guard bridge.routes.route(of: property, in: owner._object.table) != nil else {
            guard let target = owner._object.linkedObject(compiled) as? D else { return nil }
            try await target.fetch()
            return target
        }
        let path = try route(bridge, context).url
        let table = context.schema.tables[link.target]
        let response = try await Exchange(bridge: bridge, method: .get, url: path, table: table).send()
        guard response.hasBody else { return owner._object.linkedObject(compiled) as? D }
        do {
            let file = try context.openFile()
            let outcome = try await file.importBody(response.body, ImportRequest(table: link.target))
            guard let id = outcome.roots.first else { return nil }
            var batch = WriteBatch()
            batch.isConfirmed = true
            batch.rows = [
                WriteBatch.Row(
                    table: owner._object.table.index, id: owner._object.localID, values: [property: .integer(id)],
                    isInsert: false)
            ]
            try await file.write([batch])
            return context.objects(D.self, link.target, [id]).first
        } catch {
            throw APIError(error, response)
        }
    }
}
