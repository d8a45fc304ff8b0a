import ObjectStore

/// A row as requests need it: all that URLs and bodies are made of.
///
/// A live object is one. A row as the file has it, or a change that waits to be sent, can be one as well: nothing here
/// asks for a context or an actor.
protocol OutboundRow {
    /// The row's model.
    var model: ModelSchema { get }
    /// The value that a property has, in the form in which the file keeps it.
    func storedValue(_ property: Property) -> StoredValue
    /// The row that a to-one relationship leads to; nil when there is none, or it is deleted. One that is not here has
    /// its identity, and nothing else.
    func linkedRow(_ property: Property) -> (any OutboundRow)?
    /// The members of a to-many relationship in their order, without the deleted ones, and with those that are not
    /// here.
    func listedRows(_ property: Property) -> [any OutboundRow]
    /// Whether the server may have members of a list that nobody has named here.
    func isPartial(_ list: Property) -> Bool
    /// Whether the server has a member of a list more than once, where the row has it once.
    func repeatsMember(_ list: Property) -> Bool
    /// The attributes and links of which neither the server nor an edit here has said what they are.
    var unsaidProperties: Set<PropertyIndex> { get }
    /// The properties that the server has not been told of as they are now.
    var unsentProperties: [Property] { get }
    /// An attribute's value as the server wrote it, where it can't be written again so; nil for any other.
    func keptText(_ property: Property) -> WireText?
    /// How the server last wrote the property; of a relationship, the identities by which it came.
    func shape(_ property: Property) -> WireShape
    /// The keys that lead to the property's value in JSON, as the server last spelt them.
    func path(of property: Property) -> [String]
    /// The key that holds a relationship's identities in JSON, where the server spells it its own way.
    func identityKey(of property: Property) -> String?
    /// The row as the server knows it, of which URLs are made: without what is edited here and not confirmed.
    var known: any OutboundRow { get }
}

extension OutboundRow {
    /// An attribute's value in JSON, as the server writes it.
    ///
    /// - Parameter shape: how it writes it; as the row's own where that is nil.
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

/// A live object, and whatever its links lead to, as the server knows it.
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
