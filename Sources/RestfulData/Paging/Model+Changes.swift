import Conventions
import Foundation
public import ObjectStore

extension Model {
    /// Fetches what has changed of the model's objects since this was last done, from where the model declares it, and imports it.
    ///
    /// ```swift
    /// @Model("/issues", changes: "/issues?since=:updated_at") final class Issue { … }
    ///
    /// try await Issue.fetchChanges(in: store.main)              // GET /issues, all pages, the first time
    /// try await Issue.fetchChanges(in: store.main)              // GET /issues?since=2026-11-23T10:00:00Z
    /// ```
    ///
    /// How far it has come is kept in the store, and moves on only with a listing of which all pages have come. One of several pages
    /// that the server counts off is listed twice, as for ``Pruning``, lest something that moved between two of them be missed for
    /// good. What is deleted a service tells by what the API's conventions have as ``APIConventions/Tombstones``.
    ///
    /// It is the store's, whoever asks: an app that changes accounts takes another store.
    ///
    /// - Parameters:
    ///   - values: what stands for the other names in the template.
    ///   - context: where the objects are to live.
    /// - Returns: what has changed, with the report of what that did to the store.
    /// - Throws: ``APIError``; what has come is in the store, and the next time begins where this one did. ``RouteProblem`` for a
    ///   model that declares no changes. 410 to a token that is too old is no error: all is listed again.
    @discardableResult
    public nonisolated(nonsending) static func fetchChanges(
        _ values: [String: any RouteValueConvertible] = [:], in context: ObjectContext
    ) async throws(APIError) -> Imported<Self> {
        let (client, model) = (try context.client(), try context.model(Self.self))
        let feed = try FeedRequest(of: model, values, at: client)
        let key = Listing.Key(model, scope: "changes of \(feed.first.scopeWithPath)")
        let token: String?
        do { token = try context.listing(key)?.token } catch { throw .store(error) }
        let asked = try feed.url(after: token, at: client)
        do throws(APIError) {
            return try await changes(from: asked, feed, key, in: context)
        } catch {
            guard token != nil, case .reply(let reply) = error, reply.status == 410 else { throw error }
            return try await changes(from: feed.first, feed, key, in: context)
        }
    }

    private nonisolated(nonsending) static func changes(
        from url: RequestURL, _ feed: FeedRequest, _ key: Listing.Key, in context: ObjectContext
    ) async throws(APIError) -> Imported<Self> {
        let (client, model) = (try context.client(), try context.model(Self.self))
        var walk = PageWalk(first: client.roundTrip(.get, url, about: model, asking: .list, in: context))
        walk.first.purpose = model.purpose(.list)
        walk.pruning = .never
        walk.listing = key
        let (began, last) = (try walk.begin(), Box<Reply>())
        let course = try await API.reporting { () async throws(APIError) in
            var course = began
            var ahead: RequestAhead?
            while let step = try await walk.step(&course, &ahead) { last.value = step.reply }
            return try await walk.finish(course, isPaged: true)
        }.value
        let result = Imported<Self>(course, in: context)
        guard let reply = last.value, try await walk.isProven(course) else { return result }
        do {
            if let token = feed.token(after: result.objects.map(\._object), reply),
                let former = try context.listing(key)
            {
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

/// What a loop leaves behind.
private final class Box<Value> {
    var value: Value?
}

/// What is asked of a feed of changes.
private struct FeedRequest {
    /// Where all of it is listed.
    let first: RequestURL
    private let feed: ChangeFeed
    /// What takes the newest value of an attribute.
    private var since: (parameter: String, attribute: Property)?

    init(
        of model: ModelSchema, _ values: [String: any RouteValueConvertible], at client: APIClient
    ) throws(APIError) {
        guard let feed = model.options.changes ?? client.schema[model.table].options.changes else {
            throw .route(
                .noRoute(
                    of: model.modelName, needs: "its changes, as in @Model(changes: \"/issues?since=:updated_at\")"))
        }
        self.feed = feed
        var template = feed.template
        if feed.kind == .since {
            let parts = template.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            var kept: [Substring] = []
            for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
                let sides = pair.split(separator: "=", maxSplits: 1)
                let name = sides.count == 2 && sides[1].first == ":" ? String(sides[1].dropFirst()) : ""
                if values[name] == nil, let attribute = model.attribute(named: name) {
                    since = (String(sides[0]), attribute)
                } else {
                    kept.append(pair)
                }
            }
            guard since != nil else {
                let reason =
                    "a parameter that takes an attribute, as in \"/issues?since=:updated_at\", in \"\(template)\""
                throw .route(.noRoute(of: model.modelName, needs: reason))
            }
            template = parts[0] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
        }
        first = try RequestURL(template, values, at: client)
    }

    /// What is asked once it has come so far.
    func url(after token: String?, at client: APIClient) throws(APIError) -> RequestURL {
        guard let token else { return first }
        switch feed.kind {
        case .since: return since.map { first.replacing($0.parameter, by: token) } ?? first
        case .token(_, let parameter): return first.replacing(parameter, by: token)
        case .link: return RequestURL(token)
        }
    }

    /// How far it has come, when all of it has; nil where that is where it was.
    func token(after objects: [ObjectState], _ last: Reply) -> String? {
        switch feed.kind {
        case .since:
            guard let attribute = since?.attribute else { return nil }
            let newest = objects.map(\.known).filter { !$0.storedValue(attribute).isNull }
                .max { $0.storedValue(attribute).isBefore($1.storedValue(attribute)) }
            return newest.flatMap { KeyPathResolver.value(of: attribute, in: $0).text }
        case .link(let keyPath), .token(let keyPath, _):
            let paths = keyPath.alternatives
            let outline = ReplyOutline(last.body, at: paths, around: [], with: PageSigns())
            let text = paths.lazy.compactMap { outline[$0]?.text }.first
            return text.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}

extension ModelSchema {
    /// The attribute of a key path in JSON's naming.
    fileprivate func attribute(named name: String) -> Property? {
        let path = name.split(separator: ".").map(String.init)
        return properties.first { $0.link == nil && $0.list == nil && $0.jsonPath == path }
    }
}

extension StoredValue {
    /// Whether one value of an attribute comes before another: by number, or as text.
    fileprivate func isBefore(_ other: StoredValue) -> Bool {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)): left < right
        case (.integer(let left), .real(let right)): Double(left) < right
        case (.real(let left), .integer(let right)): left < Double(right)
        case (.text(let left), .text(let right)): left < right
        default: false
        }
    }
}
