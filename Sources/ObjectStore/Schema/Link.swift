package struct Link: Sendable {
    package let target: TableID
    /// The root stands for any model of the table.
    package var submodel = SubmodelIndex.root
    /// The inverse property in the target's table.
    package let inverse: PropertyIndex?
    package var options: RelationshipOptions
}

/// The target and inverse of a to-one relationship. Avoids a copy of ``Link``.
struct LinkEnds {
    let target: TableID
    let inverse: PropertyIndex?
}
