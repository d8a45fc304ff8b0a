import Foundation
import TestSupport
import Testing

/// A seed gives one run: steps, file, errors and answers are the same wherever and however often it is played.
///
/// `PLAYED_SEEDS` compares any number of seeds, from `PLAYED_FIRST` on; else two.
@Suite struct PlayDeterminismTests {
    @Test(arguments: PlayedApp.chosen)
    func `A seed gives the same run twice, also in another process on a busy machine`(_ app: PlayedApp) async throws {
        let seeds = PlayedSeeds.asked ?? [1, 2]
        let quiet = try await trace(app, seeds, isBusy: false)
        let busy = try await trace(app, seeds, isBusy: true)
        try #require(quiet.count > 50)
        #expect(Self.firstDifference(quiet, busy) == nil)
    }

    private func trace(_ app: PlayedApp, _ seeds: [UInt64], isBusy: Bool) async throws -> [Substring] {
        try await withTemporaryFolder { folder in
            let report = ProcessReport(in: folder)
            await #expect(processExitsWith: .success) {
                [
                    report = report as ProcessReport, app = app as PlayedApp, seeds = seeds as [UInt64],
                    isBusy = isBusy as Bool
                ] in
                if isBusy { Self.keepBusy() }
                await PlayProcess.exit(report) { Self.trace(app.play, seeds) }
            }
            return try #require(report.text, "\(report.errors)").split(separator: "\n")
        }
    }

    /// - Returns: each seed's run, and the first difference of a second run.
    @MainActor private static func trace(_ play: any Playable, _ seeds: [UInt64]) -> String {
        let lines = seeds.flatMap { seed in
            let (once, again) = (play.trace(of: seed), play.trace(of: seed))
            let difference = firstDifference(once[...].map { $0[...] }, again.map { $0[...] })
            return once
                + (difference.map { ["the second time: \($0.replacing("\n", with: " | ").suffix(3000))"] } ?? [])
        }
        return lines.joined(separator: "\n")
    }

    /// Where two traces part, with the lines before.
    private static func firstDifference(_ one: [Substring], _ other: [Substring]) -> String? {
        guard one != other else { return nil }
        let index = zip(one, other).prefix { $0 == $1 }.count
        let before = one[..<index].suffix(40).joined(separator: "\n")
        return "\(before)\n+ \(one.dropFirst(index).first ?? "end")\n- \(other.dropFirst(index).first ?? "end")"
    }

    /// Gives this process more threads that never rest than the machine has cores.
    private static func keepBusy() {
        for _ in 0..<(2 * ProcessInfo.processInfo.activeProcessorCount) {
            Thread.detachNewThread {
                var generator = SeededGenerator(seed: 0)
                while true { if generator.next() == 0 { print() } }
            }
        }
    }
}
