public import ObjectStore

/// A change that contradicts the server's version: 409, or 412 to a condition.
///
/// The object keeps its edits. To take the server's version, call `rollback()` and `fetch()`. To keep your version,
/// call `save()` again as the server requires. To decide by property, compare both versions:
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
    /// The values that the edits were made on, for three-way merges: attributes and links, without lists.
    public let base: PropertyValues
    /// The values sent; for a deletion, the whole object.
    public let local: PropertyValues
    /// The server's current version, as far as it is known. It comes from the reply's body, or else from one GET of the
    /// object's own URL, which costs a round trip. It isn't stored. nil if neither has the object.
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
