import Foundation

/// Runs code of the main actor on one thread, with all other jobs of the process, in the order in which they became
/// ready.
///
/// ```swift
/// await #expect(processExitsWith: .success) {
///     await OneThread.exit {
///         let hasEnded = OneThread.run {
///             // Begin something, then wait until it waits for what this does next.
///             await OneThread.idle()
///         }
///         return hasEnded
///     }
/// }
/// ```
@MainActor package enum OneThread {
    /// The code that waits for ``idle()``.
    private static var waiting: CheckedContinuation<Void, Never>?

    private final class End: Sendable {
        // Read and written by the main actor's jobs, all of which run on one thread.
        nonisolated(unsafe) var isReached = false
    }

    /// Takes over all jobs of this process, which ends with `body`: with success where that returns true.
    nonisolated package static func exit(_ body: @MainActor @Sendable () -> Bool) async {
        await MainActor.run {
            Schedule.shared.begin()
            let isInstalled = ExecutorHook.installForMainActor()
            if !isInstalled { print("The runtime has no hooks for jobs.") }
            Foundation.exit(isInstalled && body() ? 0 : 1)
        }
    }

    /// Runs `body` and all other tasks that become ready.
    ///
    /// - Returns: whether `body` has ended; false where it waits and no job is left that could resume it.
    package static func run(_ body: @escaping @MainActor () async -> Void) -> Bool {
        let end = End()
        Task {
            await body()
            unsafe end.isReached = true
        }
        while unsafe !end.isReached {
            Schedule.shared.collect()
            if Schedule.shared.runOne({ _ in 0 }) { continue }
            guard let next = waiting else { return false }
            waiting = nil
            next.resume()
        }
        return true
    }

    /// Waits until no other job is ready.
    package static func idle() async { await withCheckedContinuation { waiting = $0 } }
}
