import Foundation
import Synchronization
import TestSupport

/// Runs programs in a process of its own, where one thread runs all jobs.
enum Simulation {
    /// Runs `body` on the schedule's thread.
    static func run(_ body: @escaping @Sendable () -> Bool) async -> Bool {
        let isGood: Bool = await withCheckedContinuation { done in
            let thread = Thread {
                Schedule.shared.begin()
                guard ExecutorHook.install() else {
                    print("The runtime has no hook for jobs.")
                    return done.resume(returning: false)
                }
                let isGood = body()
                ExecutorHook.remove()
                done.resume(returning: isGood)
            }
            thread.stackSize = 16 << 20
            thread.start()
        }
        return isGood
    }

    private static let report = Mutex<ProcessReport?>(nil)

    /// Prints the program that runs, in case that the process doesn't survive it.
    private static func announce(_ program: [Step], seed: UInt64) {
        let text = "seed \(seed), the process ended in:\n" + program.map { "    \($0),\n" }.joined()
        report.withLock { $0 }?.write(text)
    }

    /// Runs `body`, writes its result into a file, and ends the process.
    ///
    /// - Parameter body: returns the failure; a text that begins with a dash, or none, if there is none.
    static func exit(reportingTo file: ProcessReport, _ body: @escaping @Sendable () -> String?) async {
        report.withLock { $0 = file }
        file.keepErrors()
        let isGood = await run {
            let text = body()
            file.write(text ?? "- ")
            return text?.hasPrefix("- ") ?? true
        }
        Foundation.exit(isGood ? 0 : 1)
    }

    /// Runs one program.
    ///
    /// - Returns: its failure.
    static func failure(of program: [Step], effects: ((Runner) -> Void)? = nil) -> Failure? {
        guard let runner = try? Runner(contexts: contexts(in: program)) else {
            return Failure(text: "no temporary folder", step: 0)
        }
        do {
            try runner.run(program)
            effects?(runner)
            return nil
        } catch {
            try? runner.close()
            return error as? Failure ?? Failure(text: "\(error)", step: 0)
        }
    }

    private static func contexts(in program: [Step]) -> Int {
        // The first number names the context.
        let named = program.compactMap { step -> Int? in
            guard let range = step.description.range(of: "(in: ") else { return nil }
            return Int(step.description[range.upperBound...].prefix { $0.isNumber })
        }
        return max(2, (named.max() ?? 0) + 1)
    }

    /// A failing program, as short as it gets, in words.
    static func report(_ program: [Step], seed: UInt64?) -> String {
        var problem: Failure?
        let short = Shrinker.shrink(program) { candidate in
            let failure = Self.failure(of: candidate)
            problem = failure ?? problem
            return failure != nil
        }
        let origin = seed.map { "seed \($0), " } ?? ""
        return "\(origin)\(short.count) of \(program.count) steps:\n"
            + short.map { "    \($0),\n" }.joined() + "  \(problem.map { "\($0)" } ?? "it does not fail any more")"
    }
}

/// How much was simulated.
struct Tally {
    var programs = 0
    var steps = 0
    var jobs = 0
    var commits = 0
    var effects: [String: Int] = [:]

    /// The kind of step that never had an effect, or else the counts of effects.
    var problem: String {
        // A few programs need not have done all that there is.
        let wanted = steps < 3000 ? ["make", "edit", "join", "save", "create", "reply"] : Self.verbs
        let missing = wanted.filter { effects[$0] == nil }
        let counts = effects.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let text = "\(steps) steps in \(programs) programs, \(commits) commits: \(counts)"
        return missing.isEmpty ? "- " + text : "nothing was done of: \(missing.joined(separator: ", ")); \(text)"
    }

    private static let verbs = [
        "make", "edit", "join", "part", "discard", "rollback", "save", "create", "send", "destroy", "fetch", "fetchAll",
        "fetchList", "take", "serverEdit", "serverLink", "serverDelete", "serverLabels", "serverMake", "reply", "run",
        "settle", "look", "drop",
        "restart",
    ]

    mutating func add(_ runner: Runner, _ program: [Step]) {
        programs += 1
        steps += program.count
        commits += runner.history.commits
        effects.merge(runner.effects, uniquingKeysWith: +)
    }
}

extension Simulation {
    /// Runs programs of several seeds.
    ///
    /// - Returns: the first few failures, or the counts of effects.
    static func explore(_ first: UInt64, seeds: Int, steps: Int) -> String {
        var tally = Tally()
        var failures: [String] = []
        let limit = ProcessInfo.processInfo.environment["SIMULATION_FAILURES"].flatMap { Int($0) } ?? 1
        for seed in first..<(first + UInt64(seeds)) where failures.count < limit {
            guard let program = explore(seed: seed, steps: steps, &tally) else { continue }
            failures.append(report(program, seed: seed))
        }
        return failures.isEmpty ? tally.problem : failures.joined(separator: "\n\n")
    }

    /// Runs programs of a seed until that many steps are done.
    ///
    /// - Returns: the failing program, if there is one.
    static func explore(seed: UInt64, steps: Int, _ tally: inout Tally) -> [Step]? {
        var done = 0
        var part: UInt64 = 0
        while done < steps {
            var generator = Generator(seed: seed &* 1_000_003 &+ part)
            let program = generator.program(min(80, steps - done))
            part += 1
            done += max(program.count, 1)
            announce(program, seed: seed)
            var runner: Runner?
            guard failure(of: program, effects: { runner = $0 }) == nil, let runner else { return program }
            tally.add(runner, program)
        }
        return nil
    }
}
