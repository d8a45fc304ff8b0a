import Foundation
import TestSupport
import Testing

/// An app that is played by random steps, beside what it must show and what its server must have in the end.
@MainActor protocol Scenario: AnyObject {
    associatedtype Step: Sendable

    /// A step that its user, or somebody else, may take.
    static func step(_ dice: inout Dice) -> Step

    var stage: Stage { get }

    /// - Parameter variant: any number, by which services and users differ.
    init(variant: Int) async throws

    /// Takes a step.
    ///
    /// - Returns: what it was, in words; `nil` where there was nothing to do.
    func take(_ step: Step) async throws -> String?

    /// What is wrong by now.
    func problem() throws -> String?

    /// Brings all to an end.
    ///
    /// - Returns: what is wrong then.
    func finish() async throws -> String?
}

/// Numbers that a seed decides.
struct Dice {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// A number from 0 on, below `count`.
    mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    /// A number that picks one of however many there are by then.
    mutating func pick() -> Int { roll(1000) }

    mutating func flip() -> Bool { roll(2) == 0 }
}

/// One step of a play: the app's or the network's.
enum PlayStep<Step: Sendable>: Sendable {
    case app(Step)
    case network(Int, PlayServer.Move)

    static func network(_ dice: inout Dice) -> PlayStep {
        let pick = dice.pick()
        switch dice.roll(12) {
        case 0: return .network(pick, .lose)
        case 1: return .network(pick, .fail)
        case 2...5: return .network(pick, .process)
        default: return .network(pick, .deliver)
        }
    }
}

/// The seeds that are played: a few in every run, any number by `PLAYED_SEEDS`, from `PLAYED_FIRST` on.
@MainActor struct Play<S: Scenario> {
    typealias Program = [PlayStep<S.Step>]

    private let length: Int

    init(_ scenario: S.Type, steps length: Int = 50) { self.length = length }

    /// Plays seeds, and records each that fails with a program that is as short as it gets.
    func run(_ known: [UInt64]) async {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["PLAYED_FIRST"].flatMap { UInt64($0) } ?? 0
        let seeds = environment["PLAYED_SEEDS"].flatMap { UInt64($0) }.map { Array(first..<(first + $0)) } ?? known
        for seed in seeds {
            var dice = Dice(seed: seed)
            let program: Program = (0..<length).map { _ in
                dice.roll(10) < 3 ? .network(&dice) : .app(S.step(&dice))
            }
            guard let first = await failure(of: program, seed) else { continue }
            let last = await failure(of: await shortened(program, seed), seed)
            let (problem, trace) = last ?? ("once, \(first.problem)", first.trace)
            Testing.Issue.record("\(S.self), seed \(seed): \(problem)\n    \(trace.joined(separator: "\n    "))")
        }
    }

    /// What is wrong at the end of a program, or in it, and what was done until then.
    private func failure(of program: Program, _ seed: UInt64) async -> (problem: String, trace: [String])? {
        var trace: [String] = []
        do {
            let scenario = try await S(variant: Int(seed))
            let problem = try await play(program, scenario, &trace)
            await scenario.stage.cutOff()
            return problem.map { ($0, trace + ["The server's answers:"] + scenario.stage.server.log.suffix(40)) }
        } catch {
            return ("\(error)", trace)
        }
    }

    private func play(_ program: Program, _ scenario: S, _ trace: inout [String]) async throws -> String? {
        scenario.stage.server.isHeld = true
        for step in program {
            let text =
                switch step {
                case .app(let step): try await scenario.take(step)
                case .network(let pick, let move): scenario.stage.server.move(pick, move)
                }
            guard let text else { continue }
            trace.append(text)
            await scenario.stage.settle()
            if let problem = try scenario.problem() { return problem }
        }
        await scenario.stage.complete()
        if let problem = try scenario.problem() { return "at the end, \(problem)" }
        scenario.stage.forgetErrors()
        return try await scenario.finish().map { "\($0) \(scenario.stage.errors)" }
    }

    /// Takes steps out while it still fails; what fails by chance may not any more.
    private func shortened(_ program: Program, _ seed: UInt64) async -> Program {
        var program = program
        var size = program.count / 2
        while size > 0 {
            var start = 0
            while start < program.count {
                let end = min(start + size, program.count)
                let fewer = Array(program[..<start] + program[end...])
                if await failure(of: fewer, seed) != nil { program = fewer } else { start = end }
            }
            size /= 2
        }
        return program
    }
}
