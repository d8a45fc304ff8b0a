import RestfulData
import Synchronization

extension TestServer {
    /// A fault of a request.
    ///
    /// | fault | the server | the client gets |
    /// |---|---|---|
    /// | ``lostRequest`` | never receives the request | `TransportError.Reason.connectionLost` |
    /// | ``lostReply`` | executes it | `TransportError.Reason.connectionLost` |
    /// | ``unreachable`` | never receives it | `TransportError.Reason.connectionRefused` |
    /// | ``status(_:body:headerFields:)`` | doesn't execute it | that status |
    /// | ``truncated`` | executes it | the first half of the body |
    /// | ``duplicated`` | executes it twice | the first reply |
    /// | ``overtaken`` | executes it | the reply, after the next other reply |
    /// | ``held`` | executes it | the reply, when the test releases it |
    /// | ``latency(_:)`` | executes it later | the reply, when the clock has advanced |
    /// | ``crash`` | executes it, and stops | `connectionLost`, and `connectionRefused` from then on |
    public enum Fault: Sendable, Hashable {
        /// The connection is lost before the server reads the request.
        case lostRequest
        /// The connection is lost after the server has executed the request.
        case lostReply
        /// The connection is refused.
        case unreachable
        /// A gateway in front of the server replies with this status, such as 503.
        case status(Int, body: String = "", headerFields: [String: String] = [:])
        /// The reply's body is cut in half.
        case truncated
        /// The network delivers the request twice.
        case duplicated
        /// The reply waits until another request is answered; a random one only if there is another.
        case overtaken
        /// The reply waits for ``TestServer/release()``, also if the fault is random.
        case held
        /// The request reaches the server after its clock has advanced by the duration.
        case latency(Duration)
        /// The server stops after it has executed the request, until ``TestServer/restart()``.
        case crash
    }
}

struct ServerFaults: Sendable {
    struct Planned: Sendable {
        let fault: TestServer.Fault
        let isMeant: @Sendable (TestServer.Request) -> Bool
        /// The number of matching requests before the fault, and the number of requests that it affects.
        var skip: Int
        var times: Int
    }

    struct Chance: Sendable {
        var generator: SplitMix
        /// One request in this many fails, on average.
        let interval: Int
        let faults: [TestServer.Fault]
    }

    var planned: [Planned] = []
    var chance: Chance?
    /// The number of further writes until the server stops.
    var writesUntilCrash: Int?

    /// Returns the fault of a request, and whether it was planned rather than random, and counts it.
    mutating func next(for request: TestServer.Request) -> (fault: TestServer.Fault, isPlanned: Bool)? {
        for index in planned.indices where planned[index].isMeant(request) {
            guard planned[index].skip == 0 else {
                planned[index].skip -= 1
                continue
            }
            planned[index].times -= 1
            let fault = planned[index].fault
            if planned[index].times <= 0 { planned.remove(at: index) }
            return (fault, true)
        }
        guard var chance = chance, !chance.faults.isEmpty else { return nil }
        defer { self.chance = chance }
        guard chance.generator.next() % UInt64(max(1, chance.interval)) == 0 else { return nil }
        return (chance.faults[Int(chance.generator.next() % UInt64(chance.faults.count))], false)
    }
}

/// SplitMix64. The same seed gives the same numbers on every machine.
struct SplitMix: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Replies that are held until an event.
final class ReplyGate: Sendable {
    private struct Held {
        let number: Int
        /// Whether the next other reply releases it.
        let isOvertaken: Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var held: [Held] = []
        /// The number of requests that were received and haven't ended.
        var open = 0
        var waiters = CountWaiters()
        var cancelled: Set<Int> = []
        var lastNumber = 0

        /// Removes the replies that meet a condition.
        mutating func take(_ isTaken: (Held) -> Bool) -> [Held] {
            let taken = held.filter(isTaken)
            held.removeAll(where: isTaken)
            return taken
        }
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.held.count } }

    /// Notes a received request. Each ends with ``end()``.
    func begin() { state.withLock { $0.open += 1 } }

    /// Ends a request, and releases the replies that wait for another one.
    func end() {
        let released = state.withLock { state in
            state.open -= 1
            return state.take(\.isOvertaken)
        }
        for held in released { held.continuation.resume() }
    }

    /// Waits until the reply is released or the task is cancelled.
    ///
    /// - Parameters:
    ///   - isOvertaken: Whether the end of another request releases the reply. This request then counts as the other
    ///     one for earlier replies, so that no two wait for each other.
    ///   - needsOther: Whether to wait only if there is another request.
    func hold(isOvertaken: Bool, needsOther: Bool = false) async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        defer { _ = state.withLock { $0.cancelled.remove(number) } }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let held = Held(number: number, isOvertaken: isOvertaken, continuation: continuation)
                for continuation in begin(held, needsOther: needsOther) { continuation.resume() }
            }
        } onCancel: {
            let held = state.withLock { state -> Held? in
                state.cancelled.insert(number)
                return state.held.firstIndex { $0.number == number }.map { state.held.remove(at: $0) }
            }
            held?.continuation.resume()
        }
    }

    /// Holds a reply, unless its task was cancelled or it lacks another request.
    ///
    /// - Returns: The tasks that go on.
    private func begin(_ held: Held, needsOther: Bool) -> [CheckedContinuation<Void, Never>] {
        state.withLock { state in
            let overtaken = held.isOvertaken ? state.take(\.isOvertaken).map(\.continuation) : []
            let isCancelled = state.cancelled.remove(held.number) != nil
            guard !isCancelled, !needsOther || state.open > 1 else { return overtaken + [held.continuation] }
            state.held.append(held)
            return overtaken + state.waiters.take(at: state.held.count)
        }
    }

    func wait(for count: Int) async {
        await CountWaiters.wait(for: count) { change in
            self.state.withLock { state in
                let current = state.held.count
                return change(&state.waiters, current)
            }
        }
    }

    func releaseAll() {
        for held in state.withLock({ $0.take { _ in true } }) { held.continuation.resume() }
    }

    /// Releases one reply by its 0-based position in the order of holding. Ignores an index that is too large.
    func release(_ index: Int) {
        let held = state.withLock { state in
            state.held.indices.contains(index) ? state.held.remove(at: index) : nil
        }
        held?.continuation.resume()
    }
}
