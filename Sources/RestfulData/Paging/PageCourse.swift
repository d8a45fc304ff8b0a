import Foundation
import ObjectStore
import RESTTransport

/// How far a ``PageWalk`` has come, and what it has brought.
struct PageCourse {
    /// The rows, in the server's order, as often as the pages have them.
    private(set) var ids: [RowID] = []
    /// The rows of a list that mixes models, in the server's order, as often as the pages have them.
    var mixed: [RecordID] = []
    /// ``ids``, each once; nil while they are those of one page, in the rows' order, and so none twice.
    private var seen: Set<RowID>? = []
    /// How many of them each page has.
    private(set) var sizes: [Int] = []
    /// How many of them an earlier page had, too: pages move while they are asked for.
    private(set) var movedCount = 0
    /// Of all pages together.
    var report = ImportReport()
    /// Whether these are all members: no page before the first or after the last, each page a list, of which nothing
    /// was rejected.
    var isWhole = true
    /// The same of all pages so far, also where a bookmark, or a page that was kept for later, has led from one to the
    /// next: whether none of the list is missing before the page that follows.
    var isGapless = true
    /// Whether they are all pages, and the list without a gap.
    var isComplete = false
    /// Whether one was asked for elsewhere than at the API, or with header fields of the call's own by which it may be
    /// of another list.
    var isOfOtherScope = false
    /// Whether the call's own header fields say so.
    var isNarrowed = false
    /// Whether something of it was left as it is here, as that is newer.
    var hasKeptNewer = false
    /// When the first of them was asked for, in whichever walk: seconds since 1970.
    var begunAt = 0.0
    /// Whether the server said of a page that it has nothing newer: what is here is the answer.
    var isUnmodified = false
    /// What the pages are made of: where they differ, what says least of how things are now.
    var source = AnswerSource.network
    /// When the oldest of them was.
    var fetchedAt: Date?
    /// Whether a page was taken from the store.
    var hasKept = false
    /// Whether one was of which the server was not asked: it says nothing of what has happened to the list since.
    var hasUnasked = false
    /// Whether the server is to be asked of one such once this is used.
    var isStale = false
    /// Where the membership goes on, once a page has followed the first.
    var nextPosition: Int?
    /// The question for the first page, open until the membership is stored. Without it, as in a page that is kept for
    /// later, the pages are merged into the list, and nothing leaves it.
    var question: Question?
    /// How much was read.
    var extent = PageSigns.Extent()
    /// What the last page says of whether there is more.
    var signs = PageSigns()
    /// The rows of the last page.
    var page: [RowID] = []
    /// Stands for the last page where it has none.
    var rootless: Int?
    /// The page that follows.
    var next: RequestURL?
    /// The pages that were asked for.
    private(set) var trail = PageTrail()
    /// How many of them this walk has asked for, of which the caller may have limited the number.
    private(set) var fetchedPages = 0
    var last: RequestSummary?
    /// How many pages there were in a row, up to the last, of which each had only what came before.
    private(set) var barrenPages = 0
    /// Whether the last page had come before as it was: the pages lead in a circle.
    var isCircle = false
    /// Whether each page was asked for by the last object before it.
    var isByIdentity = true
    /// What was here before the first page, where what is left out is to be deleted.
    var former: [RecordID] = []
    var pruned: PruneReport?
    /// The greatest value that ``PageWalk/newest`` has in what the server has sent.
    private(set) var newest: StoredValue?
    /// How many objects came before these, of which no more is known.
    private(set) var skippedCount = 0

    init(next: RequestURL?) { self.next = next }

    /// A page has come.
    ///
    /// - Parameter digest: what it is known by; nil for one after which none is asked for.
    mutating func noteFetch(of digest: String?) {
        trail.note(digest)
        fetchedPages += 1
    }

    /// Some of the list may be missing.
    mutating func noteGap() { (isWhole, isGapless) = (false, false) }

    /// Takes the rows of a page.
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

    /// The rows, each once.
    var distinct: Set<RowID> { seen ?? Set(ids) }

    /// How many there are of those.
    var distinctCount: Int { seen?.count ?? ids.count }

    /// Takes a value of ``PageWalk/newest``.
    mutating func take(newest value: StoredValue?) {
        guard let value, !value.isNull, newest.map({ $0.isBefore(value) }) ?? true else { return }
        newest = value
    }

    /// Whether a page has one more than once, or several pages have one.
    var isRepeated: Bool { ids.count > distinctCount }

    /// The rows as each page has them, without those that an earlier page had, too.
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

    /// The rows, each at its first place.
    var members: [RowID] { ids.count == distinctCount ? ids : ids.eachOnce }

    /// What happens here is not noted for it any more: what follows is merged in, and nothing leaves the list.
    mutating func letGo() { (question, isWhole, former) = (nil, false, []) }

    /// The same for a page that is kept for later.
    var forLater: PageCourse {
        var course = self
        course.letGo()
        course.skippedCount += distinctCount
        // Who asks for a page by hand has limited nothing.
        course.fetchedPages = 0
        (course.ids, course.seen, course.sizes, course.movedCount) = ([], [], [], 0)
        return course
    }

    /// Goes on where another course has stopped.
    ///
    /// - Parameter begunAt: when that began; nil where nobody knows whether the pages before it have come.
    mutating func goOn(at bookmark: PageBookmark, begunAt: Double?) {
        isWhole = false
        isGapless = bookmark.isGapless && begunAt != nil
        self.begunAt = begunAt ?? self.begunAt
        next = RequestURL(bookmark.next)
        (trail, nextPosition, skippedCount) = (bookmark.trail, bookmark.position, bookmark.fetchedCount)
        (extent.pages, extent.elements) = (bookmark.trail.count, bookmark.fetchedCount)
    }

    /// Whether two listings have the same, page by page.
    func isSame(as other: PageCourse) -> Bool { ids == other.ids && sizes == other.sizes }
}

extension [RowID] {
    /// Whether each is greater than the one before.
    fileprivate var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0.rawValue < $1.rawValue } }

    /// Each at its first place.
    var eachOnce: [RowID] {
        if isAscending { return self }
        var seen: Set<RowID> = []
        return filter { seen.insert($0).inserted }
    }
}
