import Foundation
import RestfulData
import TestSupport

/// An app whose seeds can be played.
@MainActor protocol Playable {
    /// Plays a seed.
    ///
    /// - Returns: The failure, with a program that is as short as possible; nil for a success.
    func failure(of seed: UInt64) -> String?

    /// Plays a seed.
    ///
    /// - Returns: the steps, the file after each, the errors and the server's answers.
    func trace(of seed: UInt64) -> [String]
}

/// Plays of one app. They run in a process of their own, in ``OneThread``.
struct Play<S: Scenario>: Playable {
    private typealias Program = [PlayStep<S.Step>]

    private let length = 50

    init(_ scenario: S.Type) {}

    /// The steps of a play and their result.
    @MainActor private final class Record {
        var problem: String?
        var steps: [String] = []
        var answers: [String] = []
        /// Whether the file's rows are recorded after each step.
        let hasFiles: Bool
        var marks: [Substring: Int] = [:]

        init(hasFiles: Bool) { self.hasFiles = hasFiles }

        func note(_ text: String, _ stage: Stage) throws {
            steps.append(text)
            guard hasFiles else { return }
            steps += try stage.snapshot(&marks).map { "    " + $0 }
            steps += stage.errors.map { "    " + $0 }
        }
    }

    func failure(of seed: UInt64) -> String? {
        let program = program(of: seed)
        guard record(of: program, seed).problem != nil else { return nil }
        let short = record(of: shortened(program, seed), seed, hasFiles: PlayedSeeds.showsFiles)
        let lines = short.steps + ["The server's answers:"] + short.answers.suffix(40)
        return "\(S.self), seed \(seed): \(short.problem ?? "")\n    \(lines.joined(separator: "\n    "))"
    }

    func trace(of seed: UInt64) -> [String] {
        let record = record(of: program(of: seed), seed, hasFiles: true)
        return ["seed \(seed)"] + record.steps + record.answers + [record.problem ?? "it ends well"]
    }

    private func program(of seed: UInt64) -> Program {
        var dice = Dice(seed: seed)
        return (0..<length).map { _ in dice.roll(10) < 3 ? .network(&dice) : .app(S.step(&dice)) }
    }

    private func record(of program: Program, _ seed: UInt64, hasFiles: Bool = false) -> Record {
        let record = Record(hasFiles: hasFiles)
        let hasEnded = OneThread.run { await play(program, seed, record) }
        if !hasEnded { record.problem = "the app waits for something that never comes" }
        return record
    }

    private func play(_ program: Program, _ seed: UInt64, _ record: Record) async {
        do {
            let scenario = try await S(variant: Int(seed))
            do { record.problem = try await play(program, scenario, record) } catch { record.problem = "\(error)" }
            record.answers = scenario.stage.server.log
            await scenario.stage.close()
        } catch {
            record.problem = "\(error)"
        }
    }

    /// - Returns: the problem after a step, or at the end.
    private func play(_ program: Program, _ scenario: S, _ record: Record) async throws -> String? {
        scenario.stage.server.isHeld = true
        for step in program {
            let text =
                switch step {
                case .app(let step): try await scenario.take(step)
                case .network(let pick, let move): scenario.stage.server.move(pick, move)
                }
            guard let text else { continue }
            await scenario.stage.settle()
            try record.note(text, scenario.stage)
            if let problem = try scenario.problem() { return problem }
        }
        await scenario.stage.complete()
        try record.note("complete", scenario.stage)
        if let problem = try scenario.problem() { return "at the end, \(problem)" }
        scenario.stage.forgetErrors()
        let problem = try await scenario.finish().map { "\($0) \(scenario.stage.errors)" }
        try record.note("finish", scenario.stage)
        return problem
    }

    /// Takes steps out while it still fails.
    private func shortened(_ program: Program, _ seed: UInt64) -> Program {
        var program = program
        var size = program.count / 2
        while size > 0 {
            var start = 0
            while start < program.count {
                let end = min(start + size, program.count)
                let fewer = Array(program[..<start] + program[end...])
                if record(of: fewer, seed).problem != nil { program = fewer } else { start = end }
            }
            size /= 2
        }
        return program
    }
}
