/// What became of what a listing left out, and why.
///
/// Nothing is pruned but on proof: the listing has come whole, and either it was one answer, or each of its pages was
/// asked for by the last object before it, so that nothing could move past, or a second listing had the same on each of
/// its pages.
public struct PruneReport: Sendable, Hashable {
    /// What shows that nothing was missed between two pages.
    public enum Proof: Sendable, Hashable {
        /// All of it came in one answer.
        case oneAnswer
        /// Each page was asked for by the last object of the one before, in an order that doesn't change.
        case order
        /// It was listed twice, and was the same page by page.
        case sameTwice
    }

    /// Why nothing was pruned.
    public enum Obstacle: Sendable, Hashable {
        /// Pages are missing, something says that there is more, a part could not be read, or very much has changed
        /// here between two pages.
        case incomplete
        /// The listing is of a query, of another URL than the collection's own, or at a key path; or, where it was to
        /// delete, a page came from another host, or was asked for with header fields of the call's own: what leaves
        /// that may be elsewhere.
        case otherScope
        /// The server was not asked for all of it.
        case stored
        /// A second listing was not as the first one: what is missing may have moved from one page to another.
        case changing
        /// The second listing has failed.
        case unproven
        /// The list waits to be sent.
        case unsent
    }

    /// Members that have left the list.
    public package(set) var unlinked = 0
    /// Objects that were deleted.
    public package(set) var deleted = 0
    /// Objects that were left out and stay: they wait to be sent, or have come or changed since the listing was asked
    /// for.
    public package(set) var kept = 0
    /// What shows that they are gone; `nil` where nothing was left out, or where there is no proof.
    public package(set) var proof: Proof?
    /// Why nothing was pruned; `nil` where all was pruned that was left out.
    public package(set) var obstacle: Obstacle?

    /// Nothing was left out.
    package init() {}

    /// Nothing was pruned.
    package init(_ obstacle: Obstacle) { self.obstacle = obstacle }
}

extension PruneReport: CustomStringConvertible {
    /// The same in words.
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
