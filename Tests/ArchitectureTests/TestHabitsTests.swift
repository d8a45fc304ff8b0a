import Testing

/// Habits that every test keeps so that it gives the same result on any machine under any load, each with planted
/// breaches.
@Suite struct TestHabitsTests {
    struct Habit: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let planted: [String]
        /// One of these texts is in each breach: a regular expression takes long for all lines of all tests.
        let signs: [String]
        let breach: @Sendable (Substring) -> Bool

        func isBroken(by line: Substring) -> Bool { signs.contains { line.contains($0) } && breach(line) }
    }

    @Test(arguments: habits)
    func `Every test file keeps each coding habit of tests`(_ habit: Habit) throws {
        try #require(Self.sources.count > 100)
        #expect(Self.sources.flatMap { $0.lines(where: habit.isBroken) } == [])
    }

    @Test(arguments: habits)
    func `A planted breach of each coding habit of tests is found`(_ habit: Habit) {
        for planted in habit.planted {
            let file = SourceFile(path: "A.swift", text: "let a = 1\n\(planted)\n").withoutText
            #expect(file.lines(where: habit.isBroken).count == 1, "\(planted)")
        }
    }

    /// This file has the patterns. `giveWay()` counts turns: a test that uses it passes either way.
    private static let exceptions = [
        "Tests/ArchitectureTests/TestHabitsTests.swift", "Tests/TestSupport/Waiting.swift",
    ]

    /// The code of all tests; empty if reading it fails.
    private static let sources: [SourceFile] = ((try? SourceFile.all(below: "Tests")) ?? [])
        .filter { !exceptions.contains($0.path) }.map(\.withoutText)

    static let habits: [Habit] = [
        Habit(
            testDescription: "chance has a seed",
            planted: [
                "let b = Int.random(in: 0..<max(1, 2))", "for c in d.shuffled() {}", "let e = f.randomElement()",
                "var g = SystemRandomNumberGenerator()", "let h = i.hashValue", "var j = Hasher()",
            ],
            signs: [".random", ".shuffle", "SystemRandomNumberGenerator", ".hashValue", "Hasher"],
            breach: { line in
                let calls = line.matches(
                    of: /\.(random|randomElement|shuffled|shuffle)\(([^()]|\(([^()]|\([^()]*\))*\))*\)?/)
                let words = /(^|\W)(SystemRandomNumberGenerator|Hasher)\(\)|\.hashValue/
                return calls.contains { !$0.output.0.contains("using:") } || line.contains(words)
            }),
        Habit(
            testDescription: "nothing sleeps",
            planted: [
                "try await Task.sleep(for: .seconds(1))", "usleep(1000)", "_ = sleep(1)", "Thread.sleep(until: a)",
            ],
            signs: ["sleep("], breach: { $0.contains(/(^|\W)(u|nano)?sleep\(/) }),
        Habit(
            testDescription: "no wait counts turns", planted: ["for _ in 0..<9 where !a { await Task.yield() }"],
            signs: ["Task.yield"], breach: { $0.contains(/(^|\W)for [^{]*\{\s*await Task\.yield\(\)/) }),
    ]
}

extension SourceFile {
    /// The same, comments and the contents of texts removed.
    fileprivate var withoutText: SourceFile { SourceFile(path: path, text: code) }
}
