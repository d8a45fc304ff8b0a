import Dispatch

/// Runs all work on a file's writing connection.
///
/// It is an actor, since its caller continues on the same thread. A continuation would have to wake another one.
actor WriteQueue {
    private final class Executor: SerialExecutor {
        #if canImport(Darwin)
            let queue = DispatchQueue(label: "RestfulData.writing", qos: .userInitiated)
        #else
            // Without a quality of service, the threads of the main queue serve it, too, so a caller there runs the
            // work itself.
            let queue = DispatchQueue(label: "RestfulData.writing")
        #endif

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private nonisolated let executor = Executor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    func run<Value: Sendable>(_ body: @Sendable () -> Value) -> Value { body() }

    nonisolated func async(_ body: @escaping @Sendable () -> Void) { executor.queue.async(execute: body) }
}
