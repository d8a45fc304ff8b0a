import Dispatch

/// Where all that is written to a file is done, one after the other.
///
/// It is an actor, as an actor's caller goes on where it was as soon as what it has called is done. Whoever waits for a
/// continuation does so by way of another thread, which has to be woken first.
actor WriteQueue {
    private final class Executor: SerialExecutor {
        let queue = DispatchQueue(label: "RestfulData.writing", qos: .userInitiated)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private nonisolated let executor = Executor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Does something once all is done that was asked for before.
    func run<Value: Sendable>(_ body: @Sendable () -> Value) -> Value { body() }

    /// The same without waiting for it.
    nonisolated func async(_ body: @escaping @Sendable () -> Void) { executor.queue.async(execute: body) }
}
