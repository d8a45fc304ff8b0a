public import Foundation
public import ObjectStore
import RESTTransport
import Synchronization

/// The extent to which the store has a list: never fetched, partial, or complete as of some time.
///
/// ```swift
/// let known = repository.$issues.completeness
/// if known.extent != .whole { show("\(known.objectCount) of \(known.totalCount ?? 0) issues") }
/// ```
///
/// The store keeps it across restarts, for each list, its last hundred queries, and each feed of changes. You can
/// observe it.
public struct ListCompleteness: Sendable, Hashable {
    /// The extent of the stored part.
    public enum Extent: Sendable, Hashable {
        /// The list was never fetched, even as part of other replies.
        case never
        /// The store has some of its pages, or some members that came within other objects.
        case part
        /// The store has all of it, as of ``ListCompleteness/wholeAt``. If that is nil, the list came complete within
        /// an object.
        case whole
    }

    /// The extent of the stored part.
    public let extent: Extent
    /// When the complete list was last fetched; nil if unknown. Objects that moved between its pages may be missing.
    ///
    /// For pages fetched in several steps, by ``ListPage/next()`` or from this ``bookmark``, it is the time of the
    /// first step. From another bookmark, the list stays partial until you fetch it with `pages: .all()`.
    public let wholeAt: Date?
    /// When a page was last fetched; nil if none was.
    public let listedAt: Date?
    /// The number of pages of the last complete listing, or else of the last one. A part of a complete list changes
    /// only ``listedAt``.
    public let pageCount: Int
    /// The number of distinct objects on those pages.
    public let objectCount: Int
    /// The server's number of objects; nil if unstated.
    public let totalCount: Int?
    /// The place after the last fetched page; nil if the list is complete or has ended, or if the next URL may contain
    /// a secret.
    public let bookmark: PageBookmark?

    init(_ listing: Listing?, within extent: Extent = .never) {
        wholeAt = listing?.wholeAt.map { Date(timeIntervalSince1970: $0) }
        listedAt = listing.map { Date(timeIntervalSince1970: $0.listedAt) }
        (pageCount, objectCount) = (listing?.pageCount ?? 0, listing?.objectCount ?? 0)
        totalCount = listing?.totalCount
        bookmark = listing.flatMap { try? JSONDecoder().decode(PageBookmark.self, from: Data($0.bookmark)) }
        self.extent = wholeAt != nil || extent == .whole ? .whole : listing != nil || extent == .part ? .part : .never
    }
}

extension ListCompleteness {
    fileprivate init(of list: Property, _ key: Listing.Key, _ record: RecordID, in context: ObjectContext) {
        let listing = (try? context.listing(key)) ?? nil
        guard key.scope.isEmpty, let object = context.object(for: record)?._object else {
            self.init(listing)
            return
        }
        self.init(listing, within: object.isUnloaded(list) ? .never : object.isPartial(list) ? .part : .whole)
    }
}

extension ListCompleteness: CustomStringConvertible {
    /// The completeness in words.
    public var description: String {
        switch extent {
        case .never: return "never listed"
        case .whole:
            guard let wholeAt else { return "whole" }
            return "whole as of \(wholeAt.ISO8601Format())"
        case .part:
            guard let listedAt else { return "a part, within other objects" }
            let total = totalCount.map { " of \($0)" } ?? ""
            let pages = pageCount == 1 ? "1 page" : "\(pageCount) pages"
            return "\(objectCount)\(total) on \(pages) as of \(listedAt.ISO8601Format())"
        }
    }
}

extension Relationship {
    /// The extent to which the store has the list; `.never` for a link, or on failure. It costs one lookup in the file,
    /// and can be observed.
    public var completeness: ListCompleteness { completeness(query: [:]) }

    /// The extent to which the store has the result of ``fetch(_:query:at:pages:prune:with:)`` with these parameters,
    /// in any order.
    public func completeness(query: RouteQuery) -> ListCompleteness {
        let property = compiled
        guard property.list != nil, let context = try? owner.liveContext(), let client = try? client(in: context),
            let key = try? listingKey(of: property, query, at: client)
        else { return ListCompleteness(nil) }
        let record = owner._object.record
        let completeness = ListCompleteness(of: property, key, record, in: context)
        context.noteRead(.listing(key), completeness) { ListCompleteness(of: property, key, record, in: $0) }
        return completeness
    }

    private func listingKey(
        of list: Property, _ query: RouteQuery, at client: APIClient
    ) throws(APIError) -> Listing.Key? {
        let url = try route(client, to: .fetch).url.adding(query, at: client)
        return owner.isInserted
            ? nil : Listing.Key(list, of: owner._object.record, in: owner._object.model, scope: url.scope)
    }
}

extension Model {
    /// The extent to which the store has the objects at the model's base URL. It can be observed.
    ///
    /// - Parameters:
    ///   - query: the parameters of the listing, in any order.
    ///   - context: a context of the store.
    public static func completeness(query: RouteQuery = [:], in context: ObjectContext) -> ListCompleteness {
        guard let (client, model) = try? context.clientAndModel(Self.self),
            let scope = try? RequestURL("/").adding(query, at: client).scope
        else { return ListCompleteness(nil) }
        let key = Listing.Key(model, scope: scope)
        let completeness = ListCompleteness((try? context.listing(key)) ?? nil)
        context.noteRead(.listing(key), completeness) { ListCompleteness((try? $0.listing(key)) ?? nil) }
        return completeness
    }
}

