import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Random programs over two contexts and their drafts on one file: both sides of each link are one fact, what is
/// edited stays until it is saved or taken back, and what has no edits shows what the file has.
@MainActor
@Suite struct TwoContextsSimulationTests {
    nonisolated static let seeds = Fuzzing.seeds(35)

    @Test(arguments: seeds)
    func `Two contexts and their file show one graph`(_ seed: UInt64) async throws {
        let simulation = try TwoContextsSimulation(seed: seed)
        for _ in 0..<40 {
            try await simulation.step()
            guard try await simulation.agrees() else { return }
        }
        try await simulation.finish()
    }
}
