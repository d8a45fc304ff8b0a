public import ObjectStore

/// What was sent contradicts what the server has: 409, or 412 to a condition.
///
/// The object keeps its edits. To let the server's version win, `rollback()` and `fetch()`; to let one's own win,
/// `save()` again as the server wants it; to decide by property, compare the two:
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
    /// The reply: its status, its words, its body.
    public let reply: ReplyError
    /// The version that the edits were made on, for three-way merges: attributes and links, without lists.
    public let base: PropertyValues
    /// What was sent, as it was then; for a deletion, the whole object.
    public let local: PropertyValues
    /// The server's current version, as far as it told: from the reply's body if that has the object, else from one GET
    /// of the object's own URL, which costs a round trip. Nothing of it is stored. nil when neither has the object.
    public let server: PropertyValues?
    /// The edits that were sent.
    let edits: Set<ChangeStamp>
}

extension Conflict: CustomStringConvertible, CustomReflectable {
    /// The reply's, and what differs: names only.
    public var description: String {
        guard let server else { return reply.description }
        let names = local.names.intersection(server.names).filter { name in
            local.attributes[name] != server.attributes[name]
                || local.relationships[name] != server.relationships[name]
        }
        return reply.description
            + (names.isEmpty ? "" : "; the server's \(names.sorted().joined(separator: ", ")) differ")
    }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
