/// What becomes of the objects that a listing leaves out, once it has come whole and proves that they are gone
/// (``PruneReport``).
///
/// ```swift
/// let all = try await Issue.fetchAllReporting(pages: .all(), prune: .delete, in: store.main)
/// print(all.pruned!)                          // 3 deleted: a second listing had the same
/// ```
///
/// What has no more pages than one is proof by itself. A listing of several pages is none where the server counts them
/// off: what moves from one page to another between two requests is on neither. So before anything goes, such a list is
/// listed once more, which costs little where the server knows validators, and what is left out must be left out page
/// by page as before.
public enum Pruning: Sendable, Hashable {
    /// Members leave the list, and stay what they are. What is done for lists of objects where nothing is said.
    case unlink
    /// Members that leave the list are deleted; of all objects of a model, those that are left out. So the model's base
    /// URL has to list all that the store may have of it, whatever other lists they came by.
    ///
    /// None is that waits to be sent, has unsaved edits in the context, or has come or changed since the listing was
    /// asked for; nor one that something leads to which waits to be sent.
    case delete
    /// Nothing.
    case never
}
