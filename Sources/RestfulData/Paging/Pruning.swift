/// The treatment of objects that a complete listing omits, if the listing proves that they are gone (``PruneReport``).
///
/// ```swift
/// let all = try await Issue.fetchAllReporting(pages: .all(), prune: .delete, in: store.main)
/// print(all.pruned!) // 3 deleted: a second listing had the same
/// ```
///
/// A listing of one page is a proof, and so are pages that are requested by the last object before them. Otherwise, a
/// moved object may be missing. Such a list is fetched twice, which costs little with validators, and objects are
/// pruned only if both listings are the same, page by page.
public enum Pruning: Sendable, Hashable {
    /// Members leave the list and stay in the store. This is the default for lists of objects.
    case unlink
    /// Omitted members are deleted; for a listing of a model, omitted objects, so its base URL must list everything
    /// that the store may have.
    ///
    /// Objects stay if they have pending or unsaved edits, were added or changed after the listing was requested, or if
    /// unsent objects link to them.
    case delete
    /// Omitted objects stay, and stay members.
    case never
}
