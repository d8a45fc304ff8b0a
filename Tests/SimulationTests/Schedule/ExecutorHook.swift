import Foundation

/// Takes over every job that the Swift runtime would give to its thread pool, in this process.
///
/// Only a process that does nothing else may do so: the simulations run in exit tests.
enum ExecutorHook {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// The runtime's own hook, `swift_task_enqueueGlobal_hook` (swift/Runtime/Concurrency.h).
    private static func slot() -> UnsafeMutablePointer<Hook?>? {
        unsafe dlsym(dlopen(nil, 0), "swift_task_enqueueGlobal_hook").map {
            unsafe $0.assumingMemoryBound(to: Hook?.self)
        }
    }

    /// - Returns: false where the runtime has no such hook.
    static func install() -> Bool {
        guard let slot = unsafe slot() else { return false }
        unsafe slot.pointee = { job, _ in Schedule.shared.take(job) }
        return true
    }

    static func remove() { unsafe slot()?.pointee = nil }
}

/// Runs a job as the thread pool would, on this thread.
func runAsGlobal(_ job: UnownedJob) {
    // The generic executor is a pair of null words (SerialExecutorRef::generic in swift/ABI/Executor.h).
    let generic = unsafe unsafeBitCast((0, 0) as (Int, Int), to: UnownedSerialExecutor.self)
    unsafe swiftJobRun(job, generic)
}

@_silgen_name("swift_job_run")
private func swiftJobRun(_ job: UnownedJob, _ executor: UnownedSerialExecutor)
