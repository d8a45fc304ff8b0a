import Synchronization

/// How the server last wrote each attribute, as the file says it: read by whoever sends, written by imports.
package final class LearnedShapes: Sendable {
    /// By table and property.
    private let shapes: Mutex<[[WireShape]]>

    struct Lesson: Sendable {
        let table: Int
        let property: Int
        let shape: WireShape
    }

    init(_ schema: Schema) {
        shapes = Mutex(schema.tables.map { Array(repeating: .standard, count: $0.properties.count) })
    }

    /// The standard shape for what never came, and for a class that the store does not know.
    package subscript(table: Int, property: Int) -> WireShape {
        shapes.withLock { shapes in
            guard shapes.indices.contains(table), shapes[table].indices.contains(property) else { return .standard }
            return shapes[table][property]
        }
    }

    func all(of table: Int) -> [WireShape] { shapes.withLock { $0[table] } }

    func take(_ lessons: [Lesson]) {
        shapes.withLock { shapes in
            for lesson in lessons { shapes[lesson.table][lesson.property] = lesson.shape }
        }
    }
}

extension Writer {
    /// Reads what the file says.
    func refreshShapes() throws {
        let read = try connection.statement("SELECT model, property, shape FROM _wire_shape")
        var lessons: [LearnedShapes.Lesson] = []
        while try read.step() {
            let (model, name) = (read.text(0), read.text(1))
            guard let table = schema.tables.first(where: { $0.name == model }),
                let property = table.property(named: name)
            else { continue }
            let shape = WireShape(bits: UInt32(truncatingIfNeeded: read.integer(2)))
            lessons.append(LearnedShapes.Lesson(table: table.index, property: property.index, shape: shape))
        }
        shapes.take(lessons)
    }

    /// Writes shapes within the running transaction; others see them once it is committed.
    func keep(_ lessons: [LearnedShapes.Lesson]) throws {
        guard !lessons.isEmpty else { return }
        let write = try connection.statement(
            "INSERT OR REPLACE INTO _wire_shape (model, property, shape) VALUES (?, ?, ?)")
        for lesson in lessons {
            let table = schema.tables[lesson.table]
            write.bind(.text(table.name), at: 1)
            write.bind(.text(table.properties[lesson.property].name), at: 2)
            write.bind(Int64(lesson.shape.bits), at: 3)
            try write.run()
        }
        lessonsInTransaction += lessons
    }
}
