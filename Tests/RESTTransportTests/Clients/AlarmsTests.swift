import Synchronization
import Testing

@testable import RESTTransport

/// Functions that are called when their time has come, by one timer.
@Suite struct AlarmsTests {
    private let alarms = Alarms()

    /// Sets one that gives its name.
    private func set(_ name: Int, after time: Duration, _ rung: AsyncStream<Int>.Continuation) -> UInt64 {
        alarms.set(at: Alarms.time(after: time)) { rung.yield(name) }
    }

    @Test func `They ring in the order of their times, whichever was set first`() async {
        let (names, rung) = AsyncStream.makeStream(of: Int.self)
        for name in [3, 1, 4, 2] { _ = set(name, after: .milliseconds(10 * name), rung) }
        var heard: [Int] = []
        for await name in names {
            heard.append(name)
            if heard.count == 4 { break }
        }
        #expect(heard == [1, 2, 3, 4])
    }

    @Test func `Those that are due at once ring in the order of their times, too`() async {
        let (names, rung) = AsyncStream.makeStream(of: Int.self)
        let soon = Alarms.time(after: .milliseconds(20))
        let count = 64
        for name in (0..<count).reversed() {
            _ = alarms.set(at: soon + UInt64(name / 2)) { rung.yield(name) }
        }
        var heard: [Int] = []
        for await name in names {
            heard.append(name)
            if heard.count == count { break }
        }
        // Of two at one time, the one that was set first.
        #expect(heard == (0..<count).map { $0 ^ 1 })
    }

    @Test func `One that was removed doesn't ring, and holds up no other`() async {
        let (names, rung) = AsyncStream.makeStream(of: Int.self)
        let first = set(1, after: .milliseconds(5), rung)
        _ = set(2, after: .milliseconds(20), rung)
        _ = set(3, after: .seconds(Int64.max), rung)
        alarms.remove(first)
        alarms.remove(first)
        for await name in names {
            #expect(name == 2)
            break
        }
    }

    @Test func `Time that is up already rings at once`() async {
        let (names, rung) = AsyncStream.makeStream(of: Int.self)
        _ = set(1, after: .seconds(-5), rung)
        _ = set(2, after: .zero, rung)
        var heard: Set<Int> = []
        for await name in names {
            heard.insert(name)
            if heard.count == 2 { break }
        }
        #expect(heard == [1, 2])
    }

    @Test func `Of many that are set and removed at once, those ring that are left, once each`() async {
        let (names, rung) = AsyncStream.makeStream(of: Int.self)
        let count = 4_000
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    for name in stride(from: part, to: count, by: 4) {
                        // Each other one is as good as never.
                        let isLeft = name % 8 < 4
                        let time: Duration = isLeft ? .microseconds(name * 7 % 20_000) : .seconds(3_600)
                        let number = set(name, after: time, rung)
                        if !isLeft { alarms.remove(number) }
                    }
                }
            }
        }
        _ = set(count, after: .milliseconds(100), rung)
        var heard: [Int] = []
        for await name in names {
            if name == count { break }
            heard.append(name)
        }
        #expect(heard.sorted() == (0..<count).filter { $0 % 8 < 4 })
    }
}
