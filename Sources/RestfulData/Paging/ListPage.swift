public import Foundation
public import HTTPTypes
public import ObjectStore
import RESTTransport

/// One page of a list, which can fetch the next.
///
/// ```swift
/// var page = try await user.$repositories.pages(size: 30).first()
/// …                                                    // the user scrolls down
/// page = try await page?.next()
/// ```
///
/// You can keep a page as long as its context lives.
public struct ListPage<M: Model> {
    /// The objects of the page in the server's order, including repeated ones.
    public let objects: [M]
    /// The report of the import.
    public let report: ImportReport
    /// The page's origin: the server or the store.
    public let source: AnswerSource
    /// The time of the server's reply, by the local clock.
    public let fetchedAt: Date
    /// The header fields of the reply, or of a 304.
    public let headerFields: HTTPFields
    /// The progress of the list, including this page.
    public let progress: PageProgress

    /// For the last page, the treatment of omitted objects; otherwise nil.
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
            timeIntervalSince1970: step.reply.kept?.answer.checkedAt ?? step.reply.receivedAt
                ?? walk.first.client.api.now())
        headerFields = step.reply.response.headerFields
        progress = PageProgress(course)
        pruned = course.pruned
        self.walk = walk
        self.course = course.forLater
    }

    /// Whether the server has a page after this one, regardless of a limit. If pages have numbers, it may be empty.
    public var hasNext: Bool { walk.goesOn(after: course) }

    /// The place where the list continues after this page; nil for the last page.
    public var bookmark: PageBookmark? { hasNext ? PageBookmark(course, of: walk.list) : nil }

    /// Fetches the next page.
    ///
    /// In a relationship, new members come after all others; if this page was the first and had only new members, after
    /// these. Members are never unlinked, unlike by a ``PageSequence``. Each call fetches the page again.
    ///
    /// - Returns: nil if this is the last page.
    /// - Throws: ``APIError``; call it again to retry the page.
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
    /// The page in one line: `ListPage<Issue> 2 (30 objects, 60 of 120 fetched)`. Header fields and the next URL, which
    /// may contain secrets, are left out.
    public var debugDescription: String {
        let total = progress.totalCount.map { " of \($0)" } ?? ""
        let rest = hasNext ? "" : ", the last"
        let count = objects.count == 1 ? "1 object" : "\(objects.count) objects"
        return "ListPage<\(M.self)> \(progress.pageNumber) (\(count), \(progress.fetchedCount)\(total) fetched\(rest))"
    }

    /// The objects, the report and the progress.
    public var customMirror: Mirror {
        Mirror(self, children: ["objects": objects, "report": report, "progress": progress], displayStyle: .struct)
    }
}

/// The progress of a list that is fetched page by page.
public struct PageProgress: Sendable, Hashable {
    /// The number of the page, starting at 1.
    public let pageNumber: Int
    /// The number of distinct objects so far.
    public let fetchedCount: Int
    /// The number of objects on all pages; nil if the server omits it, or gives less than were fetched.
    public let totalCount: Int?
    /// The number of pages; nil if the server omits it, or gives less than were fetched.
    public let pageCount: Int?

    init(_ course: PageCourse) {
        pageNumber = course.extent.pages
        fetchedCount = course.skippedCount + course.distinctCount
        // Some services call the number of elements on the page "total".
        let (fetched, number, rest) = (fetchedCount, pageNumber, course.next == nil ? 0 : 1)
        totalCount = course.signs.totalCount.flatMap { $0 >= fetched + rest ? $0 : nil }
        pageCount = course.signs.totalPages.flatMap { $0 >= number + rest ? $0 : nil }
    }

    /// The fetched part, from 0 to 1; nil if both numbers are unknown.
    public var fraction: Double? {
        if let totalCount { return totalCount == 0 ? 1 : Double(fetchedCount) / Double(totalCount) }
        return pageCount.map { $0 == 0 ? 1 : Double(pageNumber) / Double($0) }
    }
}

/// The place where a partially fetched list continues, also after a restart.
///
/// ```swift
/// let stored = try JSONEncoder().encode(page.bookmark)
/// for try await page in user.$repositories.pages(size: 100, from: bookmark) { … }
/// ```
///
/// It belongs to one list and query; any other throws ``RouteProblem/otherList(_:)``. It has the server's URL of the
/// next page, which may include a token, so protect it like one. Its size is that URL plus some hundred bytes.
public struct PageBookmark: Sendable, Hashable, Codable {
    private enum CodingKeys: CodingKey {
        case next, list, trail, position, fetchedCount, isGapless
    }

    let next: String
    let list: String
    let trail: PageTrail
    let position: Int?
    let isGapless: Bool
    /// The number of objects on the pages before the next one.
    public let fetchedCount: Int

    init?(_ course: PageCourse, of list: String) {
        guard let next = course.next else { return nil }
        (self.next, self.list) = (next.text, list)
        (trail, position) = (course.trail, course.nextPosition)
        isGapless = course.isGapless && course.report.rejectedCount == 0
        fetchedCount = course.skippedCount + course.distinctCount
    }

    /// Decodes a stored bookmark.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        next = try values.decode(String.self, forKey: .next)
        list = try values.decode(String.self, forKey: .list)
        trail = try values.decode(PageTrail.self, forKey: .trail)
        isGapless = try values.decode(Bool.self, forKey: .isGapless)
        // Prevents overflows by a manipulated bookmark.
        func count(_ number: Int) -> Int { min(max(number, 0), Int(Int32.max)) }
        // First pages have negative positions, before the stored members.
        position = try values.decodeIfPresent(Int.self, forKey: .position)
            .map { min(max($0, -1 << 52), Int(Int32.max)) }
        fetchedCount = count(try values.decode(Int.self, forKey: .fetchedCount))
    }
}

// MARK: - Descriptions

extension PageBookmark: CustomStringConvertible, CustomReflectable {
    /// The number of objects before the bookmark, without the URL.
    public var description: String { "bookmark after \(fetchedCount) objects" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

// MARK: - Continuing

extension PageWalk {
    /// A digest of the list's URL, which keeps it secret.
    var list: String {
        let api = first.client.api
        return AnswerDigest(api.url(first.url.ofAllPages(sizedBy: api.conventions.pageSize))).text
    }

    /// - Throws: ``RouteProblem/otherList(_:)``, ``RouteProblem/invalidURL(_:)``.
    func goOn(_ course: inout PageCourse, at bookmark: PageBookmark) throws(APIError) {
        let api = first.client.api
        guard bookmark.list == list else { throw .route(.otherList(APIError.shown(api.url(first.url)))) }
        // A path is appended to the base URL. Other text could change the host.
        let isPath = bookmark.next.hasPrefix("/") || bookmark.next.hasPrefix("?")
        let origin = URL(string: bookmark.next).flatMap { Origin($0) }
        guard isPath || origin != nil else { throw .route(.invalidURL(bookmark.next)) }
        course.goOn(at: bookmark, begunAt: beginning(of: bookmark))
    }

    /// The start of the bookmarked walk; nil unless the store has imported its pages.
    private func beginning(of bookmark: PageBookmark) -> Double? {
        guard let listing, let known = try? first.context.listing(listing), known.wholeAt == nil,
            ListCompleteness(known).bookmark == bookmark
        else { return nil }
        return known.begunAt
    }

    func close(_ course: inout PageCourse) {
        end(&course)
        noteListing(course, isLast: true)
    }
}
