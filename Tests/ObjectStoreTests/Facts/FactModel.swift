import TestSupport

@testable import ObjectStore

/// Runs random programs against the rules.
enum FactModel {
    struct Result: Sendable {
        var failure: String?
        /// A hash of everything that happened, if the program was run with `isDigested`.
        var digest: UInt64
        var counts: [String: Int]
    }

    /// Runs the program of a seed. One of the conditions can be switched off, and the steps can be limited to `kept`.
    static func run(
        seed: UInt64, steps: Int, without condition: ModelCondition? = nil, keeping kept: Set<Int>? = nil,
        isTraced: Bool = false, isDigested: Bool = false
    ) -> Result {
        var program = FactProgram(seed: seed, without: condition)
        program.isTraced = isTraced
        if isDigested { program.digest = FactDigest() }
        for index in 0..<steps where kept?.contains(index) ?? true && program.oracle.failure == nil {
            var mix = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(index))
            program.random = SeededGenerator(seed: mix.next())
            program.step()
        }
        if program.oracle.failure == nil {
            program.random = SeededGenerator(seed: seed &* 7_919)
            program.finish()
        }
        program.digest?.add(program.log.text)
        return Result(
            failure: program.oracle.failure, digest: program.digest?.hash ?? 0, counts: program.counts)
    }

    /// Returns the steps that a failing program needs to fail.
    static func shrink(seed: UInt64, steps: Int, without condition: ModelCondition? = nil) -> Set<Int> {
        var kept = Set(0..<steps)
        var size = steps / 2
        while size > 0 {
            var isSmaller = false
            for start in stride(from: 0, to: steps, by: size) {
                let fewer = kept.subtracting(start..<min(start + size, steps))
                guard fewer.count < kept.count else { continue }
                let result = run(seed: seed, steps: steps, without: condition, keeping: fewer)
                if result.failure != nil { (kept, isSmaller) = (fewer, true) }
            }
            if !isSmaller || size > 1 { size /= 2 }
        }
        return kept
    }
}
