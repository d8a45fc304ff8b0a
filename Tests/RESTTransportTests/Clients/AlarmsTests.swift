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

    /// Alarms that ring when a test says that their time has come, long before the system's timer does.
    private final class Rung: Sendable {
        let names = Mutex<[Int]>([])
        let start = Alarms.time(after: .seconds(86_400))
    }

    private func set(_ name: Int, at time: UInt64, _ rung: Rung) -> UInt64 {
        alarms.set(at: rung.start + time) { rung.names.withLock { $0.append(name) } }
    }

    @Test func `Alarms ring in the order of their times`() {
        let rung = Rung()
        for name in [3, 1, 4, 2] { _ = set(name, at: UInt64(10 * name), rung) }
        for (time, heard) in [(9, []), (20, [1, 2]), (20, [1, 2]), (40, [1, 2, 3, 4])] as [(UInt64, [Int])] {
            alarms.ringDue(at: rung.start + time)
            #expect(rung.names.withLock { $0 } == heard)
        }
    }

    @Test func `Alarms that are due together ring in the order of their times`() {
        let rung = Rung()
        let count = 64
        for name in (0..<count).reversed() { _ = set(name, at: UInt64(name / 2), rung) }
        alarms.ringDue(at: rung.start + 1000)
        // Of two at one time, the one that was set first.
        #expect(rung.names.withLock { $0 } == (0..<count).map { $0 ^ 1 })
    }

    @Test func `A removed alarm doesn't ring and doesn't delay others`() {
        let rung = Rung()
        let first = set(1, at: 5, rung)
        _ = set(2, at: 20, rung)
        _ = set(3, at: 1 << 40, rung)
        alarms.remove(first)
        alarms.remove(first)
        alarms.ringDue(at: rung.start + 20)
        #expect(rung.names.withLock { $0 } == [2])
    }

    @Test func `The system's timer rings each alarm`() async {
        let (names, rung) = AsyncStream.makeStream(of: Int.self)
        _ = set(3, after: .seconds(Int64.max), rung)
        for name in [2, 1] { _ = set(name, after: .milliseconds(5 * name), rung) }
        var heard: Set<Int> = []
        for await name in names {
            heard.insert(name)
            if heard.count == 2 { break }
        }
        #expect(heard == [1, 2])
    }

    @Test func `An alarm that is already due rings at once`() async {
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

    @Test func `With concurrent changes, each alarm that remains rings once`() async {
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
