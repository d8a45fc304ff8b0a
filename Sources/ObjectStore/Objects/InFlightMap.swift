/// The saves and sends on their way that will change what the file holds of an object's properties.
///
/// Of most objects it is one: that is kept as it came, so that it takes no copy.
struct InFlightMap {
    private final class Batch {
        let values: PropertyMap<StoredValue>
        /// All that was edited when it was noted.
        let edits: EditMap

        init(_ values: PropertyMap<StoredValue>, _ edits: EditMap) { (self.values, self.edits) = (values, edits) }
    }

    private struct Several {
        var count: Int
        /// The edit that is on its way; `nil` for a default, and for a list.
        var edit: Edit?
    }

    private var only: Batch?
    /// None beside `only`.
    private var several = PropertyMap<Several>()
    /// The saves and sends of the object that change none of its properties: a new object without values is inserted.
    private var bareCount = 0

    var isEmpty: Bool { only == nil && several.isEmpty && bareCount == 0 }

    /// Whether the property is on its way.
    func has(_ index: PropertyIndex) -> Bool { only?.values.has(index) ?? several.has(index) }

    /// The edits that are on their way.
    var edits: EditMap {
        guard let only else {
            return several.reduce(into: EditMap()) { edits, element in edits[element.key] = element.value.edit }
        }
        return only.edits.filter { only.values.has($0.key) }
    }

    // MARK: Taking off

    /// - Parameter edits: all that is edited, those of other properties among them.
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

    /// Keeps the only batch property by property.
    private mutating func part() {
        guard let batch = only else { return }
        only = nil
        several = batch.values.mapEntries { index, _ in Several(count: 1, edit: batch.edits[index]) }
    }

    // MARK: Landing

    /// - Returns: the properties of which nothing is on its way any more.
    mutating func noteLanded(_ values: PropertyMap<StoredValue>) -> [PropertyIndex] {
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
        return values.keys.filter { noteLanded($0) }
    }

    /// - Returns: whether nothing is on its way any more.
    mutating func noteLanded(_ index: PropertyIndex) -> Bool {
        part()
        guard let last = several[index], last.count > 1 else {
            several[index] = nil
            return true
        }
        several[index]?.count -= 1
        return false
    }
}
