import Foundation
import TestSupport
import Testing

/// Whole apps, played by random steps against a service whose replies are late, lost or errors.
///
/// Each step checks the objects that the app shows, and the end checks the server's rows. Each app is played in a
/// process of its own, by one thread, so that a seed gives the same run on every machine. `Scripts/play` plays any
/// number of seeds.
@Suite struct PlayedTests {
    @Test(arguments: PlayedApp.chosen)
    func `A random play of an app shows and sends its user's edits`(_ app: PlayedApp) async throws {
        if let failures = try await failures(of: app, PlayedSeeds.asked ?? PlayedSeeds.kept(app)) {
            Testing.Issue.record("\(failures)")
        }
    }

    /// The test fails once a fault is put right.
    @Test(.enabled(if: PlayedSeeds.asked == nil, "the seeds are given"), arguments: PlayedSeeds.open)
    func `A play that shows a known fault still fails`(_ open: PlayedSeeds.Open) async throws {
        let failures = try await failures(of: open.app, [open.seed])
        withKnownIssue("\(open.fault)") {
            if let failures { Testing.Issue.record("\(failures)") }
        }
    }

    /// - Returns: The failures; nil if all plays succeed.
    private func failures(of app: PlayedApp, _ seeds: [UInt64]) async throws -> String? {
        try await withTemporaryFolder { folder in
            let report = ProcessReport(in: folder)
            await #expect(processExitsWith: .success) {
                [report = report as ProcessReport, app = app as PlayedApp, seeds = seeds as [UInt64]] in
                await PlayProcess.exit(report) { app.failures(of: seeds, report) ?? "" }
            }
            guard let text = report.text else { return "the process said nothing\n\(report.errors)" }
            return text.isEmpty ? nil : text + report.errors
        }
    }
}
