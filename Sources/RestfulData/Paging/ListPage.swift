public import Foundation
public import HTTPTypes
public import ObjectStore
import RESTTransport

/// One page of a list that is fetched page by page, and the way to the next one.
///
/// ```swift
/// var page = try await user.$repositories.pages(size: 30).first()
/// …                                                    // the user scrolls down
/// page = try await page?.next()
/// ```
///
/// It is a value that can be kept as long as its context lives: asking it again for the next page fetches that page
/// again.
public struct ListPage<M: Model> {
    /// The objects of the page, in the server's order, as often as it has them.
    public let objects: [M]
    /// What its import did.
    public let report: ImportReport
    /// Where it came from.
    public let source: AnswerSource
    /// When the server has said so, by the local clock.
    public let fetchedAt: Date
    /// The head of the reply; of a 304 that one's.
    public let headerFields: HTTPFields
    /// How far the list has come with it.
    public let progress: PageProgress

    /// Of the last page: what became of what the list left out; nil for any other.
    public let pruned: PruneReport?

    private let walk: PageWalk
    private let course: PageCourse

    init(_ step: PageWalk.Step, of walk: PageWalk, _ course: PageCourse) {
        objects = walk.first.context.answeredObjects(M.self, of: step.rows)
        var report = step.report
        report.hasMore = course.next != nil || course.report.hasMore
        self.report = report
        source = step.reply.source
        fetchedAt = Date(
            timeIntervalSince1970: step.reply.kept?.answer.checkedAt ?? step.reply.arrivedAt
                ?? walk.first.client.api.now())
        headerFields = step.reply.response.headerFields
        progress = PageProgress(course)
        pruned = course.pruned
        self.walk = walk
        self.course = course.forLater
    }

    /// Whether there is a page after it, as far as the server says; where its pages have numbers the next one may be
    /// empty. How many pages a ``PageSequence`` fetches at most has nothing to do with it.
    public var hasNext: Bool { walk.goesOn(after: course) }

    /// Where the list goes on after it; nil for the last page.
    public var bookmark: PageBookmark? { hasNext ? PageBookmark(course, of: walk.list) : nil }

    /// Fetches the page that follows.
    ///
    /// Members of a relationship are merged into the list: those that it did not have come after the members of this
    /// page, where that has brought new ones only and so is in front of what was here, and otherwise after all others.
    /// Nothing is unlinked, also with the last page; a ``PageSequence`` that is read to its end does that. Nor does the
    /// limit of a sequence count, as each page is asked for by itself.
    ///
    /// - Returns: nil when this is the last one.
    /// - Throws: ``APIError``; the same page can be asked for again.
    public nonisolated(nonsending) func next() async throws(APIError) -> ListPage? {
        var (course, ahead) = (course, nil as RequestAhead?)
        let step = try await walk.step(&course, &ahead, looksAhead: false)
        if course.isCircle { walk.close(&course) }
        guard let step, !step.isUnknown else { return nil }
        if !walk.goesOn(after: course) { walk.close(&course) }
        return ListPage(step, of: walk, course)
    }
}

extension ListPage: CustomDebugStringConvertible, CustomReflectable {
    /// The page in one line, without header fields and the next page's URL, which may have secrets:
    /// `ListPage<Issue> 2 (30 objects, 60 of 120 fetched)`.
    public var debugDescription: String {
        let total = progress.totalCount.map { " of \($0)" } ?? ""
        let rest = hasNext ? "" : ", the last"
        let count = objects.count == 1 ? "1 object" : "\(objects.count) objects"
        return "ListPage<\(M.self)> \(progress.pageNumber) (\(count), \(progress.fetchedCount)\(total) fetched\(rest))"
    }

    /// What `dump` shows: the objects, what the import did and how far the list has come.
    public var customMirror: Mirror {
        Mirror(self, children: ["objects": objects, "report": report, "progress": progress], displayStyle: .struct)
    }
}

/// How far a list has come that is fetched page by page.
public struct PageProgress: Sendable, Hashable {
    /// The number of the page, from 1.
    public let pageNumber: Int
    /// How many objects have come, each counted once.
    public let fetchedCount: Int
    /// How many there are on all pages together; nil where the server doesn't say it, or has said less than what has
    /// come.
    public let totalCount: Int?
    /// How many pages there are, likewise.
    public let pageCount: Int?

    init(_ course: PageCourse) {
        pageNumber = course.extent.pages
        fetchedCount = course.skippedCount + course.distinctCount
        // Some services count the page's own by the word that others have for all.
        let (fetched, number, rest) = (fetchedCount, pageNumber, course.next == nil ? 0 : 1)
        totalCount = course.signs.totalCount.flatMap { $0 >= fetched + rest ? $0 : nil }
        pageCount = course.signs.totalPages.flatMap { $0 >= number + rest ? $0 : nil }
    }

