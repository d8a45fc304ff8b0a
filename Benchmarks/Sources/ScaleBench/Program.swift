import Foundation

/// `ScaleBench [ROUNDS] [WORD…]`: does the same work at n, 4n and 16n, prints the cost of each unit and its growth, and
/// exits with 1 if one grows too much. With words, it runs only the checks whose names have one of them.
@main
enum Program {
    static func main() async {
        var words = Array(CommandLine.arguments.dropFirst())
        let rounds = words.first.flatMap { Int($0) }
        if rounds != nil { words.removeFirst() }
        let checks = ScalingChecks.all.filter { check in
            words.isEmpty || words.contains { check.name.localizedCaseInsensitiveContains($0) }
        }
        var results: [ScalingResult] = []
        for check in checks {
            say(check.name)
            results.append(await measure(check, rounds: max(rounds ?? 3, 1)))
        }
        print(ScalingTable(results: results).markdown)
        exit(results.allSatisfy(\.isGood) ? EXIT_SUCCESS : EXIT_FAILURE)
    }

    /// A check that seems to grow too much is measured for as many rounds again: the disturbance may be another
    /// program.
    private static func measure(_ check: ScalingCheck, rounds: Int) async -> ScalingResult {
        var result = ScalingResult(check)
        for round in 0..<2 * rounds where round < rounds || !result.isGood {
            do {
                let time = try await ContinuousClock().measure {
                    for (step, size) in check.sizes.enumerated() {
                        result.add(try await check.measure(size), at: step)
                    }
                }
                // The rest of such a slow check is skipped.
                if time > .seconds(10) { break }
            } catch {
                result.failure = error
                break
            }
        }
        return result
    }

    /// Progress goes to standard error, so that standard output is the tables alone.
    private static func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
