import Synchronization

/// How the server last wrote each attribute, as the file says it: read by whoever sends, written by imports.
package final class LearnedShapes: Sendable {
    /// By table and property.
    private let shapes: Mutex<TableMap<[WireShape]>>

    init(_ schema: Schema) {
        shapes = Mutex(TableMap(schema) { Array(repeating: .standard, count: $0.properties.count) })
    }

    /// The standard shape for what never came, and for a class that the store does not know.
    package subscript(table: TableID, property: PropertyIndex) -> WireShape {
        shapes.withLock { shapes in
            guard shapes.contains(table), shapes[table].indices.contains(property.rawValue) else { return .standard }
            return shapes[table][property.rawValue]
        }
    }

    /// By property.
    func all(of table: TableID) -> [WireShape] { shapes.withLock { $0[table] } }

    func take(_ learned: [LearnedShape]) {
        shapes.withLock { shapes in
            for shape in learned { shapes[shape.table][shape.property.rawValue] = shape.shape }
        }
    }
}
