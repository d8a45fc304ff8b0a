import RestfulData
import Synchronization

extension TestServer {
    /// What goes wrong with a request.
    ///
    /// | fault | the server | the client gets |
    /// |---|---|---|
    /// | ``lostRequest`` | never hears of it | `TransportError.Reason.connectionLost` |
    /// | ``lostReply`` | does it | the same |
    /// | ``unreachable`` | never hears of it | `TransportError.Reason.connectionRefused` |
    /// | ``status(_:body:headerFields:)`` | doesn't do it | that status |
    /// | ``truncated`` | does it | the first half of the body |
    /// | ``duplicated`` | does it twice | the first reply |
    /// | ``overtaken`` | does it | the reply after the next other one |
    /// | ``held`` | does it | the reply when the test releases it |
    /// | ``latency(_:)`` | does it later | the reply when the clock has moved |
    /// | ``crash`` | does it, and is gone | `connectionLost`, and `connectionRefused` from then on |
    public enum Fault: Sendable, Hashable {
        /// The connection is lost before the server has read the request.
        case lostRequest
        /// The connection is lost after the server has done what the request says.
        case lostReply
        /// No connection is made.
        case unreachable
        /// Something before the server answers with this status, such as 503.
        case status(Int, body: String = "", headerFields: [String: String] = [:])
        /// The reply's body ends in its middle.
        case truncated
        /// The network delivers the request twice.
        case duplicated
        /// The reply waits until another request was answered.
        case overtaken
        /// The reply waits for ``TestServer/release()``.
        case held
        /// The request arrives when the server's clock has moved so far.
        case latency(Duration)
        /// The server ends after it has done what the request says, until ``TestServer/restart()``.
        case crash
    }
}

/// The faults that wait for their requests, and chance.
struct ServerFaults: Sendable {
    /// A fault that waits for requests.
    struct Planned: Sendable {
        let fault: TestServer.Fault
        let isMeant: @Sendable (TestServer.Request) -> Bool
        /// The requests that it spares before, and for how many it lasts.
        var skip: Int
        var times: Int
    }

    /// Faults by chance.
    struct Chance: Sendable {
        var generator: SplitMix
        /// Of how many requests one fails.
        let interval: Int
        let faults: [TestServer.Fault]
    }

    var planned: [Planned] = []
    var chance: Chance?
    /// The server is gone after that many further writes.
    var writesUntilCrash: Int?

    /// The fault of the next request.
    mutating func next(for request: TestServer.Request) -> TestServer.Fault? {
        for index in planned.indices where planned[index].isMeant(request) {
            guard planned[index].skip == 0 else {
                planned[index].skip -= 1
                continue
            }
            planned[index].times -= 1
            let fault = planned[index].fault
            if planned[index].times <= 0 { planned.remove(at: index) }
            return fault
        }
        guard var chance = chance, !chance.faults.isEmpty else { return nil }
        defer { self.chance = chance }
        guard chance.generator.next() % UInt64(max(1, chance.interval)) == 0 else { return nil }
        return chance.faults[Int(chance.generator.next() % UInt64(chance.faults.count))]
    }
}

/// SplitMix64: the same numbers for the same seed, on every machine.
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

/// Replies that wait for an event.
final class ReplyGate: Sendable {
    private struct Held {
        let number: Int
        /// Whether the next other reply lets it go.
        let isOvertaken: Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var held: [Held] = []
        var waiters: [Waiter] = []
        var cancelled: Set<Int> = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.held.count } }

    /// Waits until the reply may go; or until the task is cancelled.
    func hold(isOvertaken: Bool) async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let held = Held(number: number, isOvertaken: isOvertaken, continuation: continuation)
                let (isCancelled, waiters) = state.withLock { state -> (Bool, [Waiter]) in
                    if state.cancelled.remove(number) != nil { return (true, []) }
                    state.held.append(held)
                    let count = state.held.count
                    defer { state.waiters.removeAll { $0.count <= count } }
                    return (false, state.waiters.filter { $0.count <= count })
                }
                if isCancelled { continuation.resume() }
                for waiter in waiters { waiter.continuation.resume() }
            }
        } onCancel: {
            let held = state.withLock { state -> Held? in
                state.cancelled.insert(number)
                return state.held.firstIndex { $0.number == number }.map { state.held.remove(at: $0) }
            }
            held?.continuation.resume()
        }
    }

    /// Waits until that many replies are held.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isHere = state.withLock { state in
                if state.held.count < count { state.waiters.append(Waiter(count: count, continuation: continuation)) }
                return state.held.count >= count
            }
            if isHere { continuation.resume() }
        }
    }

    /// Lets the replies go that wait for another one.
    func noteReply() { release { $0.isOvertaken } }

    /// Lets all replies go.
    func releaseAll() { release { _ in true } }

    /// Lets one reply go, counted from 0 in the order in which they were held; none where there are fewer.
    func release(_ index: Int) {
        let held = state.withLock { state in
            state.held.indices.contains(index) ? state.held.remove(at: index) : nil
        }
        held?.continuation.resume()
    }

    private func release(_ isReleased: (Held) -> Bool) {
        let released = state.withLock { state in
            let released = state.held.filter(isReleased)
            state.held.removeAll(where: isReleased)
            return released
        }
        for held in released { held.continuation.resume() }
    }
}
