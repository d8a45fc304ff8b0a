/// One import of the rows.
struct LinkMeasurement {
    let time: Duration
    /// Rows of models.
    let rows: Int
    /// Rows of lists: each says that one object is in another's list.
    let members: Int

    var milliseconds: Double { time / .milliseconds(1) }

    /// Microseconds for each row of a model.
    var perRow: Double { time / .microseconds(1) / Double(rows) }

    /// Microseconds for each row of a model or list.
    var perWrittenRow: Double { time / .microseconds(1) / Double(rows + members) }
}
