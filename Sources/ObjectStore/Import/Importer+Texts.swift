import JSONBytes

// Values that can't be written again as they came: a date with nine digits of a fraction, a leap second, a number of
// twenty digits, a day among dates with a time. Their JSON is kept beside the row, in
// `_wire_text`. A text counts as long as it reads as the value that the row has: an edit needs no upkeep.

extension Importer {
    /// Notes how a value is written, where that is not as the attribute's last one was, and keeps its text where
    /// neither the value nor that shape would make the same again.
    ///
    /// - Parameter written: the value's JSON.
    @inline(never)
    mutating func noteShape(
        _ shape: WireShape, of column: ColumnIndex, in object: ReadingObject, written: @autoclosure () -> String
    ) throws {
        let plan = object.plan
        var needsText = shape.needsText
        // A declared format makes days and times alike.
        let isDeclared = plan.property(of: column).format.isDeclared
        switch plan.shapes.note(shape.learned, of: column) {
        case .taken: break
        case .dayAmongTimes: needsText = needsText || !isDeclared
        case .endsDays: if !isDeclared, request.teachesShapes { try keepDays(of: column, in: plan) }
        }
        if needsText { object.frame.texts.append((column, written())) }
    }

    /// All values of the attribute so far were days, and stay days.
    private func keepDays(of column: ColumnIndex, in plan: ImportPlan) throws {
        try writer.keepDays(of: plan.model[column], in: plan.model)
        plan.keepsTexts = true
    }

    /// Keeps the texts that the object has, and forgets those of values that it says otherwise.
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
        // The same bytes may come again.
        if !row.isNew { noteOverwrite(in: plan) }
    }
}

extension JSONReader {
    /// The JSON of a scalar.
    func text(of scalar: JSONScalar) -> String {
        let text = unsafe String(decoding: bytes(of: scalar), as: UTF8.self)
        return scalar.kind == .string ? "\"" + text + "\"" : text
    }

    /// The JSON of a value of any kind.
    func text(of fragment: JSONFragment) -> String { unsafe String(decoding: bytes(of: fragment), as: UTF8.self) }
}
