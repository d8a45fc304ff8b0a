package struct Column: Sendable {
    package let index: ColumnIndex
    package let name: String
    let sqlName: String
    package let type: ColumnType
    package let property: PropertyIndex
    /// The target of a to-one link.
    package let target: TableID?
    /// The link's effect on this row, as its inverse declares.
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
