import JSONBytes

// `_wire_text` keeps the JSON of values that their stored form would change: nine digits of a second, leap seconds,
// twenty-digit numbers, days among times. It counts only while it reads as the row's value, so edits may ignore it.

extension Importer {
    /// Keeps JSON that value and format would change.
    @inline(never)
    mutating func noteShape(
        _ shape: WireShape, of column: ColumnIndex, in object: ReadingObject, written: @autoclosure () -> String
    ) throws {
        let plan = object.plan
        var needsText = shape.needsText
        // A declared format covers days and times.
        let isDeclared = plan.property(of: column).format.isDeclared
        switch plan.shapes.note(shape.learned, of: column) {
        case .taken: break
        case .dayAmongTimes: needsText = needsText || !isDeclared
        case .endsDays: if !isDeclared, request.teachesShapes { try keepDays(of: column, in: plan) }
        }
        if needsText { object.frame.texts.append((column, written())) }
    }

    /// Keeps the days of earlier values.
    private func keepDays(of column: ColumnIndex, in plan: ImportPlan) throws {
        try writer.keepDays(of: plan.model[column], in: plan.model)
        plan.keepsTexts = true
    }

    /// Also removes the texts of replaced values.
    mutating func keepTexts(of object: ReadingObject, in row: StoredRow) throws {
        guard request.teachesShapes else { return }
        let (plan, frame) = (object.plan, object.frame)
        let record = RecordID(table: plan.model.table, row: row.id)
        let known = plan.keepsTexts && !row.isNew ? try writer.statements.texts(of: record) : [:]
        var texts: [PropertyIndex: String] = [:]
        for (column, text) in frame.texts { texts[plan.model[column].property] = text }
        var hasChanged = false
        for (property, text) in texts where known[property] != text {
            try writer.keep(text, of: property, in: record)
            hasChanged = true
        }
        for property in known.keys where texts[property] == nil {
            guard let column = plan.model.column(of: property), frame.has(column.index) else { continue }
            try writer.statements.forgetText(of: property, in: record)
            hasChanged = true
        }
        guard hasChanged else { return }
        plan.keepsTexts = true
        // The old bytes may occur again.
        if !row.isNew { noteOverwrite(in: plan) }
    }
}

extension JSONReader {
    func text(of scalar: JSONScalar) -> String {
        let text = unsafe String(decoding: bytes(of: scalar), as: UTF8.self)
        return scalar.kind == .string ? "\"" + text + "\"" : text
    }

    func text(of fragment: JSONFragment) -> String { unsafe String(decoding: bytes(of: fragment), as: UTF8.self) }
}
