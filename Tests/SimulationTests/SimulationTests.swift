import Foundation
import TestSupport
import Testing

/// Random programs run by several contexts at once, compared with an oracle.
///
/// They run in a process of their own, as they take over the runtime's thread pool. `Scripts/simulate` runs any number.
@Suite struct SimulationTests {
    @Test func `Random programs of known seeds find no fault`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seeds = environment["SIMULATION_SEEDS"].flatMap { Int($0) } ?? 12
        let steps = environment["SIMULATION_STEPS"].flatMap { Int($0) } ?? 300
        let first = environment["SIMULATION_FIRST"].flatMap { UInt64($0) } ?? 1
        reportOutput(try await explore(first, seeds: seeds, steps: steps))
    }

    @Test func `Random programs of a seed give the same report in two processes`() async throws {
        let reports = [try await explore(1, seeds: 2, steps: 300), try await explore(1, seeds: 2, steps: 300)]
        #expect(reports[0].text == reports[1].text)
    }

    private func explore(_ first: UInt64, seeds: Int, steps: Int) async throws -> (text: String?, errors: String) {
        try await withTemporaryFolder { folder in
            let report = ProcessReport(in: folder)
            await #expect(processExitsWith: .success) {
                [report = report as ProcessReport, first = first as UInt64, seeds = seeds as Int, steps = steps as Int]
                in
                await Simulation.exit(reportingTo: report) { Simulation.explore(first, seeds: seeds, steps: steps) }
            }
            return (report.text, report.errors)
        }
    }

    /// SIMULATION_ONLY runs the kept programs whose name has that text, which SIMULATION_TRACE writes down.
    @Test(
        arguments: KeptProgram.all.filter { kept in
            ProcessInfo.processInfo.environment["SIMULATION_ONLY"].map(kept.name.contains) ?? true
        })
    func `A program that once failed succeeds, unless its fault is known`(_ kept: KeptProgram) async throws {
        try await withTemporaryFolder { folder in
            let report = ProcessReport(in: folder)
            await withKnownIssue("the fault of this program is open") {
                await #expect(processExitsWith: .success) {
                    [report = report as ProcessReport, name = kept.name as String] in
                    await Simulation.exit(reportingTo: report) {
                        KeptProgram.all.filter { $0.name == name }.compactMap { kept in
                            Simulation.failure(of: kept.steps).map { "\(kept.name): \($0)" }
                        }.first
                    }
                }
                reportOutput((report.text, report.errors))
            } when: {
                kept.isOpen
            }
        }
    }

    /// Reports the output of the process.
    private func reportOutput(_ report: (text: String?, errors: String)) {
        if let text = report.text, text.hasPrefix("- ") { return print(text) }
        Testing.Issue.record("\(report.errors)\(report.text ?? "the process ended before its report")")
    }
}
