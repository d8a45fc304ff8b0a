package struct List: Sendable {
    package enum Storage: Sendable {
        /// The list consists of the rows whose link `column` refers to the owner, ordered by the column `position`. The
        /// link is the list's inverse.
        case column(property: PropertyIndex, column: String, position: String)
        /// The members are in a join table. `isReversed` is false on the side that defines the table.
        case join(JoinTable, isReversed: Bool)
    }

    package let id: ListID
    package let target: TableID
    /// The root stands for any model of the table.
    package var submodel = SubmodelIndex.root
    package let inverse: PropertyIndex?
    /// Whether the list consists of its members' links to the owner.
    package var isOfLinks: Bool { if case .column = storage { true } else { false } }
    package let storage: Storage
    package var options: RelationshipOptions

    /// The join table that this list defines. Nil if the other side defines it.
    var joinTable: JoinTable? { if case .join(let join, isReversed: false) = storage { join } else { nil } }
}

/// The table of a many-to-many relationship: (source_id, target_id), with the position in each side's list.
package struct JoinTable: Sendable {
    package let name: String
    package let source: TableID
    package let target: TableID
    /// Whether the other side has a list too, with an order of its own.
    package let isTwoSided: Bool
}
