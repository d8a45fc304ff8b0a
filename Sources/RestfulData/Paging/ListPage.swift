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
/// It is a value that can be kept as long as its context lives: asking it again for the next page fetches that page again.
public struct ListPage<M: Model> {
    /// The objects of the page, in the server's order.
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
        objects = walk.first.context.objects(M.self, of: step.rows)
        var report = step.report
        report.hasMore = course.next != nil || course.report.hasMore
        self.report = report
        source = step.reply.source
        fetchedAt = Date(timeIntervalSince1970: step.reply.kept?.answer.checkedAt ?? walk.first.client.api.now())
        headerFields = step.reply.response.headerFields
        progress = PageProgress(course)
        pruned = course.pruned
        self.walk = walk
        self.course = course.forLater
    }

    /// Whether there is a page after it, as far as the server says; where its pages have numbers the next one may be empty.
    public var hasNext: Bool { course.next != nil }

    /// Where the list goes on after it; nil for the last page.
    public var bookmark: PageBookmark? { PageBookmark(course) }

    /// Fetches the page that follows.
    ///
    /// Members of a relationship are merged into the list: those that it did not have come after all others. Nothing is unlinked, also with the last page; a
    /// ``PageSequence`` that is read to its end does that.
    ///
    /// - Returns: nil when this is the last one.
    /// - Throws: ``APIError``; the same page can be asked for again.
    public nonisolated(nonsending) func next() async throws(APIError) -> ListPage? {
        var (course, ahead) = (course, nil as RequestAhead?)
        guard let step = try await walk.step(&course, &ahead, looksAhead: false), !step.isUnknown else { return nil }
        return ListPage(step, of: walk, course)
    }
}

/// How far a list has come that is fetched page by page.
public struct PageProgress: Sendable, Hashable {
    /// The number of the page, from 1.
    public let pageNumber: Int
    /// How many objects have come, each counted once.
    public let fetchedCount: Int
    /// How many there are on all pages together; nil where the server doesn't say it, or has said less than what has come.
    public let totalCount: Int?
    /// How many pages there are, likewise.
    public let pageCount: Int?

    init(_ course: PageCourse) {
        pageNumber = course.extent.pages
        fetchedCount = course.skippedCount + course.distinct.count
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
/// It has the URL of the next page as the server gave it, which may have a cursor or a token in it: keep it as you keep those.
public struct PageBookmark: Sendable, Hashable, Codable {
    /// The next page's URL.
    let next: String
    /// The URLs of the pages before it.
    let seen: Set<String>
    let position: Int?
    let pageCount: Int
    /// How many objects the pages before it have.
    public let fetchedCount: Int

    init?(_ course: PageCourse) {
        guard let next = course.next else { return nil }
        self.next = next.text
        (seen, position, pageCount) = (course.seen, course.nextPosition, course.extent.pages)
        fetchedCount = course.skippedCount + course.distinct.count
    }
}
