import Foundation
import ObjectStore
import RESTTransport

/// How far a ``PageWalk`` has come, and what it has brought.
struct PageCourse {
    /// The rows, in the server's order.
    private(set) var ids: [RowID] = []
    /// The same, each once.
    private(set) var distinct: Set<RowID> = []
    /// How many of them each page has.
    private(set) var sizes: [Int] = []
    /// Of all pages together.
    var report = ImportReport()
    /// Whether these are all members: no page before the first or after the last, each page a list, of which nothing was
    /// rejected.
    var isWhole = true
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
    /// The question for the first page, open until the membership is stored. Without it, as in a page that is kept for later, the
    /// pages are merged into the list, and nothing leaves it.
    var question: Question?
    /// How much was read.
    var extent = PageSigns.Extent()
    /// What the last page says of whether there is more.
    var signs = PageSigns()
    /// The rows of the last page.
    var page: [RowID] = []
    /// The page that follows.
    var next: RequestURL?
    /// The URLs of the pages that were asked for.
    var seen: Set<String> = []
    var last: RequestSummary?
    /// How many pages there were in a row, up to the last, of which each had only what came before.
    private(set) var barrenPages = 0
    /// Whether each page was asked for by the last object before it.
    var isByIdentity = true
    /// What was here before the first page, where what is left out is to be deleted.
    var former: [RecordID] = []
    var pruned: PruneReport?
    /// What the store knows of how far it has been listed.
    var listing: Listing?
    /// The greatest value that ``PageWalk/newest`` has in what the server has sent.
    private(set) var newest: StoredValue?
    /// How many objects came before these, of which no more is known.
    private(set) var skippedCount = 0

    init(next: RequestURL?) { self.next = next }

    /// Takes the rows of a page.
    mutating func take(_ rows: [RowID]) {
        let known = distinct.count
        ids += rows
        distinct.formUnion(rows)
        sizes.append(rows.count)
        barrenPages = rows.isEmpty || distinct.count > known ? 0 : barrenPages + 1
    }

    /// Takes a value of ``PageWalk/newest``.
    mutating func take(newest value: StoredValue?) {
        guard let value, !value.isNull, newest.map({ $0.isBefore(value) }) ?? true else { return }
        newest = value
    }

    /// The rows, each at its first place.
    var members: [RowID] {
        if ids.count == distinct.count { return ids }
        var seen: Set<RowID> = []
        return ids.filter { seen.insert($0).inserted }
    }

    /// The same for a page that is kept for later: what happens here meanwhile is not noted for it, so what follows is merged in,
    /// and nothing leaves the list.
    var forLater: PageCourse {
        var course = self
        course.question = nil
        course.isWhole = false
        course.skippedCount += distinct.count
        (course.ids, course.distinct, course.sizes, course.former) = ([], [], [], [])
        return course
    }

    /// Goes on where another course has stopped.
    mutating func goOn(at bookmark: PageBookmark) {
        isWhole = false
        next = RequestURL(bookmark.next)
        (seen, nextPosition, skippedCount) = (bookmark.seen, bookmark.position, bookmark.fetchedCount)
        (extent.pages, extent.elements) = (bookmark.pageCount, bookmark.fetchedCount)
    }

    /// Whether two listings have the same, page by page.
    func isSame(as other: PageCourse) -> Bool { ids == other.ids && sizes == other.sizes }
}
