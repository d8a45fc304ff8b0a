import ObjectStore

/// The data of a row that URLs and bodies are made of, independent of contexts and actors.
protocol OutboundRow {
    var model: ModelSchema { get }
    func storedValue(_ property: Property) -> StoredValue
    /// The target; nil if there is none or it is deleted. A pending target has only its identity.
    func linkedRow(_ property: Property) -> (any OutboundRow)?
    /// The members in their order, except deleted ones. Pending members have only their identities.
    func listedRows(_ property: Property) -> [any OutboundRow]
    /// Whether the server may have members that are unknown here.
    func isPartial(_ list: Property) -> Bool
    func repeatsMember(_ list: Property) -> Bool
    /// Attributes and links that replies and edits have left unset.
    var unloadedProperties: Set<PropertyIndex> { get }
    var unsentProperties: [Property] { get }
    /// The server's JSON of a value that the stored form fails to reproduce.
    func keptText(_ property: Property) -> WireText?
    /// How the server last wrote the value, or the identities of a relationship.
    func shape(_ property: Property) -> WireShape
    func path(of property: Property) -> [String]
    /// The key of the identities; nil if it follows the conventions.
    func identityKey(of property: Property) -> String?
    /// The row with the server's values instead of pending edits, for URLs.
    var known: any OutboundRow { get }
}

extension OutboundRow {
    /// The value in the server's way of writing.
    ///
    /// - Parameter shape: the way of writing; nil for the row's own.
    func sentText(_ property: Property, shaped shape: WireShape? = nil) throws(UnsendableValue) -> WireText {
        if let text = keptText(property) { return text }
        return try property.wireText(of: storedValue(property), shape ?? self.shape(property))
    }

    func sentPath(of property: Property) -> [String] { property.sentPath(insteadOf: path(of: property)) }

    func keptText(_ property: Property) -> WireText? { nil }

    var known: any OutboundRow { self }

    func isPartial(_ list: Property) -> Bool { false }

    func repeatsMember(_ list: Property) -> Bool { false }

    var unloadedProperties: Set<PropertyIndex> { [] }
    var unsentProperties: [Property] { [] }

    func path(of property: Property) -> [String] { property.documentPath }

    func identityKey(of property: Property) -> String? { nil }
}

extension ObjectState: OutboundRow {
    func linkedRow(_ property: Property) -> (any OutboundRow)? { target(of: property)?.row }

    func listedRows(_ property: Property) -> [any OutboundRow] { memberTargets(of: property).map(\.row) }

    var known: any OutboundRow { KnownObject(serverValues: ServerValues(of: self)) }

    func keptText(_ property: Property) -> WireText? { keptText(property, of: storedValue(property)) }
}

/// An object, and the targets of its links, with the server's values.
private struct KnownObject: OutboundRow {
    let serverValues: ServerValues

    var model: ModelSchema { serverValues.object.model }

    func storedValue(_ property: Property) -> StoredValue { serverValues.value(property) }

    func linkedRow(_ property: Property) -> (any OutboundRow)? { serverValues.target(of: property)?.row.known }

    func listedRows(_ property: Property) -> [any OutboundRow] { serverValues.object.listedRows(property) }

    func keptText(_ property: Property) -> WireText? {
        serverValues.object.keptText(property, of: storedValue(property))
    }

    func shape(_ property: Property) -> WireShape { serverValues.object.shape(property) }

    func path(of property: Property) -> [String] { serverValues.object.path(of: property) }

    func identityKey(of property: Property) -> String? { serverValues.object.identityKey(of: property) }
}

extension RelationshipTarget {
    fileprivate var row: any OutboundRow {
        switch self {
        case .object(let object): object._object
        case .pending(let target): target
        }
    }
}

extension PendingTarget: OutboundRow {
    func storedValue(_ property: Property) -> StoredValue { value(property) }

    func linkedRow(_ property: Property) -> (any OutboundRow)? { target(property) }

    func listedRows(_ property: Property) -> [any OutboundRow] { [] }
}
