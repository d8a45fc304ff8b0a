import Dispatch
import TestSupport

/// Holds a thread that the library runs the test's code on, such as the writer's in the middle of a transaction.
final class Gate: Sendable {
    private let arrival = AsyncStream.makeStream(of: Void.self)
    private let opened = DispatchSemaphore(value: 0)

    /// Says that it is here, and waits until the gate is open; not for ever, should the test have failed.
    func pass() {
        arrival.continuation.yield()
        _ = opened.hold()
    }

    /// Waits until somebody stands before the gate.
    func waitForArrival() async { for await _ in arrival.stream { return } }

    func open() { opened.signal() }
}

extension DispatchSemaphore {
    /// Holds this thread until the signal comes.
    ///
    /// - Returns: whether it came; it is not waited for for ever.
    func hold() -> Bool { wait(timeout: .now() + .seconds(Int(patience.components.seconds))) == .success }
}
