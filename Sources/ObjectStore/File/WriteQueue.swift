import Dispatch

/// Where all that is written to a file is done, one after the other.
///
/// It is an actor, as an actor's caller goes on where it was as soon as what it has called is done. Whoever waits for a
/// continuation does so by way of another thread, which has to be woken first.
actor WriteQueue {
    private final class Executor: SerialExecutor {
        #if canImport(Darwin)
            let queue = DispatchQueue(label: "RestfulData.writing", qos: .userInitiated)
        #else
            // Without a class of its own it is served by the threads that serve the main queue. The one that has asked
            // goes on with it, as soon as it has nothing else to do, and then with what waited for it, before another
            // thread has come awake.
            let queue = DispatchQueue(label: "RestfulData.writing")
        #endif

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
