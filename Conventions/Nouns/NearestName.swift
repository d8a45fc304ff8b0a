/// The name among the known ones that someone who wrote `name` most likely meant.
///
/// Names that differ in letter case and word breaks alone are the nearest (`fullName` for `full_name`). Otherwise the
/// distance is counted in characters left out, added, replaced or swapped with their neighbour; up to a third of the
/// name may differ, but at least one character and at most three.
///
/// - Parameters:
///   - name: What was written.
///   - known: The existing names. Among equally near ones the first is taken.
/// - Returns: nil if none is near.
package func nearestName(to name: String, among known: some Sequence<String>) -> String? {
    let wanted = Array(InboundNames.looseKey(for: name))
    let limit = min(3, max(1, wanted.count / 3))
    var nearest: (name: String, distance: Int)?
    for candidate in known {
        let letters = Array(InboundNames.looseKey(for: candidate))
        guard abs(letters.count - wanted.count) <= limit else { continue }
        let distance = editDistance(wanted, letters)
        // Names of one or two letters have nothing in common when one letter is replaced.
        guard distance <= limit, distance < max(wanted.count, letters.count) else { continue }
        if distance < nearest?.distance ?? .max { nearest = (candidate, distance) }
    }
    return nearest?.name
}

/// The number of characters to leave out, add, replace or swap with their neighbour to make one text of the other
/// (the restricted Damerau–Levenshtein distance).
private func editDistance(_ first: [Character], _ second: [Character]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...second.count)
    for (row, character) in first.enumerated() {
        var current = [row + 1]
        for (column, other) in second.enumerated() {
            var cost = min(previous[column + 1] + 1, current[column] + 1)
            cost = min(cost, previous[column] + (character == other ? 0 : 1))
            if row > 0, column > 0, character == second[column - 1], first[row - 1] == other {
                cost = min(cost, beforePrevious[column - 1] + 1)
            }
            current.append(cost)
        }
        beforePrevious = previous
        previous = current
    }
    return previous[second.count]
}
