package struct Column: Sendable {
    package let index: ColumnIndex
    package let name: String
    /// Quoted for SQL.
    let sqlName: String
    package let type: ColumnType
    package let property: PropertyIndex
    /// Of a to-one link.
    package let target: TableID?
    /// For the row, as the link's inverse declares.
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
