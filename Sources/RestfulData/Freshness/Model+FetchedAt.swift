public import Foundation
public import ObjectStore

extension Model {
    /// When the server last said what this object is, in an answer that is stored, or that that was as it was (304), by
    /// the local clock; nil for what no such answer has: one that was made here, or came by `no-store` or other ways.
    ///
    /// ```swift
    /// try await issue.fetch(.ifOlder(than: .seconds(300)))
    /// since = issue.fetchedAt                                  // @State private var since: Date?
    /// ```
    ///
    /// It can be observed: a 304 wakes its observers, too.
    ///
    /// - Complexity: a look at each answer that the store has, the first time from one `await` to the next; then
    ///   O(log n) in these for each object.
    public var fetchedAt: Date? {
        guard !isInserted, let context = _object.context else { return nil }
        let record = _object.record
        let last = (try? context.lastAnswer(about: record)) ?? nil
        context.noteRead(.lastAnswer(record), last) { (try? $0.lastAnswer(about: record)) ?? nil }
        return last.map { Date(timeIntervalSince1970: $0) }
    }
}
