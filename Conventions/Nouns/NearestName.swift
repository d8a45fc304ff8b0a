/// Returns the known name that is most similar to a misspelled one.
///
/// Names that differ only in letter case and word breaks are the nearest (`fullName` for `full_name`). Otherwise the
/// distance is the number of characters that were left out, added, replaced, or swapped with a neighbor. At most a
/// third of the name may differ, with a limit between one and three characters.
///
/// - Parameters:
///   - name: The name as written.
///   - known: The existing names. Among equally near ones, the first is returned.
/// - Returns: nil if all are too far away.
/// - Complexity: O(*m* · *n*) for each known name of similar length, in the lengths of the two names.
package func nearestName(to name: String, among known: some Sequence<String>) -> String? {
    let wanted = Array(InboundNames.looseKey(for: name))
    let limit = min(3, max(1, wanted.count / 3))
    var nearest: (name: String, distance: Int)?
    for candidate in known {
        let letters = Array(InboundNames.looseKey(for: candidate))
        guard abs(letters.count - wanted.count) <= limit else { continue }
        let distance = editDistance(wanted, letters)
        // A one-letter name with its letter replaced is another name.
        guard distance <= limit, distance < max(wanted.count, letters.count) else { continue }
        if distance < nearest?.distance ?? .max { nearest = (candidate, distance) }
    }
    return nearest?.name
}

/// The restricted Damerau–Levenshtein distance: the number of characters to remove, add, replace, or swap with a
/// neighbor.
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
