/// The result of a check.
struct ScalingResult {
    /// A unit may cost so much more at four times the size; an index is a level deeper, and caches are smaller than
    /// files.
    static let growthLimit = 1.5
    /// The same for work with units that grow with the amount of data.
    static let linearGrowthLimit = 5.0
    /// The factor by which the measured feature may increase the cost.
    static let ratioLimit = 2.0

    let check: ScalingCheck
    /// The least measurements, by the size; unreached sizes are missing.
    private(set) var costs: [Cost] = []
    /// The error that ended the check.
    var failure: (any Error)?

    init(_ check: ScalingCheck) { self.check = check }

    mutating func add(_ cost: Cost, at step: Int) {
        if costs.indices.contains(step) {
            costs[step] = .least(costs[step], cost)
        } else {
            costs.append(cost)
        }
    }

    /// Whether it compares with and without the feature, rather than n with 4n.
    var isComparison: Bool { costs.contains { $0.baseline != nil } }

    /// From each size to the next, the growth of a unit's cost; or, at each size, the cost with the measured feature.
    var factors: [Double] {
        if isComparison { return costs.compactMap { cost in cost.baseline.map { cost.time / $0 } } }
        return zip(costs.dropFirst(), costs).map { $0.time / $1.time }
    }

    var limit: Double {
        isComparison ? Self.ratioLimit : check.isLinear ? Self.linearGrowthLimit : Self.growthLimit
    }

    var isGood: Bool { failure == nil && costs.count == check.sizes.count && factors.allSatisfy { $0 <= limit } }
}
