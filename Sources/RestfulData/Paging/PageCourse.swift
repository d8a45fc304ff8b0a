import Foundation
import ObjectStore
import RESTTransport

/// The progress and results of a ``PageWalk``.
struct PageCourse {
    /// The rows in the server's order, with repetitions.
    private(set) var ids: [RowID] = []
    /// The same for a list that mixes models.
    private(set) var mixed: [RecordID] = []
    private var seenMixed: Set<RecordID> = []
    /// The distinct rows; nil while there is one page with ascending rows.
    private var seen: Set<RowID>? = []
    /// Rows on each page.
    private(set) var sizes: [Int] = []
    /// The number of rows that came again on a later page, because they moved between the requests.
    private(set) var movedCount = 0
    var report = ImportReport()
    /// Whether all of the list has come so far, from its first page on, without a rejected element.
    var isWhole = true
    /// As ``isWhole``, but also after a bookmark or a ``ListPage``.
    var isGapless = true
    var isComplete = false
    /// Whether a page may belong to another list: it came from outside the API, or ``isNarrowed``.
    var mayBeOtherList = false
    /// Whether the call's own query or header fields may select another list.
    var isNarrowed = false
    var hasKeptNewer = false
    /// The time of the first page's request, in seconds since 1970; after a bookmark, of the earlier walk.
    var begunAt = 0.0
    /// Whether the server replied 304 to the caller's own condition. The stored members are then the result.
    var isUnmodified = false
    /// The least current source of the pages.
    var source = AnswerSource.network
    var fetchedAt: Date?
    var hasKept = false
    /// Whether a page was used without asking the server, so that later changes are unknown.
    var hasUnvalidatedPage = false
    /// Whether a page must be revalidated after its use.
    var isStale = false
    /// The next member's position; nil until two pages have come.
    var nextPosition: Int?
    /// The open request of the first page, until the members are stored. If nil, pages are merged and all members stay.
    var requestStart: RequestStart?
    var extent = PageSigns.Extent()
    /// The signs of the last reply, with earlier totals.
    var signs = PageSigns()
    var page: [RowID] = []
    /// Identifies a last page without rows.
    var emptyPageFingerprint: Int?
    var next: RequestURL?
    private(set) var trail = PageTrail()
    /// Pages of this walk, which its limit bounds.
    private(set) var fetchedPages = 0
    var last: RequestSummary?
    /// The number of pages since the last new object.
    private(set) var pagesSinceNewObject = 0
    /// Whether the last page had come before.
    var isCircle = false
    /// Whether each page was requested by the last object before it.
    var isByIdentity = true
    /// The rows that may be deleted if the pages omit them. They were stored before the first request.
    var pruneCandidates: [RecordID] = []
    var pruned: PruneReport?
    /// The greatest value of ``PageWalk/newest`` in the replies.
    private(set) var newest: StoredValue?
    /// The number of objects on earlier pages, whose rows were dropped.
    private(set) var skippedCount = 0

    init(next: RequestURL?) { self.next = next }

    /// - Parameter digest: nil for the last page.
    mutating func noteFetch(of digest: String?) {
        trail.note(digest)
        fetchedPages += 1
    }

    mutating func noteGap() { (isWhole, isGapless) = (false, false) }

    mutating func take(_ rows: [RowID]) {
        sizes.append(rows.count)
        if ids.isEmpty, rows.isAscending {
            (ids, seen, pagesSinceNewObject) = (rows, nil, 0)
            return
        }
        var all = distinct
        seen = nil
        let (known, page) = (all.count, Set(rows))
        ids += rows
        all.formUnion(page)
        movedCount += page.count - (all.count - known)
        pagesSinceNewObject = rows.isEmpty || all.count > known ? 0 : pagesSinceNewObject + 1
        seen = all
    }

    mutating func take(mixed records: [RecordID]) {
        let (known, page) = (seenMixed.count, Set(records))
        mixed += records
        seenMixed.formUnion(page)
        movedCount += page.count - (seenMixed.count - known)
        pagesSinceNewObject = records.isEmpty || seenMixed.count > known ? 0 : pagesSinceNewObject + 1
    }

    var distinct: Set<RowID> { seen ?? Set(ids) }

    var distinctCount: Int { seen?.count ?? ids.count }

    mutating func take(newest value: StoredValue?) {
        guard let value, !value.isNull, newest.map({ $0.isBefore(value) }) ?? true else { return }
        newest = value
    }

    var isRepeated: Bool { ids.count > distinctCount }

    /// The rows of all pages without those of earlier pages. Repetitions within a page stay.
    var answered: [RowID] {
        guard movedCount > 0 else { return ids }
        var (known, answered, start) = (Set<RowID>(), [RowID](), 0)
        for size in sizes {
            let page = ids[start..<start + size]
            answered += page.filter { !known.contains($0) }
            known.formUnion(page)
            start += size
        }
        return answered
    }

    var members: [RowID] { ids.count == distinctCount ? ids : ids.eachOnce }

    /// Ends the recording of changes. Further pages are merged, and all members stay.
    mutating func stopRecording() { (requestStart, isWhole, pruneCandidates) = (nil, false, []) }

    /// The course of a ``ListPage``, without the rows.
    var forLater: PageCourse {
        var course = self
        course.stopRecording()
        course.skippedCount += distinctCount
        course.fetchedPages = 0
        (course.ids, course.seen, course.sizes, course.movedCount) = ([], [], [], 0)
        return course
    }

    /// - Parameter begunAt: the start of the bookmarked walk; nil if the store may lack its pages.
    mutating func goOn(at bookmark: PageBookmark, begunAt: Double?) {
        isWhole = false
        isGapless = bookmark.isGapless && begunAt != nil
        self.begunAt = begunAt ?? self.begunAt
        next = RequestURL(bookmark.next)
        (trail, nextPosition, skippedCount) = (bookmark.trail, bookmark.position, bookmark.fetchedCount)
        (extent.pages, extent.elements) = (bookmark.trail.count, bookmark.fetchedCount)
    }

    func isSame(as other: PageCourse) -> Bool { ids == other.ids && sizes == other.sizes }
}

extension [RowID] {
    fileprivate var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0.rawValue < $1.rawValue } }

    var eachOnce: [RowID] {
        if isAscending { return self }
        var seen: Set<RowID> = []
        return filter { seen.insert($0).inserted }
    }
}
