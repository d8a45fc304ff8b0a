import Conventions
import Foundation
public import ObjectStore

extension Model {
    /// Fetches and imports the changes since the last call, from the feed that the model declares.
    ///
    /// ```swift
    /// @Model("/issues", changes: "/issues?since=:updated_at") final class Issue { … }
    ///
    /// try await Issue.fetchChanges(in: store.main) // GET /issues, all pages, the first time
    /// try await Issue.fetchChanges(in: store.main) // GET /issues?since=2026-11-23T10:00:00Z
    /// ```
    ///
    /// The store keeps the position in the feed, which moves on after all pages were fetched. Pages are fetched twice
    /// if ``Pruning`` requires it as a proof, so that no moved object is missed. Deletions are reported as declared by
    /// ``APIConventions/Tombstones``.
    ///
    /// For another account, use another store. An element without an identity is reported once.
    ///
    /// - Parameters:
    ///   - values: the values of other names in the template.
    ///   - pruning: the treatment of objects that a listing from the beginning omits: the first one, and one after an
    ///     expired position. With ``Pruning/delete``, the feed must list everything that the store may have. With
    ///     `values`, objects are never deleted.
    ///   - context: the context of the objects.
    ///   - settings: changes the ``Call``, except its ``Call/path``.
    /// - Returns: the changed objects, and the report of the import.
    /// - Throws: ``APIError``; imported pages stay, and the next call starts at the same position. ``RouteProblem`` if
    ///   the model declares no changes. A 410 for an expired token lists everything again.
    @discardableResult
    public nonisolated(nonsending) static func fetchChanges(
        _ values: [String: any RouteValueConvertible] = [:], prune pruning: Pruning = .never, in context: ObjectContext,
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> Imported<Self> {
        try await Call.with(settings) { () async throws(APIError) in
            try await changes(values, prune: pruning, in: context)
        }
    }

    private nonisolated(nonsending) static func changes(
        _ values: [String: any RouteValueConvertible], prune pruning: Pruning, in context: ObjectContext
    ) async throws(APIError) -> Imported<Self> {
        let (client, model) = try context.clientAndModel(Self.self)
        let feed = try FeedRequest(of: model, values, at: client)
        let key = Listing.Key(model, scope: "changes of \(feed.first.scopeWithPath)")
        let token: String?
        // A narrowed call may be about other objects.
        let isOther = Call.current.narrowsLists(at: client)
        do { token = isOther ? nil : try context.listing(key)?.token } catch { throw .store(error) }
        let asked = try feed.url(after: token, at: client)
        do throws(APIError) {
            return try await changes(
                from: asked, feed, key, prune: (token == nil ? pruning : .never, values.isEmpty), in: context)
        } catch {
            guard token != nil, case .reply(let reply) = error, reply.status == 410 else { throw error }
            return try await changes(from: feed.first, feed, key, prune: (pruning, values.isEmpty), in: context)
        }
    }

    private nonisolated(nonsending) static func changes(
        from url: RequestURL, _ feed: FeedRequest, _ key: Listing.Key, prune pruning: (Pruning, isOfAll: Bool),
        in context: ObjectContext
    ) async throws(APIError) -> Imported<Self> {
        let (client, model) = try context.clientAndModel(Self.self)
        var walk = PageWalk(first: client.roundTrip(.get, url, about: model, asking: .list, in: context))
        walk.first.purpose = model.purpose(.list)
        (walk.pruning, walk.isOfAll) = pruning
        walk.isFeed = true
        walk.listing = key
        walk.newest = feed.newest
        let began = try walk.begin()
        let listing = feed.isInBody ? walk.reloading : walk
        let (course, last) = try await API.reporting { () async throws(APIError) in
            var (course, ahead, last) = (began, nil as RequestAhead?, nil as Reply?)
            while let step = try await listing.step(&course, &ahead) { last = step.reply }
            return (try await walk.finish(course, isPaged: true), last)
        }.value
        let result = try Imported<Self>(course, in: context)
        // If the import kept newer local values, the next call fetches their objects again.
        guard let last, !course.hasKeptNewer, !course.isNarrowed, try await walk.isProven(course) else { return result }
        do {
            if let token = feed.token(after: course.newest, last, in: context), let former = try context.listing(key) {
                var known = former
                known.token = token
                try context.openFile().note(known, over: former, isLast: true)
            }
        } catch {
            throw .store(error)
        }
        return result
    }
}

extension PageWalk {
    fileprivate var reloading: PageWalk {
        var walk = self
        walk.first = first.reloading
        return walk
    }
}
