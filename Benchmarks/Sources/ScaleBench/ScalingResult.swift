/// What a check has found.
struct ScalingResult {
    /// A unit may cost so much more at four times the size; an index is a level deeper, and caches are smaller than
    /// files.
    static let growthLimit = 1.5
    /// The same of work whose units grow with what there is.
    static let linearGrowthLimit = 5.0
    /// What is being looked at may make the work so much dearer.
    static let ratioLimit = 2.0

    let check: ScalingCheck
    /// The least that was measured, by the size; those that were not reached are missing.
    private(set) var costs: [Cost] = []
    /// What ended the check.
    var failure: (any Error)?

    init(_ check: ScalingCheck) { self.check = check }

    mutating func add(_ cost: Cost, at step: Int) {
        if costs.indices.contains(step) {
            costs[step] = .least(costs[step], cost)
        } else {
            costs.append(cost)
        }
    }

    /// Whether it compares with and without, rather than n with 4n.
    var isComparison: Bool { costs.contains { $0.baseline != nil } }

    /// From each size to the next, how much more a unit costs; or, at each size, with what is being looked at.
    var factors: [Double] {
        if isComparison { return costs.compactMap { cost in cost.baseline.map { cost.time / $0 } } }
        return zip(costs.dropFirst(), costs).map { $0.time / $1.time }
    }

    var limit: Double {
        isComparison ? Self.ratioLimit : check.isLinear ? Self.linearGrowthLimit : Self.growthLimit
    }

    var isGood: Bool { failure == nil && costs.count == check.sizes.count && factors.allSatisfy { $0 <= limit } }
}
