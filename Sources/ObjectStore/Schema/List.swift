/// A to-many relationship.
package struct List: Sendable {
    package enum Storage: Sendable {
        /// The inverse is a to-one link: the members are the target's rows whose `column` references the owner, ordered
        /// by `position`, a column beside it.
        case column(property: PropertyIndex, column: String, position: String)
        /// The members are rows of a table of their own. `isReversed` on the side that did not make the table.
        case join(JoinTable, isReversed: Bool)
    }

    package let id: ListID
    package let target: TableID
    /// The only model of the target whose objects are members.
    package var submodel = SubmodelIndex.root
    package let inverse: PropertyIndex?
    /// Whether the members say by their own links that they are.
    package var isOfLinks: Bool { if case .column = storage { true } else { false } }
    package let storage: Storage
    package var options: RelationshipOptions

    /// The join table that the list makes; `nil` for one that the other side makes, and for a list without.
    var joinTable: JoinTable? { if case .join(let join, isReversed: false) = storage { join } else { nil } }
}

/// The table of a many-to-many relationship: (source_id, target_id) with the position in each side's list.
package struct JoinTable: Sendable {
    package let name: String
    package let source: TableID
    package let target: TableID
    /// Whether the other side has a list too, with an order of its own.
    package let isTwoSided: Bool
}
