package struct List: Sendable {
    package enum Storage: Sendable {
        /// The rows whose link `column`, the list's inverse, refers to the owner, in the order of the column
        /// `position`.
        case column(property: PropertyIndex, column: String, position: String)
        /// `isReversed` is false on the side that defines the table.
        case join(JoinTable, isReversed: Bool)
    }

    package let id: ListID
    package let target: TableID
    /// The root stands for any model of the table.
    package var submodel = SubmodelIndex.root
    package let inverse: PropertyIndex?
    /// Whether its members link to the owner.
    package var isOfLinks: Bool { if case .column = storage { true } else { false } }
    package let storage: Storage
    package var options: RelationshipOptions

    /// Nil for lists of links, or if the other side defines the table.
    var joinTable: JoinTable? { if case .join(let join, isReversed: false) = storage { join } else { nil } }
}

/// (source_id, target_id), with a position for each side.
package struct JoinTable: Sendable {
    package let name: String
    package let source: TableID
    package let target: TableID
    /// Whether the other side has a list, too, with its own order.
    package let isTwoSided: Bool
}
