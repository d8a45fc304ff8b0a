/// How the outbox resolves a conflict: the server refuses a change with 409 or 412, since it has another version.
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
/// A conflict is also known without a refusal if a fetch has brought another value of an edited attribute, and changes
/// carry a condition (``ConditionalWrites``).
///
/// The outbox fetches the object once, stores the server's version beneath the edits, and resolves the conflict in the
/// same transaction. If the server's version is the one that the edits were made on, they are sent again at once. An
/// entry that the server refuses four times in a row is rejected.
///
/// A model's policy (`@Model(conflicts:)`) beats the API's. Calls that send at once throw the conflict instead.
public enum ConflictPolicy: Sendable {
    /// The entry is rejected as ``Rejection/Kind/conflict`` and waits for a decision: `save(.queued)` or
    /// ``Outbox/retry(_:)`` sends the edits over the server's version, ``Outbox/discard(_:)`` takes them back.
    case ask
    /// The edits that were sent are taken back; a deleted object returns.
    case serverWins
    /// The edits are sent again, over the server's version.
    case localWins
    /// A property that was changed on one side alone gets that change. The other policy decides about properties that
    /// both sides have changed to different values. It decides about a deletion if the server has changed the object.
    indirect case byProperty(otherwise: ConflictPolicy)
    /// A closure decides, with the three versions. It is called on no particular actor.
    case decide(@Sendable (ConflictVersions) async -> ConflictResolution)
}

/// The three versions of an object in a conflict.
///
/// They have the attributes and links that were sent; of a deletion, all attributes. Lists aren't compared: additions
/// and removals are made in the server's list.
public struct ConflictVersions: Sendable, Hashable {
    /// The version that the edits were made on.
    public let base: PropertyValues
    /// The version with the edits that were sent.
    public let local: PropertyValues
    /// The server's version now.
    public let server: PropertyValues
    /// Whether the change that was refused is the object's deletion.
    public let isDeletion: Bool
    /// The names of the properties that both sides have changed, to different values.
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

/// How a conflict is resolved.
public enum ConflictResolution: Sendable, Hashable {
    /// The entry is rejected and waits for a decision.
    case ask
    /// The server's version stays: the edits that were sent are taken back.
    case server
    /// The edits are sent again, over the server's version.
    case local
    /// The values of these attributes become the edits, and are sent; the server's version of all other properties
    /// stays. Links and lists in them are not used. Of a deletion it is ``server``.
    case merged(PropertyValues)
}

extension PropertyValues {
    package mutating func setAttribute(_ name: String, _ value: StoredValue) { attributes[name] = value }

    /// The values of some properties.
    package func only(_ names: Set<String>) -> PropertyValues {
        var some = self
        some.attributes = attributes.filter { names.contains($0.key) }
        some.relationships = relationships.filter { names.contains($0.key) }
        return some
    }

    /// Whether two versions have the same value of a property. Lists are the same in any order.
    package func hasSame(_ name: String, as other: PropertyValues) -> Bool {
        if attributes[name] != other.attributes[name] { return false }
        guard let own = relationships[name], let others = other.relationships[name] else {
            return relationships[name] == other.relationships[name]
        }
        return own == others || Set(own) == Set(others)
    }
}
