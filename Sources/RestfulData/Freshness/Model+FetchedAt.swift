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
    /// It is not observed, as an answer may change nothing but this, and a 304 wakes nobody: read it once a fetch has
    /// returned.
    ///
    /// - Complexity: a look at each answer that the store has, the first time from one `await` to the next; then
    ///   O(log n) in these for each object.
    public var fetchedAt: Date? {
        guard !isInserted, let context = _object.context else { return nil }
        return (try? context.lastAnswer(about: _object.record))?.map { Date(timeIntervalSince1970: $0) }
    }
}
