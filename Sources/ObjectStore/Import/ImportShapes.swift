/// How the values of a model's properties were written so far in one import: by column, then by property for
/// relationships to many, which have no column.
@safe final class ImportShapes {
    /// Allocated once and freed in `deinit`; every index is a column, or the number of columns and a property.
    private let shapes: UnsafeMutablePointer<WireShape>
    private let places: [Int]
    private(set) var haveChanged = false

    init(_ table: ModelSchema) {
        places = table.properties.map { $0.column ?? table.columns.count + $0.index }
        let count = table.columns.count + table.properties.count
        unsafe shapes = .allocate(capacity: max(count, 1))
        unsafe shapes.initialize(repeating: .standard, count: max(count, 1))
    }

    // Shapes are trivial, so there is nothing to deinitialize.
    deinit { unsafe shapes.deallocate() }

    /// Begins with what is known.
    func begin(_ known: [WireShape]) {
        haveChanged = false
        for (property, shape) in known.enumerated() { unsafe shapes[places[property]] = shape }
    }

    /// For each value that is read, so one comparison.
    @inline(__always)
    func note(_ shape: WireShape, _ column: Int) {
        if unsafe shapes[column] != shape { change(shape, column) }
    }

    @inline(never)
    private func change(_ shape: WireShape, _ column: Int) {
        unsafe shapes[column] = shape
        haveChanged = true
    }

    /// An identity by which a relationship came.
    func note(_ shape: WireShape, ofRelationship property: Int) {
        var shape = shape
        shape.isSeen = true
        note(shape, places[property])
    }

    func shape(_ property: Int) -> WireShape { unsafe shapes[places[property]] }
}

extension Importer {
    /// Keeps the shapes that are others than before.
    func learnShapes() throws {
        guard request.teachesShapes else { return }
        for plan in plans where plan.shapes.haveChanged {
            let known = writer.shapes.all(of: plan.table.index)
            let lessons = known.indices.compactMap { property -> LearnedShapes.Lesson? in
                let shape = plan.shapes.shape(property)
                guard shape != known[property] else { return nil }
                return LearnedShapes.Lesson(table: plan.table.index, property: property, shape: shape)
            }
            try writer.keep(lessons)
        }
    }
}
