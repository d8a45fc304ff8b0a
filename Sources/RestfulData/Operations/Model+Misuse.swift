import Conventions
public import ObjectStore

// These explain mistakes by the compiler's message, and are never called.

extension Model {
    /// Explains a mistake.
    @available(*, unavailable, message: "the policy has a label, as in fetchAll(policy: .offline, in: context)")
    @_disfavoredOverload
    public nonisolated(nonsending) static func fetchAll(
        _ policy: FetchPolicy, query: RouteQuery = [:], at keyPath: JSONKeyPath? = nil, pages: Pages = .first,
        prune pruning: Pruning = .never, in context: ObjectContext
    ) async throws(APIError) -> [Self] { throw .noAPI }

    /// Explains a mistake.
    @available(
        *, unavailable, message: "the policy has a label, as in fetchAll(\"/users\", policy: .offline, in: context)"
    )
    @_disfavoredOverload
    public nonisolated(nonsending) static func fetchAll(
        _ template: String, _ policy: FetchPolicy, query: RouteQuery = [:], at keyPath: JSONKeyPath? = nil,
        pages: Pages = .first, prune pruning: Pruning = .never, in context: ObjectContext
    ) async throws(APIError) -> [Self] { throw .noAPI }

    /// Explains a mistake.
    @available(
        *, unavailable, message: "the policy has a label, as in fetchAllReporting(policy: .offline, in: context)"
    )
    @_disfavoredOverload
    public nonisolated(nonsending) static func fetchAllReporting(
        _ policy: FetchPolicy, query: RouteQuery = [:], at keyPath: JSONKeyPath? = nil, pages: Pages = .first,
        prune pruning: Pruning = .never, in context: ObjectContext
    ) async throws(APIError) -> Imported<Self> { throw .noAPI }

    /// Explains a mistake.
    @available(*, unavailable, message: "the policy has a label, as in pages(policy: .offline, in: context)")
    @_disfavoredOverload
    public static func pages(
        _ policy: FetchPolicy, size: Int? = nil, query: RouteQuery = [:], at keyPath: JSONKeyPath? = nil,
        limit: Int = Pages.usualLimit, in context: ObjectContext
    ) -> PageSequence<Self> { PageSequence(from: nil) { () throws(APIError) in throw .noAPI } }

    /// Explains a mistake.
    @available(*, unavailable, message: "the policy has a label, as in fetch(key: 5, policy: .offline, in: context)")
    @_disfavoredOverload
    public nonisolated(nonsending) static func fetch(
        _ policy: FetchPolicy, key: some AttributeValue, at keyPath: JSONKeyPath? = nil, in context: ObjectContext
    ) async throws(APIError) -> Self { throw .noAPI }

    /// Explains a mistake.
    @available(
        *, unavailable,
        message: "save() sends the object to the server; a context stores its objects, as in try await context.save()"
    )
    @_disfavoredOverload
    public nonisolated(nonsending) func save(_ context: ObjectContext) async throws(APIError) {}

    /// Explains a mistake.
    @available(
        *, unavailable,
        message: "save() sends the object to the server; a context stores its objects, as in try await context.save()"
    )
    @_disfavoredOverload
    public nonisolated(nonsending) func save(in context: ObjectContext) async throws(APIError) {}
}

extension Array where Element: Model {
    /// Explains a mistake.
    @available(
        *, unavailable, message: "a list is fetched by its relationship: user.$posts.fetch(), with a dollar sign"
    )
    @discardableResult
    public nonisolated(nonsending) func fetch(
        _ policy: FetchPolicy? = nil, query: RouteQuery = [:], at keyPath: JSONKeyPath? = nil, pages: Pages = .first,
        prune pruning: Pruning = .unlink
    ) async throws(APIError) -> [Element] { throw .noAPI }

    /// Explains a mistake.
    @available(
        *, unavailable,
        message:
            "the server is told by the relationship: user.$posts.add(post), with a dollar sign; append(_:) edits the list"
    )
    public nonisolated(nonsending) func add(_ member: Element) async throws(APIError) {}

    /// Explains a mistake.
    @available(
        *, unavailable, message: "the server is told by the relationship: user.$posts.delete(post), with a dollar sign"
    )
    public nonisolated(nonsending) func delete(_ member: Element) async throws(APIError) {}
}
