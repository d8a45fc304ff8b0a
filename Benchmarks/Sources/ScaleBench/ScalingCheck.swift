import Foundation

/// A kind of work that is done at n, 4n and 16n.
struct ScalingCheck: Sendable {
    /// The work.
    let name: String
    /// The unit of the cost: one of the n objects, or a call, if its cost should be independent of n.
    let unit: String
    /// The smallest n.
    let size: Int
    /// Whether a unit may cost as much more as there is more: a list that is written is written whole.
    var isLinear = false
    /// Prepares a store for `n`, does the work, and returns the cost of the work alone.
    let measure: @MainActor @Sendable (_ n: Int) async throws -> Cost

    /// The sizes at which it is measured.
    var sizes: [Int] { [size, 4 * size, 16 * size] }
}

/// The cost of a piece of work: the time that this process kept a processor busy, which other programs change least.
struct Cost: Sendable {
    /// Microseconds for each unit.
    let time: Double
    /// Microseconds for each unit of the same work without the measured feature; nil if the growth is the question.
    var baseline: Double?

    /// Measures `work`, which does as many units.
    static func of(_ units: Int, _ work: () async throws -> Void) async rethrows -> Cost {
        let start = processTime
        try await work()
        return Cost(time: (processTime - start) / Double(units))
    }

    /// The same for synchronous work, repeated this number of times.
    static func ofCalls(_ count: Int, _ call: () throws -> Void) rethrows -> Cost {
        let start = processTime
        for _ in 0..<count { try call() }
        return Cost(time: (processTime - start) / Double(count))
    }

    /// The cost of each of so many units, of work that was counted as one.
    func divided(by units: Int) -> Cost { Cost(time: time / Double(units)) }

    func compared(with baseline: Cost) -> Cost { Cost(time: time, baseline: baseline.time) }

    /// The lesser of each: disturbances by the machine only add.
    static func least(_ left: Cost?, _ right: Cost) -> Cost {
        guard let left else { return right }
        let baseline = [left.baseline, right.baseline].compactMap { $0 }.min()
        return Cost(time: min(left.time, right.time), baseline: baseline)
    }

    /// The microseconds of all threads of this process so far, in its own code and in the system's.
    private static var processTime: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}
