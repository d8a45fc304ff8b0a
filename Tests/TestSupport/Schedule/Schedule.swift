package import Foundation
import Synchronization

/// The jobs that could run now, of which a simulation picks the next one.
///
/// One thread runs all of Swift's concurrency in the process, job by job. The only other threads are those of the
/// queues that stores write on. These queues are suspended while a job runs, and drained after it. So the tasks that
/// they resume come in the order of the writes, and nothing depends on the speed of a thread.
package final class Schedule: Sendable {
    package static let shared = Schedule()

    private struct Ready {
        let job: UnownedJob
        let isMain: Bool
    }

    private struct State {
        /// Jobs that can be picked.
        var ready: [Ready] = []
        /// Jobs that other threads enqueued, until the queues are drained.
        var arrived: [Ready] = []
        var queues: [DispatchQueue] = []
        var thread: pthread_t?
        var picks = 0

        var isOnThread: Bool { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    private let state = Mutex(State())

    package func take(_ job: UnownedJob, isMain: Bool = false) {
        state.withLock { state in
            let ready = Ready(job: job, isMain: isMain)
            if state.isOnThread {
                state.ready.append(ready)
            } else {
                state.arrived.append(ready)
            }
        }
    }

    /// Makes the calling thread the one that runs all jobs.
    package func begin() { state.withLock { $0.thread = pthread_self() } }

    /// Whether the calling thread is that one.
    var isOnThread: Bool { state.withLock { $0.isOnThread } }

    /// Suspends and drains a queue from now on.
    package func add(_ queue: DispatchQueue) { state.withLock { $0.queues.append(queue) } }

    package func remove(_ queue: DispatchQueue) { state.withLock { $0.queues.removeAll { $0 === queue } } }

    package var isIdle: Bool { state.withLock { $0.ready.isEmpty } }
    /// How many jobs have been run.
    package var picks: Int { state.withLock { $0.picks } }

    /// Drains the queues, so that the jobs that they have enqueued can be picked.
    package func collect() {
        let queues = state.withLock { $0.queues }
        // A write may enqueue more work on its queue, such as a checkpoint.
        for _ in 0..<3 {
            for queue in queues { queue.sync {} }
        }
        state.withLock { state in
            state.ready += state.arrived
            state.arrived = []
        }
    }

    /// Runs one of the jobs that are ready; false when there is none.
    package func runOne(_ choose: (Int) -> Int) -> Bool {
        let ready = state.withLock { state -> (next: Ready, queues: [DispatchQueue])? in
            guard !state.ready.isEmpty else { return nil }
            state.picks += 1
            return (state.ready.remove(at: choose(state.ready.count)), state.queues)
        }
        guard let ready else { return false }
        for queue in ready.queues { queue.suspend() }
        defer { for queue in ready.queues { queue.resume() } }
        if ready.next.isMain { runAsMain(ready.next.job) } else { runAsGlobal(ready.next.job) }
        return true
    }
}

/// The executor that the operations' tasks prefer. With it, each hop to or from a context is a job of its own, which
/// the simulation can put off.
package final class ScheduleExecutor: TaskExecutor {
    package static let shared = ScheduleExecutor()

    package func enqueue(_ job: UnownedJob) { Schedule.shared.take(job) }

    package func enqueue(_ job: consuming ExecutorJob) { Schedule.shared.take(UnownedJob(job)) }
}
