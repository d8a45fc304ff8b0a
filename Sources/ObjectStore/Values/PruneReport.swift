/// The result of pruning objects that a listing omitted.
///
/// Objects are pruned only with ``Proof`` that the listing is complete.
public struct PruneReport: Sendable, Hashable {
    /// The proof that all objects were seen, even between pages.
    public enum Proof: Sendable, Hashable {
        /// The whole list was one response.
        case oneAnswer
        /// Each page was requested by the last object of the page before, in a stable order, so moved objects are seen.
        case order
        /// A second listing had the same objects on each page.
        case sameTwice
    }

    /// The reason why nothing was pruned.
    public enum Obstacle: Sendable, Hashable {
        /// Pages are missing, the server indicates more, a part was unreadable, or many local objects changed between
        /// two pages.
        case incomplete
        /// The listing isn't of the collection, but has a query, another URL or a key path. Deletions also require that
        /// all pages come from the same host and are requested with the API's header fields only.
        case otherScope
        /// Parts of the listing came from the store instead of the server.
        case stored
        /// The second listing differed from the first.
        case changing
        /// The second listing failed.
        case unproven
        /// The list has pending edits.
        case unsent
    }

    /// The number of members that left the list.
    public package(set) var unlinked = 0
    /// The number of deleted objects.
    public package(set) var deleted = 0
    /// The number of omitted objects that stay: they have pending edits, or arrived or changed since the request.
    public package(set) var kept = 0
    /// The proof that omitted objects are gone; `nil` if there are none, or no proof.
    public package(set) var proof: Proof?
    /// The reason why nothing was pruned; `nil` if all omitted objects were pruned.
    public package(set) var obstacle: Obstacle?

    /// For a listing that omits nothing.
    package init() {}

    /// For a listing that pruned nothing.
    package init(_ obstacle: Obstacle) { self.obstacle = obstacle }
}

extension PruneReport: CustomStringConvertible {
    /// The report in words.
    public var description: String {
        if let obstacle { return "nothing pruned: \(obstacle.description)" }
        guard let proof else { return "nothing to prune" }
        var parts: [String] = []
        if unlinked > 0 { parts.append("\(unlinked) unlinked") }
        if deleted > 0 { parts.append("\(deleted) deleted") }
        if kept > 0 { parts.append("\(kept) kept, as they wait to be sent or are newer") }
        return "\(parts.isEmpty ? "nothing" : parts.joined(separator: ", ")): \(proof.description)"
    }
}

extension PruneReport.Proof {
    fileprivate var description: String {
        switch self {
        case .oneAnswer: "the list came in one answer"
        case .order: "each page began after the last object before it"
        case .sameTwice: "a second listing had the same"
        }
    }
}

extension PruneReport.Obstacle {
    fileprivate var description: String {
        switch self {
        case .incomplete: "the list has not come whole"
        case .otherScope: "the list is of a query, or not the collection's own"
        case .stored: "the server was not asked for all of it"
        case .changing: "a second listing had other objects, so they may have moved between pages"
        case .unproven: "the second listing, which is to prove it, has failed"
        case .unsent: "the list waits to be sent"
        }
    }
}
