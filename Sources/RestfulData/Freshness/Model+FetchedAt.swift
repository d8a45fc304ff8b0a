public import Foundation
public import ObjectStore

extension Model {
    /// When a stored response last contained this object, or a 304 confirmed it, by the local clock.
    ///
    /// It is nil if no stored response contains the object, as after a reply with `no-store`.
    ///
    /// Observers are notified of a 304, too.
    ///
    /// - Complexity: linear in the stored responses for the first call between two `await`s, then O(log n).
    public var fetchedAt: Date? {
        guard !isInserted, let context = _object.context else { return nil }
        let record = _object.record
        let last = (try? context.lastAnswer(about: record)) ?? nil
        context.noteRead(.lastAnswer(record), last) { (try? $0.lastAnswer(about: record)) ?? nil }
        return last.map { Date(timeIntervalSince1970: $0) }
    }
}
