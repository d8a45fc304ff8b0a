public import Foundation
public import ObjectStore
import RESTTransport
import Synchronization

/// How much of a list of the server's is here: never listed, a part of it, or all of it as of some time. The store
/// keeps it across restarts, by query.
///
/// ```swift
/// let known = repository.$issues.completeness
/// if known.extent != .whole { show("\(known.objectCount) of \(known.totalCount ?? 0) issues") }
/// ```
///
/// Beside each list itself a hundred are kept of what queries give of it, those that were listed last, and how far each
/// feed of changes has come.
///
/// It can be observed, like a property of an object.
public struct ListCompleteness: Sendable, Hashable {
    /// How much is here.
    public enum Extent: Sendable, Hashable {
        /// Nobody has asked the server for it, and nothing of it came within other objects.
        case never
        /// Some of its pages, or some members that came within other objects.
        case part
        /// All of it: at ``ListCompleteness/wholeAt``, or, where that is nil, as an object that came had all of it.
        case whole
    }

    /// How much is here.
    public let extent: Extent
    /// When all of it was last listed; nil where that is not known. Its pages were asked for one after the other until
    /// then, so what moved from one to another meanwhile may be missing.
    ///
    /// Where it came in several goes, by ``ListPage/next()`` or from this ``bookmark``, that is when the first of them
    /// began. From another bookmark it stays a part, as nobody knows whether the pages before that are here: list it
    /// again, `pages: .all()`.
    public let wholeAt: Date?
    /// When a page of it was last listed; nil where none was.
    public let listedAt: Date?
    /// How many pages there were when it was last listed whole, or else the last time. To list a part of it again, as
    /// its first page, changes none of this but ``listedAt``.
    public let pageCount: Int
    /// How many objects those had, each counted once.
    public let objectCount: Int
    /// How many objects the server has said then that there are; nil where it didn't say.
    public let totalCount: Int?
    /// Where it goes on, after the last page that was listed; nil where it is whole, where there is nothing more, and
    /// where the next page's URL may have something secret in it.
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
    /// - Parameter record: the list's owner.
    fileprivate init(of list: Property, _ key: Listing.Key, _ record: RecordID, in context: ObjectContext) {
        let listing = (try? context.listing(key)) ?? nil
        guard key.scope.isEmpty, let object = context.object(for: record)?._object else {
            self.init(listing)
            return
        }
        self.init(listing, within: object.isUnsaid(list) ? .never : object.isPartial(list) ? .part : .whole)
    }
}

extension ListCompleteness: CustomStringConvertible {
    /// The same in words.
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
    /// How much of the list is here. Costs one look into the file; `.never` for a link, and where that fails. It can be
    /// observed.
    public var completeness: ListCompleteness { completeness(query: [:]) }

    /// The same of what a query gives of it: what ``fetch(_:query:at:pages:prune:with:)`` has listed with just that, in
    /// whichever order.
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
    /// How much of all objects of the model is here, as the model's base URL gives them. It can be observed.
    ///
    /// - Parameters:
    ///   - query: what they were listed with, in whichever order.
    ///   - context: whose store it is.
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

/// A list of which something has been listed.
public struct KnownListing: Sendable, Hashable, CustomStringConvertible {
    /// The model of the owner, or, of all objects of a model, that model.
    public let model: String
    /// The relationship; nil for all objects of a model.
    public let relationship: String?
    /// The identity of the owner; nil likewise.
    public let owner: String?
    /// What narrows the list: the query, or the path with its query where that is not the list's own. Empty for the
    /// list itself.
    public let query: String
    /// How much of it is here.
    public let completeness: ListCompleteness

    /// What it is a listing of: `Repository 1296269 issues ?state=open`.
    public var name: String {
        [model, owner, relationship, query.isEmpty ? nil : query].compactMap(\.self).joined(separator: " ")
    }

    /// A line of text.
    public var description: String { "\(name): \(completeness)" }
}

extension ObjectContext {
    /// All lists of which something has been listed, by their names. They can be observed.
    ///
    /// ```swift
    /// for listing in try store.main.knownListings() { print(listing) }    // Repository 1296269 issues: whole as of 2026-…
    /// ```
    ///
    /// - Throws: ``StoreError`` when the file can't be read.
    /// - Complexity: linear in their number, with a look at each owner.
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
        // What the file has of an owner that this context knows to be gone is on its way out.
        return all.filter { $0.relationship == nil || $0.owner != nil }.sorted { $0.name < $1.name }
    }
}

extension ObjectState {
    fileprivate var identityText: String {
        model.identity.map { KeyPathResolver.value(of: model[$0], in: self).text ?? "?" }.joined(separator: "/")
    }
}

extension PageWalk {
    /// Notes how far the list has been listed.
    ///
    /// - Parameter isLast: whether no more of it is fetched.
    func noteListing(_ course: PageCourse, isLast: Bool) {
        // What was said to somebody else is none of this list's.
        guard let key = listing, !course.hasUnasked, !course.isUnmodified, !course.isNarrowed,
            let file = try? first.context.openFile()
        else { return }
        let former = (try? first.context.listing(key)) ?? nil
        // What was listed whole is so until it is listed again.
        if !isLast, former?.wholeAt != nil { return }
        var known = former ?? Listing(key, begunAt: course.begunAt)
        known.listedAt = first.client.api.now()
        let wholeAt = isLast ? wholeAt(course, known.listedAt) : nil
        // And so what is known of it, but for that it was looked at.
        if (former?.wholeAt ?? 0) <= (wholeAt ?? 0) {
            known.wholeAt = wholeAt
            known.take(
                course, bookmark: PageBookmark(course, of: list).flatMap(file.shared { StoredBookmarks() }.bytes))
        }
        // That of one page is hardly worth a write of its own.
        file.note(known, over: former, isLast: isLast && course.extent.pages > 1)
    }

    /// As of when a listing is whole; nil where it is not.
    private func wholeAt(_ course: PageCourse, _ now: Double) -> Double? {
        if course.isWhole {
            return [.changing, .unproven, .incomplete].contains(course.pruned?.obstacle) ? nil : now
        }
        // What has come in several goes was all there when the first began; what has changed in between nobody knows.
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

/// Bookmarks as they stand in the file, as to write one takes longer than all else that is noted of an answer of 304.
/// The stores of a process that have one file open share it.
private final class StoredBookmarks: Sendable {
    private let known = Mutex<[PageBookmark: [UInt8]]>([:])

    /// - Returns: nil for one that must not be stored, as there may be a token in it.
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