/// A list that was fetched at least in part.
public struct KnownListing: Sendable, Hashable, CustomStringConvertible {
    /// The model of the owner. For all objects of a model, that model.
    public let model: String
    /// The relationship; nil for all objects of a model.
    public let relationship: String?
    /// The identity of the owner; nil for all objects of a model.
    public let owner: String?
    /// The query, with a path other than the list's own; empty for the list itself.
    public let query: String
    /// The extent to which the store has the list.
    public let completeness: ListCompleteness

    /// The list in words: `Repository 1296269 issues ?state=open`.
    public var name: String {
        [model, owner, relationship, query.isEmpty ? nil : query].compactMap(\.self).joined(separator: " ")
    }

    /// The name and the completeness.
    public var description: String { "\(name): \(completeness)" }
}

extension ObjectContext {
    /// All lists that were fetched at least in part, by name. They can be observed.
    ///
    /// ```swift
    /// for listing in try store.main.knownListings() { print(listing) }    // Repository 1296269 issues: whole as of 2026-…
    /// ```
    ///
    /// - Throws: ``StoreError`` if the file can't be read.
    /// - Complexity: linear in their number, with one lookup for each owner.
    public func knownListings() throws(StoreError) -> [KnownListing] {
        let known = try listingsByName()
        noteRead(.listings, known) { (try? $0.listingsByName()) ?? [] }
        return known
    }

    private func listingsByName() throws(StoreError) -> [KnownListing] {
        let all = try listings().map { listing in
            let owner = listing.key.owner.flatMap { object(for: $0)?._object }
            return KnownListing(
                model: owner?.model.modelName ?? listing.key.source,
                relationship: listing.key.relationship.isEmpty ? nil : listing.key.relationship,
                owner: owner.map(\.identityText), query: String(listing.key.scope.prefix { $0 != "#" }),
                completeness: ListCompleteness(listing))
        }
        // An owner deleted in this context has its listings until the deletion is saved.
        return all.filter { $0.relationship == nil || $0.owner != nil }.sorted { $0.name < $1.name }
    }
}

extension ObjectState {
    fileprivate var identityText: String {
        model.identity.map { KeyPathResolver.value(of: model[$0], in: self).text ?? "?" }.joined(separator: "/")
    }
}

extension PageWalk {
    /// - Parameter isLast: whether the walk ends here.
    func noteListing(_ course: PageCourse, isLast: Bool) {
        guard let key = listing, !course.hasUnvalidatedPage, !course.isUnmodified, !course.isNarrowed,
            let file = try? first.context.openFile()
        else { return }
        let former = (try? first.context.listing(key)) ?? nil
        if !isLast, former?.wholeAt != nil { return }
        var known = former ?? Listing(key, begunAt: course.begunAt)
        known.listedAt = first.client.api.now()
        let wholeAt = isLast ? wholeAt(course, known.listedAt) : nil
        // A partial walk leaves the record of a complete list, except its time.
        if (former?.wholeAt ?? 0) <= (wholeAt ?? 0) {
            known.wholeAt = wholeAt
            known.take(
                course, bookmark: PageBookmark(course, of: list).flatMap(file.shared { StoredBookmarks() }.bytes))
        }
        // A single page's record waits for the next transaction, to save one of its own.
        file.note(known, over: former, isLast: isLast && course.extent.pages > 1)
    }

    /// The time as of which the list is complete; nil if it isn't.
    private func wholeAt(_ course: PageCourse, _ now: Double) -> Double? {
        if course.isWhole {
            return [.changing, .unproven, .incomplete].contains(course.pruned?.obstacle) ? nil : now
        }
        // Changes after the first walk began are unknown.
        return course.isComplete ? course.begunAt : nil
    }
}

extension Listing {
    fileprivate mutating func take(_ course: PageCourse, bookmark: [UInt8]?) {
        begunAt = course.begunAt
        pageCount = course.extent.pages
        objectCount = course.skippedCount + course.distinctCount
        totalCount = course.signs.totalCount
        self.bookmark = bookmark ?? []
    }
}

/// Encoded bookmarks, shared by the stores of one file. Encoding is the most expensive part of recording a 304.
private final class StoredBookmarks: Sendable {
    private let known = Mutex<[PageBookmark: [UInt8]]>([:])

    /// - Returns: nil if the URL may contain a secret.
    func bytes(of bookmark: PageBookmark) -> [UInt8]? {
        if let bytes = known.withLock({ $0[bookmark] }) { return bytes }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard RedactedURL.text(ofRequest: bookmark.next) == bookmark.next, let data = try? encoder.encode(bookmark)
        else {
            return nil
        }
        let bytes = Array(data)
        known.withLock { known in
            if known.count >= 100 { known = [:] }
            known[bookmark] = bytes
        }
        return bytes
    }
}
