/// The worst growth of one item's cost from each of the sizes to the next: about 1 if the whole cost is linear, 4 if it
/// is quadratic.
///
/// The cost is any count; never time, which depends on the machine's other work.
///
/// ```swift
/// let growth = try await growth { count in try await stepsOfImporting(count) }
/// #expect(growth <= 1.5)
/// ```
package func growth(
    at sizes: [Int] = [50, 200, 800], _ cost: (Int) async throws -> Int
) async rethrows -> Double {
    var worst = 0.0
    var last: Double?
    for size in sizes {
        let item = Double(try await cost(size)) / Double(size)
        if let last { worst = max(worst, item / last) }
        last = item
    }
    return worst
}

/// The same for an operation with a cost that should be independent of the size.
package func growthOfWhole(
    at sizes: [Int] = [50, 200, 800], _ cost: (Int) async throws -> Int
) async rethrows -> Double {
    try await growth(at: sizes) { size in try await cost(size) * size }
}
