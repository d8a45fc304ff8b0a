import Foundation
import ObjectStore
import RESTTransport

/// The progress and results of a ``PageWalk``.
struct PageCourse {
    /// The rows in the server's order, including repeated ones.
    private(set) var ids: [RowID] = []
    /// The rows of a list that mixes models, in the server's order, as often as the pages have them.
    private(set) var mixed: [RecordID] = []
    /// The distinct rows of a list that mixes models.
    private var seenMixed: Set<RecordID> = []
    /// The distinct rows. Nil while there is one page with ascending rows, which are distinct.
    private var seen: Set<RowID>? = []
    /// The number of rows on each page.
    private(set) var sizes: [Int] = []
    /// The number of rows that an earlier page had, too, because they moved between the requests.
    private(set) var movedCount = 0
    var report = ImportReport()
    /// Whether the pages are the complete list: they start at the first page, and each is a list whose elements were
    /// all accepted.
    var isWhole = true
    /// Whether all pages before the next one have come. Unlike ``isWhole``, this also holds after a bookmark or a
    /// ``ListPage``.
    var isGapless = true
    /// Whether the pages reach the end without a gap.
    var isComplete = false
    /// Whether a page may belong to another list: it came from outside the API, or the call's own settings may select
    /// another list.
    var isOfOtherScope = false
    /// Whether the call's own query or header fields may select another list.
    var isNarrowed = false
    /// Whether the import kept some local values because they are newer.
    var hasKeptNewer = false
    /// The time of the request for the first page, in seconds since 1970. After a bookmark, it is that of the earlier
    /// walk.
    var begunAt = 0.0
    /// Whether the server replied 304 to a condition that the caller added. The stored members are then the result.
    var isUnmodified = false
    /// The origin of the pages. If they differ, the least current origin.
    var source = AnswerSource.network
    var fetchedAt: Date?
    /// Whether a page was taken from the store.
    var hasKept = false
    /// Whether a page was taken from the store without asking the server. Later changes of the list are then unknown.
    var hasUnasked = false
    /// Whether a stale page was used that must be revalidated afterwards.
    var isStale = false
    /// The position of the next page's members, once two pages have come.
    var nextPosition: Int?
    /// The open request of the first page, until the members are stored. If nil, pages are merged into the list, and no
    /// member leaves it.
    var question: Question?
    /// The number of pages and elements so far.
    var extent = PageSigns.Extent()
    /// The signs of further pages in the last reply.
    var signs = PageSigns()
    var page: [RowID] = []
    /// Identifies a last page without rows.
    var rootless: Int?
    var next: RequestURL?
    /// The digests of fetched pages.
    private(set) var trail = PageTrail()
    /// The number of pages that this walk has fetched, which its limit bounds.
    private(set) var fetchedPages = 0
    var last: RequestSummary?
    /// The number of pages up to the last one that had only known objects.
    private(set) var barrenPages = 0
    /// Whether the last page had come before, so that the pages form a cycle.
    var isCircle = false
    /// Whether each page was requested by the identity of the last object before it.
    var isByIdentity = true
    /// The rows that may be deleted if the pages omit them: those stored before the first page was requested.
    var former: [RecordID] = []
    var pruned: PruneReport?
    /// The greatest value of ``PageWalk/newest`` in the replies.
    private(set) var newest: StoredValue?
    /// The number of objects on earlier pages, whose rows were dropped.
    private(set) var skippedCount = 0

    init(next: RequestURL?) { self.next = next }

    /// Counts a page.
    ///
    /// - Parameter digest: identifies the page; nil for the last one.
    mutating func noteFetch(of digest: String?) {
        trail.note(digest)
        fetchedPages += 1
    }

    /// Records that part of the list may be missing.
    mutating func noteGap() { (isWhole, isGapless) = (false, false) }

    mutating func take(_ rows: [RowID]) {
        sizes.append(rows.count)
        if ids.isEmpty, rows.isAscending {
            (ids, seen, barrenPages) = (rows, nil, 0)
            return
        }
        var all = distinct
        seen = nil
        let (known, page) = (all.count, Set(rows))
        ids += rows
        all.formUnion(page)
        movedCount += page.count - (all.count - known)
        barrenPages = rows.isEmpty || all.count > known ? 0 : barrenPages + 1
        seen = all
    }

    /// Takes a page of a list that mixes models.
    mutating func take(mixed records: [RecordID]) {
        let (known, page) = (seenMixed.count, Set(records))
        mixed += records
        seenMixed.formUnion(page)
        movedCount += page.count - (seenMixed.count - known)
        barrenPages = records.isEmpty || seenMixed.count > known ? 0 : barrenPages + 1
    }

    var distinct: Set<RowID> { seen ?? Set(ids) }

    var distinctCount: Int { seen?.count ?? ids.count }

    /// Takes a value of ``PageWalk/newest``.
    mutating func take(newest value: StoredValue?) {
        guard let value, !value.isNull, newest.map({ $0.isBefore(value) }) ?? true else { return }
        newest = value
    }

    var isRepeated: Bool { ids.count > distinctCount }

    /// The rows of all pages, without rows that an earlier page had, too. Repetitions within a page stay.
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

    /// The distinct rows in the order of their first appearance.
    var members: [RowID] { ids.count == distinctCount ? ids : ids.eachOnce }

    /// Ends the recording of changes for this list. Further pages are merged in, and no member leaves the list.
    mutating func letGo() { (question, isWhole, former) = (nil, false, []) }

    /// The course for a ``ListPage``, with its rows dropped.
    var forLater: PageCourse {
        var course = self
        course.letGo()
        course.skippedCount += distinctCount
        // A caller that requests pages one by one may read any number.
        course.fetchedPages = 0
        (course.ids, course.seen, course.sizes, course.movedCount) = ([], [], [], 0)
        return course
    }

    /// Continues at a bookmark.
    ///
    /// - Parameter begunAt: the start of the bookmarked walk; nil if earlier pages may be missing from the store.
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
