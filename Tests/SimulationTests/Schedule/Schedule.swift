import Foundation
import Synchronization

/// The jobs that could run now, of which the simulation picks the next one.
///
/// All of Swift's concurrency in the process is run by one thread, job by job. The only other thread is the writer's
/// queue: after each job it is waited for, so what it resumes comes in the order of the writes, and every commit is
/// seen alone.
final class Schedule: Sendable {
    static let shared = Schedule()

    private struct State {
        /// What the schedule's own thread made ready, and what the writer's queue did once that was waited for.
        var ready: [UnownedJob] = []
        /// What other threads made ready meanwhile.
        var arrived: [UnownedJob] = []
        var thread: pthread_t?
        var picks = 0
    }

    private let state = Mutex(State())

    func take(_ job: UnownedJob) {
        state.withLock { state in
            if let thread = state.thread, pthread_equal(thread, pthread_self()) != 0 {
                state.ready.append(job)
            } else {
                state.arrived.append(job)
            }
        }
    }

    /// Makes the calling thread the one that runs all jobs.
    func begin() { state.withLock { $0.thread = pthread_self() } }

    var isIdle: Bool { state.withLock { $0.ready.isEmpty } }
    /// How many jobs have been run.
    var picks: Int { state.withLock { $0.picks } }

    /// Lets what the writer's queue has resumed be picked.
    func collect(after queue: DispatchQueue?) {
        queue?.sync {}
        state.withLock { state in
            state.ready += state.arrived
            state.arrived = []
        }
    }

    /// Runs one of the jobs that are ready; false when there is none.
    func runOne(_ choose: (Int) -> Int) -> Bool {
        let job = state.withLock { state -> UnownedJob? in
            guard !state.ready.isEmpty else { return nil }
            state.picks += 1
            return state.ready.remove(at: choose(state.ready.count))
        }
        guard let job else { return false }
        runAsGlobal(job)
        return true
    }
}

/// What the operations' tasks prefer to run on: with it, each hop between a context and the rest is a job of its own
/// that the simulation can put off.
final class ScheduleExecutor: TaskExecutor {
    static let shared = ScheduleExecutor()

    func enqueue(_ job: UnownedJob) { Schedule.shared.take(job) }

    func enqueue(_ job: consuming ExecutorJob) { Schedule.shared.take(UnownedJob(job)) }
}
