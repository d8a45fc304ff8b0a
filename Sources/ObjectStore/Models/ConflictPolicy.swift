/// The resolution of conflicts in the outbox. In a conflict, the server refuses a change with 409 or 412, since it has
/// another version of the object.
///
/// ```swift
/// conventions.conflicts = .byProperty(otherwise: .ask)
///
/// conventions.conflicts = .decide { versions in
///     guard versions.contested == ["body"], let mine = versions.local[Issue.properties.body] else { return .ask }
///     var merged = versions.local
///     merged[Issue.properties.body] = mine + "\n" + (versions.server[Issue.properties.body] ?? "")
///     return .merged(merged)
/// }
/// ```
///
/// If changes carry a condition (``ConditionalWrites``), a fetch that brings another value of an edited attribute also
/// reveals a conflict.
///
/// The outbox fetches the object once, stores the server's version as the base of the edits, and resolves the conflict
/// in the same transaction. Edits made on the server's version are sent again at once. An entry refused four times in a
/// row is rejected.
///
/// A model's policy (`@Model(conflicts:)`) overrides the API's. Calls that send at once throw conflicts.
public enum ConflictPolicy: Sendable {
    /// Rejects the entry as ``Rejection/Kind/conflict``. You send the edits by `save(.queued)` or ``Outbox/retry(_:)``,
    /// or discard them by ``Outbox/discard(_:)``.
    case ask
    /// Discards the edits that were sent. A deleted object returns.
    case serverWins
    /// Sends the edits again, over the server's version.
    case localWins
    /// Keeps the change of a property that only one side has changed. The other policy applies to properties that both
    /// sides have changed to different values. It also applies to a deletion if the server has changed the object.
    indirect case byProperty(otherwise: ConflictPolicy)
    /// Calls a closure with the three versions, on no particular actor.
    case decide(@Sendable (ConflictVersions) async -> ConflictResolution)
}

/// The three versions of an object in a conflict.
///
/// They have the attributes and links that were sent; for a deletion, all attributes. Lists are left out, since
/// additions and removals apply to the server's list. Edits of relationships to one of several models are left out,
/// too, and kept or discarded with the version; ``ConflictPolicy/byProperty(otherwise:)`` keeps them.
public struct ConflictVersions: Sendable, Hashable {
    /// The version that the edits were made on.
    public let base: PropertyValues
    /// The version with the edits that were sent.
    public let local: PropertyValues
    /// The server's current version.
    public let server: PropertyValues
    /// Whether the refused change is the object's deletion.
    public let isDeletion: Bool
    /// The names of the properties that both sides have changed to different values; for a deletion, of all that the
    /// server has changed.
    public let contested: Set<String>

    package init(base: PropertyValues, local: PropertyValues, server: PropertyValues, isDeletion: Bool) {
        let names = base.names.intersection(server.names)
        (self.base, self.local, self.isDeletion) = (base.only(names), local.only(names), isDeletion)
        self.server = server.only(names)
        contested = names.filter { name in
            if base.hasSame(name, as: server) { return false }
            return isDeletion || !local.hasSame(name, as: server) && !local.hasSame(name, as: base)
        }
    }
}

/// The resolution of a conflict.
public enum ConflictResolution: Sendable, Hashable {
    /// The entry is rejected and waits for a decision.
    case ask
    /// The server's version stays. The edits that were sent are discarded.
    case server
    /// The edits are sent again, over the server's version.
    case local
    /// These attributes become the edits and are sent; links and lists are ignored. Other properties get the server's
    /// values. For a deletion, as ``server``.
    case merged(PropertyValues)
}

extension PropertyValues {
    package mutating func setAttribute(_ name: String, _ value: StoredValue) { attributes[name] = value }

    package func only(_ names: Set<String>) -> PropertyValues {
        var some = self
        some.attributes = attributes.filter { names.contains($0.key) }
        some.relationships = relationships.filter { names.contains($0.key) }
        return some
    }

    /// Ignores the order of a list.
    package func hasSame(_ name: String, as other: PropertyValues) -> Bool {
        if attributes[name] != other.attributes[name] { return false }
        guard let own = relationships[name], let others = other.relationships[name] else {
            return relationships[name] == other.relationships[name]
        }
        return own == others || Set(own) == Set(others)
    }
}
