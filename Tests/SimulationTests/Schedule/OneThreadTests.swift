import TestSupport
import Testing

/// One thread runs all jobs of a process, in the order in which they became ready.
@Suite struct OneThreadTests {
    private actor Counter {
        var count = 0
        func add() { count += 1 }
    }

    @Test func `Jobs of all actors run, and the caller continues when none is ready`() async {
        await #expect(processExitsWith: .success) {
            await OneThread.exit {
                let counter = Counter()
                var seen: [Int] = []
                let hasEnded = OneThread.run {
                    for _ in 0..<3 {
                        Task.detached { for _ in 0..<5 { await counter.add() } }
                        Task { for _ in 0..<5 { await counter.add() } }
                        await OneThread.idle()
                        seen.append(await counter.count)
                    }
                }
                return hasEnded && seen == [10, 20, 30]
            }
        }
    }

    @Test func `Code that waits forever ends the run`() async {
        await #expect(processExitsWith: .success) {
            await OneThread.exit {
                var held: [CheckedContinuation<Void, Never>] = []
                let hasEnded = OneThread.run { await withCheckedContinuation { held.append($0) } }
                return !hasEnded && held.count == 1
            }
        }
    }
}
