package struct Column: Sendable {
    package let index: ColumnIndex
    package let name: String
    /// Quoted for SQL.
    let sqlName: String
    package let type: ColumnType
    package let property: PropertyIndex
    /// For a to-one link: the table of the row that it refers to.
    package let target: TableID?
    /// The effect of the target's deletion on the row, as declared by the link's inverse.
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
