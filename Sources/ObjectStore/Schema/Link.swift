package struct Link: Sendable {
    package let target: TableID
    /// The root stands for any model of the table.
    package var submodel = SubmodelIndex.root
    /// The inverse in the target's table.
    package let inverse: PropertyIndex?
    package var options: RelationshipOptions
}

/// Avoids a copy of a whole ``Link``.
struct LinkEnds {
    let target: TableID
    let inverse: PropertyIndex?
}
