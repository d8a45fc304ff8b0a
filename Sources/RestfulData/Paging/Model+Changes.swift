import Conventions
import Foundation
public import ObjectStore

extension Model {
    /// Fetches what has changed of the model's objects since this was last done, from where the model declares it, and
    /// imports it.
    ///
    /// ```swift
    /// @Model("/issues", changes: "/issues?since=:updated_at") final class Issue { … }
    ///
    /// try await Issue.fetchChanges(in: store.main)              // GET /issues, all pages, the first time
    /// try await Issue.fetchChanges(in: store.main)              // GET /issues?since=2026-11-23T10:00:00Z
    /// ```
    ///
    /// How far it has come is kept in the store, and moves on only with a listing of which all pages have come. One of
    /// several pages that the server counts off is listed twice, as for ``Pruning``, lest something that moved between
    /// two of them be missed for good. What is deleted a service tells by what the API's conventions have as
    /// ``APIConventions/Tombstones``.
    ///
    /// It is the store's, whoever asks: an app that changes accounts takes another store.
    ///
    /// An element that can't be taken, as it has no identity, is left out and told in the report, and not asked for
    /// again.
    ///
    /// - Parameters:
    ///   - values: what stands for the other names in the template.
    ///   - pruning: what becomes of objects of the model that are here and that a listing from the beginning leaves
    ///     out: the first one, and one that begins anew as the server has forgotten how far this had come. With
    ///     ``Pruning/delete`` the feed has to have all of the model that the store may have; of one with `values`
    ///     nothing is deleted.
    ///   - context: where the objects are to live.
    ///   - settings: the call's own ``Call``, but for its ``Call/path``.
    /// - Returns: what has changed, with the report of what that did to the store.
    /// - Throws: ``APIError``; what has come is in the store, and the next time begins where this one did.
    ///   ``RouteProblem`` for a model that declares no changes. 410 to a token that is too old is no error: all is
    ///   listed again.
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
        // Who asks as somebody else has had none of it.
        let isOther = Call.current.narrowsLists
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
        let (course, last) = try await API.reporting { () async throws(APIError) in
            var (course, ahead, last) = (began, nil as RequestAhead?, nil as Reply?)
            while let step = try await walk.step(&course, &ahead) { last = step.reply }
            return (try await walk.finish(course, isPaged: true), last)
        }.value
        let result = try Imported<Self>(course, in: context)
        // What was left as it is here, as that is newer than the question, comes again. What was said to somebody else
        // moves nothing on.
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
