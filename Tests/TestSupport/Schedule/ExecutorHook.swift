import Foundation

/// Takes over every job that the Swift runtime would give to its thread pool, in this process.
///
/// Only a process that does nothing else may do so: simulations and plays run in exit tests.
package enum ExecutorHook {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
    private typealias GetMain =
        @convention(thin) (@convention(thin) () -> UnownedSerialExecutor)
        -> UnownedSerialExecutor
    private typealias IsMain =
        @convention(thin) (
            UnownedSerialExecutor, @convention(thin) (UnownedSerialExecutor) -> Bool
        ) -> Bool
    /// One of the runtime's own hooks (swift/Runtime/Concurrency.h).
    private static func slot<Hook>(_ name: String, _: Hook.Type) -> UnsafeMutablePointer<Hook?>? {
        unsafe dlsym(dlopen(nil, 0), name).map { unsafe $0.assumingMemoryBound(to: Hook?.self) }
    }

    /// - Returns: false where the runtime has no such hook.
    package static func install() -> Bool {
        guard let slot = unsafe slot("swift_task_enqueueGlobal_hook", Hook.self) else { return false }
        unsafe slot.pointee = { job, _ in Schedule.shared.take(job) }
        return true
    }

    /// Takes over the main actor's jobs too.
    ///
    /// - Returns: false where the runtime has no such hooks.
    package static func installForMainActor() -> Bool {
        guard let main = unsafe slot("swift_task_getMainExecutor_hook", GetMain.self),
            let isMain = unsafe slot("swift_task_isMainExecutor_hook", IsMain.self), install()
        else { return false }
        unsafe main.pointee = { _ in unsafe ScheduleMainExecutor.shared.asUnownedSerialExecutor() }
        unsafe isMain.pointee = { executor, _ in unsafe ScheduleMainExecutor.isSame(executor) }
        return true
    }

    package static func remove() { unsafe slot("swift_task_enqueueGlobal_hook", Hook.self)?.pointee = nil }
}

/// Runs a job as the thread pool would, on this thread.
func runAsGlobal(_ job: UnownedJob) {
    // The generic executor is a pair of null words (SerialExecutorRef::generic in swift/ABI/Executor.h).
    let generic = unsafe unsafeBitCast((0, 0) as (Int, Int), to: UnownedSerialExecutor.self)
    unsafe swiftJobRun(job, generic)
}

/// Runs a job of the main actor on this thread, which is to be its own.
func runAsMain(_ job: UnownedJob) {
    unsafe job.runSynchronously(on: ScheduleMainExecutor.shared.asUnownedSerialExecutor())
}

/// The main actor's executor where a schedule runs its jobs.
private final class ScheduleMainExecutor: SerialExecutor {
    static let shared = ScheduleMainExecutor()

    func enqueue(_ job: UnownedJob) { Schedule.shared.take(job, isMain: true) }

    func enqueue(_ job: consuming ExecutorJob) { Schedule.shared.take(UnownedJob(job), isMain: true) }

    // Jobs that begin the schedule run on its thread, in a job of the main actor's own executor.
    func isIsolatingCurrentContext() -> Bool? { Schedule.shared.isOnThread }

    func checkIsolated() {
        // A test's own process.
        precondition(Schedule.shared.isOnThread, "code of the main actor runs on another thread")
    }

    /// Whether an executor is this one: both are a reference and a witness table (swift/ABI/Executor.h).
    static func isSame(_ executor: UnownedSerialExecutor) -> Bool {
        let own = unsafe unsafeBitCast(shared.asUnownedSerialExecutor(), to: (Int, Int).self)
        return unsafe unsafeBitCast(executor, to: (Int, Int).self) == own
    }
}

@_silgen_name("swift_job_run")
private func swiftJobRun(_ job: UnownedJob, _ executor: UnownedSerialExecutor)
