/// The treatment of objects that a complete listing omits, if the listing proves that they are gone (``PruneReport``).
///
/// ```swift
/// let all = try await Issue.fetchAllReporting(pages: .all(), prune: .delete, in: store.main)
/// print(all.pruned!) // 3 deleted: a second listing had the same
/// ```
///
/// A listing of one page is a proof. A listing of several pages that the server counts off is weaker: an object that
/// moves between two requests may be missing from all pages. Such a list is therefore fetched a second time before
/// objects are pruned, which costs little if the server supports validators. Objects are pruned only if both listings
/// are the same, page by page.
public enum Pruning: Sendable, Hashable {
    /// Members leave the list and stay in the store. This is the default for lists of objects.
    case unlink
    /// Members that leave the list are deleted. For a listing of all objects of a model, omitted objects are deleted,
    /// so the model's base URL must list everything that the store may have.
    ///
    /// Some objects stay: those with pending or unsaved edits, those that were added or changed after the listing was
    /// requested, and those that unsent objects link to.
    case delete
    /// Omitted objects stay, and stay members.
    case never
}
