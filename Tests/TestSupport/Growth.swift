/// By how much the cost of one item grows from each of the sizes to the next, at worst: about 1 where the cost of all
/// is linear, 4 where it is quadratic.
///
/// Cost is whatever can be counted; never time, which depends on what else the machine does.
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

/// The same for what should cost as much whatever the size.
package func growthOfWhole(
    at sizes: [Int] = [50, 200, 800], _ cost: (Int) async throws -> Int
) async rethrows -> Double {
    try await growth(at: sizes) { size in try await cost(size) * size }
}
