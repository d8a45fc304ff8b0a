/// Counts, for each property of an object, the saves and requests in flight that will change it in the file. Mostly
/// there is at most one, which is kept as it is in `only`.
struct InFlightMap {
    private final class Batch {
        let values: PropertyMap<StoredValue>
        /// All edits of the object when the save or request began.
        let edits: EditMap

        init(_ values: PropertyMap<StoredValue>, _ edits: EditMap) { (self.values, self.edits) = (values, edits) }
    }

    private struct Several {
        var count: Int
        /// The last edit taken; `nil` for a default value and for a list.
        var edit: Edit?
    }

    private var only: Batch?
    /// Empty if `only` is set.
    private var several = PropertyMap<Several>()
    /// The number of saves and requests that leave all properties alone, such as the insertion of an empty object.
    private var bareCount = 0

    var isEmpty: Bool { only == nil && several.isEmpty && bareCount == 0 }

    func has(_ index: PropertyIndex) -> Bool { only?.values.has(index) ?? several.has(index) }

    var edits: EditMap {
        guard let only else {
            return several.reduce(into: EditMap()) { edits, element in edits[element.key] = element.value.edit }
        }
        return only.edits.filter { only.values.has($0.key) }
    }

    // MARK: Beginning

    mutating func note(_ values: PropertyMap<StoredValue>, _ edits: EditMap) {
        if values.isEmpty {
            bareCount += 1
            return
        }
        guard only != nil || !several.isEmpty else {
            only = Batch(values, edits)
            return
        }
        for (index, _) in values { note(index, edits[index]) }
    }

    mutating func note(_ index: PropertyIndex, _ edit: Edit?) {
        part()
        several[index] = Several(count: (several[index]?.count ?? 0) + 1, edit: edit)
    }

    mutating func merge(_ other: InFlightMap) {
        var other = other
        other.part()
        part()
        several.merge(other.several) { Several(count: $0.count + $1.count, edit: $0.edit ?? $1.edit) }
        bareCount += other.bareCount
    }

    private mutating func part() {
        guard let batch = only else { return }
        only = nil
        several = batch.values.mapEntries { index, _ in Several(count: 1, edit: batch.edits[index]) }
    }

    // MARK: Completion

    /// - Returns: the properties with nothing more in flight.
    mutating func noteCompleted(_ values: PropertyMap<StoredValue>) -> [PropertyIndex] {
        if values.isEmpty {
            bareCount = max(0, bareCount - 1)
            return []
        }
        if let batch = only, batch.values.count == values.count,
            zip(batch.values, values).allSatisfy({ $0.key == $1.key })
        {
            only = nil
            return values.keys
        }
        return values.keys.filter { noteCompleted($0) }
    }

    /// - Returns: whether nothing more is in flight for the property.
    mutating func noteCompleted(_ index: PropertyIndex) -> Bool {
        part()
        guard let last = several[index], last.count > 1 else {
            several[index] = nil
            return true
        }
        several[index]?.count -= 1
        return false
    }
}
