import Dispatch
import TestSupport

/// Holds a thread that the library runs the test's code on, such as the writer's in the middle of a transaction.
final class Gate: Sendable {
    private let arrival = AsyncStream.makeStream(of: Void.self)
    private let opened = DispatchSemaphore(value: 0)

    /// Signals that the gate is reached, and waits until it is open; not for ever, should the test have failed.
    func pass() {
        arrival.continuation.yield()
        _ = opened.hold()
    }

    /// Waits until the gate is reached.
    func waitForArrival() async { for await _ in arrival.stream { return } }

    func open() { opened.signal() }
}

extension DispatchSemaphore {
    /// Holds this thread until the signal comes.
    ///
    /// - Returns: whether it came; it is not waited for for ever.
    func hold() -> Bool { wait(timeout: .now() + .seconds(Int(patience.components.seconds))) == .success }
}