    /// From 0 to 1; nil where the server says neither how many objects there are nor how many pages.
    public var fraction: Double? {
        if let totalCount { return totalCount == 0 ? 1 : Double(fetchedCount) / Double(totalCount) }
        return pageCount.map { $0 == 0 ? 1 : Double(pageNumber) / Double($0) }
    }
}

/// Where a list that was fetched up to some page goes on. It can be stored, to go on after a restart.
///
/// ```swift
/// let stored = try JSONEncoder().encode(page.bookmark)
/// for try await page in user.$repositories.pages(size: 100, from: bookmark) { … }
/// ```
///
/// It is of one list, with what was asked of it: another one takes it for an error. It has the URL of the next page as
/// the server gave it, which may have a cursor or a token in it: keep it as you keep those. However long the list, it
/// is no longer than that and some hundred bytes.
public struct PageBookmark: Sendable, Hashable, Codable {
    private enum CodingKeys: CodingKey {
        case next, list, trail, position, fetchedCount, isGapless
    }

    /// The next page's URL.
    let next: String
    /// Stands for the list; see ``PageWalk/list``.
    let list: String
    /// The pages before it.
    let trail: PageTrail
    let position: Int?
    /// Whether these are all there are before it.
    let isGapless: Bool
    /// How many objects the pages before it have.
    public let fetchedCount: Int

    init?(_ course: PageCourse, of list: String) {
        guard let next = course.next else { return nil }
        (self.next, self.list) = (next.text, list)
        (trail, position) = (course.trail, course.nextPosition)
        isGapless = course.isGapless && course.report.rejectedCount == 0
        fetchedCount = course.skippedCount + course.distinctCount
    }

    /// Reads what was stored.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        next = try values.decode(String.self, forKey: .next)
        list = try values.decode(String.self, forKey: .list)
        trail = try values.decode(PageTrail.self, forKey: .trail)
        isGapless = try values.decode(Bool.self, forKey: .isGapless)
        // No list is so long; with more, what is added to it would overflow.
        func count(_ number: Int) -> Int { min(max(number, 0), Int(Int32.max)) }
        // Less than 0 in front of the members, each new first page of a list by some more.
        position = try values.decodeIfPresent(Int.self, forKey: .position)
            .map { min(max($0, -1 << 52), Int(Int32.max)) }
        fetchedCount = count(try values.decode(Int.self, forKey: .fetchedCount))
    }
}

// MARK: - Descriptions

extension PageBookmark: CustomStringConvertible, CustomReflectable {
    /// How many objects are before it; the next page's URL may have a secret in it.
    public var description: String { "bookmark after \(fetchedCount) objects" }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

// MARK: - Going on

extension PageWalk {
    /// Stands for the list in bookmarks, whichever of its pages the walk begins with: the same after a restart, and
    /// nothing can be told of the URL by it.
    var list: String {
        let api = first.client.api
        return AnswerDigest(api.url(first.url.ofAllPages(sizedBy: api.conventions.pageSize))).text
    }

    /// Goes on where another walk has stopped.
    ///
    /// - Throws: ``RouteProblem/otherList(_:)`` for a bookmark of another list, ``RouteProblem/invalidURL(_:)`` for one
    ///   that leads to what is no page.
    func goOn(_ course: inout PageCourse, at bookmark: PageBookmark) throws(APIError) {
        let api = first.client.api
        guard bookmark.list == list else { throw .route(.otherList(APIError.shown(api.url(first.url)))) }
        // A path is added to the base URL; what else has no scheme would change its host.
        let isPath = bookmark.next.hasPrefix("/") || bookmark.next.hasPrefix("?")
        let origin = URL(string: bookmark.next).flatMap { Origin($0) }
        guard isPath || origin != nil else { throw .route(.invalidURL(bookmark.next)) }
        course.goOn(at: bookmark, begunAt: beginning(of: bookmark))
    }

    /// When the pages before a bookmark were listed, where the store knows that they have come.
    private func beginning(of bookmark: PageBookmark) -> Double? {
        guard let listing, let known = try? first.context.listing(listing), known.wholeAt == nil,
            ListCompleteness(known).bookmark == bookmark
        else { return nil }
        return known.begunAt
    }

    /// No more pages are asked for by hand.
    func close(_ course: inout PageCourse) {
        end(&course)
        noteListing(course, isLast: true)
    }
}
