import Foundation
import TestSupport

/// An app that is played by random steps, with the expected state of the app and, in the end, of its server.
@MainActor protocol Scenario: AnyObject {
    associatedtype Step: Sendable

    /// A possible step of its user or another one.
    static func step(_ dice: inout Dice) -> Step

    var stage: Stage { get }

    /// - Parameter variant: any number, by which services and users differ.
    init(variant: Int) async throws

    /// Takes a step.
    ///
    /// - Returns: a description; `nil` if there was nothing to do.
    func take(_ step: Step) async throws -> String?

    /// The current problem.
    func problem() throws -> String?

    /// Finishes everything.
    ///
    /// - Returns: the remaining problem.
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
