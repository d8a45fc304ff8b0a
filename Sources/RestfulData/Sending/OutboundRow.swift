import ObjectStore

/// The data of a row that URLs and bodies are made of.
///
/// A live object conforms. A stored row or a queued change can, too, since the requirements are independent of contexts
/// and actors.
protocol OutboundRow {
    var model: ModelSchema { get }
    func storedValue(_ property: Property) -> StoredValue
    /// The target of a to-one relationship; nil if there is none or it is deleted. A pending target has only its
    /// identity.
    func linkedRow(_ property: Property) -> (any OutboundRow)?
    /// The members of a to-many relationship in their order, except deleted ones. Pending members have only their
    /// identities.
    func listedRows(_ property: Property) -> [any OutboundRow]
    /// Whether the server may have members of a list that are unknown here.
    func isPartial(_ list: Property) -> Bool
    /// Whether the server's list has a member more than once.
    func repeatsMember(_ list: Property) -> Bool
    /// Attributes and links with unknown values, which replies and edits have left unset.
    var unsaidProperties: Set<PropertyIndex> { get }
    var unsentProperties: [Property] { get }
    /// The server's JSON of an attribute's value, if it can't be reproduced from the stored form; otherwise nil.
    func keptText(_ property: Property) -> WireText?
    /// The way in which the server last wrote a property's value. For a relationship, it is that of the identities.
    func shape(_ property: Property) -> WireShape
    /// The key path of a property in JSON, as the server last wrote it.
    func path(of property: Property) -> [String]
    /// The JSON key of a relationship's identities, if the server's deviates from the conventions.
    func identityKey(of property: Property) -> String?
    /// The row with the server's values instead of pending edits. URLs are made from it.
    var known: any OutboundRow { get }
}

extension OutboundRow {
    /// An attribute's value as JSON, in the server's way of writing.
    ///
    /// - Parameter shape: the way of writing; nil for the row's own.
    func sentText(_ property: Property, shaped shape: WireShape? = nil) throws(UnsendableValue) -> WireText {
        if let text = keptText(property) { return text }
        return try property.wireText(of: storedValue(property), shape ?? self.shape(property))
    }

    /// The keys that lead to the property's value in an object that is sent.
    func sentPath(of property: Property) -> [String] { property.sentPath(insteadOf: path(of: property)) }

    func keptText(_ property: Property) -> WireText? { nil }

    var known: any OutboundRow { self }

    func isPartial(_ list: Property) -> Bool { false }

    func repeatsMember(_ list: Property) -> Bool { false }

    var unsaidProperties: Set<PropertyIndex> { [] }
    var unsentProperties: [Property] { [] }

    func path(of property: Property) -> [String] { property.documentPath }

    func identityKey(of property: Property) -> String? { nil }
}

extension ObjectState: OutboundRow {
    func linkedRow(_ property: Property) -> (any OutboundRow)? { target(of: property)?.row }

    func listedRows(_ property: Property) -> [any OutboundRow] { memberTargets(of: property).map(\.row) }

    var known: any OutboundRow { KnownObject(said: LastSaid(of: self)) }

    func keptText(_ property: Property) -> WireText? { keptText(property, of: storedValue(property)) }
}

/// A live object with the server's values, also for the targets of its links.
private struct KnownObject: OutboundRow {
    let said: LastSaid

    var model: ModelSchema { said.object.model }

    func storedValue(_ property: Property) -> StoredValue { said.value(property) }

    func linkedRow(_ property: Property) -> (any OutboundRow)? { said.target(of: property)?.row.known }

    func listedRows(_ property: Property) -> [any OutboundRow] { said.object.listedRows(property) }

    func keptText(_ property: Property) -> WireText? { said.object.keptText(property, of: storedValue(property)) }

    func shape(_ property: Property) -> WireShape { said.object.shape(property) }

    func path(of property: Property) -> [String] { said.object.path(of: property) }

    func identityKey(of property: Property) -> String? { said.object.identityKey(of: property) }
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
