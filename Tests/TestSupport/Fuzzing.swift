import Foundation

/// The seeds of tests on random input and of simulations: the same few in every run, any others by `Scripts/fuzz` and
/// `Scripts/simulate`.
package enum Fuzzing {
    /// `FUZZ_SEEDS` many from `FUZZ_FIRST` (0) on, where these are set.
    ///
    /// - Parameters:
    ///   - count: the number in every run.
    ///   - first: the first of them.
    ///   - kept: further seeds of every run, as they once failed.
    package static func seeds(_ count: UInt64, from first: UInt64 = 0, and kept: [UInt64] = []) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        guard let asked = environment["FUZZ_SEEDS"].flatMap({ UInt64($0) }) else {
            return Array(first..<(first + count)) + kept
        }
        let first = environment["FUZZ_FIRST"].flatMap { UInt64($0) } ?? 0
        return (0..<asked).map { first &+ $0 }
    }
}

/// Makes input from valid input: its changes are random, and the same for each seed.
package struct Mutator {
    package var random: SeededGenerator
    /// Words with a meaning for the parser.
    private let words: [[UInt8]]

    package init(seed: UInt64, words: [String]) {
        random = SeededGenerator(seed: seed)
        self.words = words.map { Array($0.utf8) }
    }

    /// One of the inputs after one to four changes, at times repeated; or, once in sixteen, random bytes.
    package mutating func next(_ inputs: [String]) -> [UInt8] {
        if Int.random(in: 0..<16, using: &random) == 0 {
            return (0..<Int.random(in: 0..<64, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        var bytes = Array((inputs.randomElement(using: &random) ?? "").utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) { change(&bytes) }
        return bytes
    }

    /// The same as text; invalid UTF-8 becomes replacement characters.
    package mutating func nextText(_ inputs: [String]) -> String { String(decoding: next(inputs), as: UTF8.self) }

    private mutating func change(_ bytes: inout [UInt8]) {
        let index = Int.random(in: 0...bytes.count, using: &random)
        let range = index..<min(bytes.count, index + Int.random(in: 0...16, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes.removeSubrange(range)
        case 1: bytes.insert(contentsOf: Array(bytes[range]), at: Int.random(in: 0...bytes.count, using: &random))
        case 2: bytes.replaceSubrange(range, with: words.randomElement(using: &random) ?? [])
        case 3: bytes.removeSubrange(index...)
        case 4: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
        case 5: for index in range { bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
        case 6: bytes.replaceSubrange(range, with: repeatElement(Array(bytes[range]), count: 50).joined())
        default: bytes.insert(contentsOf: words.randomElement(using: &random) ?? [], at: index)
        }
    }
}
