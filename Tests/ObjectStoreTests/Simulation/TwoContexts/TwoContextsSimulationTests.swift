import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Random programs over the contexts of two stores on one file, and their drafts. Both sides of each link agree, edits
/// stay until they are saved or rolled back, and unedited properties show the file's values.
@MainActor
@Suite struct TwoContextsSimulationTests {
    nonisolated static let seeds = Fuzzing.seeds(35)

    @Test(arguments: seeds)
    func `Two contexts and their file match a model of one graph`(_ seed: UInt64) async throws {
        var steps = Array(0..<40)
        guard var failed = try await failure(of: steps, seed) else { return }
        for step in steps.reversed() {
            let fewer = steps.filter { $0 != step }
            if let stillFailed = try? await failure(of: fewer, seed) { (steps, failed) = (fewer, stillFailed) }
        }
        Testing.Issue.record("seed \(seed), steps \(steps): \(failed)")
    }

    /// The violated invariant in the program of these steps, and its log.
    private func failure(of steps: [Int], _ seed: UInt64) async throws -> String? {
        let simulation = try TwoContextsSimulation(seed: seed)
        for step in steps {
            try await simulation.step(step)
            guard try await simulation.agrees() else { break }
        }
        if simulation.failures.isEmpty { try await simulation.finish() }
        guard !simulation.failures.isEmpty else { return nil }
        return (simulation.failures + simulation.log).joined(separator: "\n")
    }
}
