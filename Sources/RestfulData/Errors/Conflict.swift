public import ObjectStore

/// A change that contradicts the server's version: 409, or 412 to a condition.
///
/// The object keeps its edits. For the server's version, call `rollback()` and `fetch()`; for yours, `save()` as the
/// server requires. To decide by property, compare both:
///
/// ```swift
/// do {
///     try await issue.save()
/// } catch {
///     guard case .conflict(let conflict) = error else { throw error }
///     let theirs = conflict.server?[Issue.properties.title]
///     …
/// }
/// ```
public struct Conflict: Error, Sendable {
    /// The reply, with its status, message and body.
    public let reply: ReplyError
    /// The attributes and links that the edits were made on, for three-way merges.
    public let base: PropertyValues
    /// The values sent; for a deletion, the whole object.
    public let local: PropertyValues
    /// The server's version, unstored, from the reply or else from one GET of the object's URL; nil if neither has it.
    public let server: PropertyValues?
    /// The edits that were sent.
    let edits: Set<ChangeStamp>
}

extension Conflict: CustomStringConvertible, CustomReflectable {
    /// The reply's description, and the names of the properties that differ.
    public var description: String {
        guard let server else { return reply.description }
        let names = local.names.intersection(server.names).filter { name in
            local.attributes[name] != server.attributes[name]
                || local.relationships[name] != server.relationships[name]
        }
        return reply.description
            + (names.isEmpty ? "" : "; the server's \(names.sorted().joined(separator: ", ")) differ")
    }

    /// The children that `dump` shows: the description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
