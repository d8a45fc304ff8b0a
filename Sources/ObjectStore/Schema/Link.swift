/// A to-one relationship.
package struct Link: Sendable {
    package let target: TableID
    /// The only model of the target that it references.
    package var submodel = SubmodelIndex.root
    /// The index of the inverse property in the target's table.
    package let inverse: PropertyIndex?
    package var options: RelationshipOptions
}

/// What a to-one relationship leads to, and by which property back, without a copy of all that is known of it.
struct LinkEnds {
    let target: TableID
    let inverse: PropertyIndex?
}
