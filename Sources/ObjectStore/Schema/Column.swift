/// A column of a model's table.
package struct Column: Sendable {
    package let index: ColumnIndex
    package let name: String
    /// The name as it stands in a statement.
    let sqlName: String
    package let type: ColumnType
    /// The index of the property that it keeps.
    package let property: PropertyIndex
    /// The table whose local key it holds, for a to-one link.
    package let target: TableID?
    /// What the deletion of the target does to the row, by the rule of the relationship that is the link's inverse.
    package let onTargetDeleted: DeleteRule

    init(
        index: ColumnIndex, name: String, type: ColumnType, property: PropertyIndex, target: TableID?,
        onTargetDeleted: DeleteRule = .nullify
    ) {
        self.index = index
        self.name = name
        self.sqlName = SQL.quoted(name)
        self.type = type
        self.property = property
        self.target = target
        self.onTargetDeleted = onTargetDeleted
    }
}
