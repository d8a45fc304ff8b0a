import Foundation

/// Runs an actor's jobs on threads with as little stack as Apple's systems give to tasks.
final class SmallStack: SerialExecutor {
    static let shared = SmallStack()
    private let turn = NSLock()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let thread = Thread { [turn] in
            turn.withLock { unsafe job.runSynchronously(on: SmallStack.shared.asUnownedSerialExecutor()) }
        }
        thread.stackSize = 512 << 10
        thread.start()
    }
}

/// An actor with little stack.
actor Narrow {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe SmallStack.shared.asUnownedSerialExecutor() }

    func run<Result: Sendable>(_ body: @Sendable (isolated Narrow) throws -> Result) rethrows -> Result {
        try body(self)
    }
}
