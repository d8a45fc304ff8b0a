import Foundation
import TestSupport
import Testing

/// Random programs run by several contexts at once, beside an oracle.
///
/// They run in a process of their own, as they take over the runtime's thread pool. `Scripts/simulate` runs any number.
@Suite struct SimulationTests {
    @Test func `Random programs of known seeds find nothing`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seeds = environment["SIMULATION_SEEDS"].flatMap { Int($0) } ?? 12
        let steps = environment["SIMULATION_STEPS"].flatMap { Int($0) } ?? 300
        let first = environment["SIMULATION_FIRST"].flatMap { UInt64($0) } ?? 1
        try await explore(first, seeds: seeds, steps: steps)
    }

    @Test func `Random programs of a new seed find nothing`() async throws {
        let seed = UInt64.random(in: 1_000...1_000_000_000)
        try await explore(seed, seeds: 2, steps: 300)
    }

    private func explore(_ first: UInt64, seeds: Int, steps: Int) async throws {
        let file = try TemporaryFile()
        await #expect(processExitsWith: .success) {
            [path = file.path as String, first = first as UInt64, seeds = seeds as Int, steps = steps as Int] in
            await Simulation.exit(reportingTo: path) { Simulation.explore(first, seeds: seeds, steps: steps) }
        }
        try report(file.path)
    }

    /// SIMULATION_ONLY runs the kept programs whose name has that text, which SIMULATION_TRACE writes down.
    @Test(
        arguments: KeptProgram.all.filter { kept in
            ProcessInfo.processInfo.environment["SIMULATION_ONLY"].map(kept.name.contains) ?? true
        })
    func `A program that once failed`(_ kept: KeptProgram) async throws {
        let file = try TemporaryFile()
        await #expect(processExitsWith: .success) {
            [path = file.path as String, name = kept.name as String] in
            await Simulation.exit(reportingTo: path) {
                KeptProgram.all.filter { $0.name == name }.compactMap { kept in
                    Simulation.failure(of: kept.steps).map { "\(kept.name): \($0)" }
                }.first
            }
        }
        try report(file.path)
    }

    /// What the process wrote before it ended.
    private func report(_ path: String) throws {
        let text = try? String(contentsOfFile: path, encoding: .utf8)
        if let text, text.hasPrefix("- ") { return print(text) }
        let errors = (try? String(contentsOfFile: path + ".errors", encoding: .utf8))?.suffix(4000) ?? ""
        Testing.Issue.record("\(errors)\(text ?? "the process ended before its report")")
    }
}
