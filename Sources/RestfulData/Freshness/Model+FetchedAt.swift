public import Foundation
public import ObjectStore

extension Model {
    /// The time at which a stored response last contained this object, or a 304 confirmed it, by the local clock.
    ///
    /// It is nil if no stored response contains the object: for example, for a new object, or after a reply with
    /// `no-store`.
    ///
    /// ```swift
    /// try await issue.fetch(.ifOlder(than: .seconds(300)))
    /// since = issue.fetchedAt                                  // @State private var since: Date?
    /// ```
    ///
    /// It can be observed. A 304 notifies observers, too.
    ///
    /// - Complexity: linear in the stored responses for the first call between two `await`s, then O(log n) for each
    ///   object.
    public var fetchedAt: Date? {
        guard !isInserted, let context = _object.context else { return nil }
        let record = _object.record
        let last = (try? context.lastAnswer(about: record)) ?? nil
        context.noteRead(.lastAnswer(record), last) { (try? $0.lastAnswer(about: record)) ?? nil }
        return last.map { Date(timeIntervalSince1970: $0) }
    }
}
