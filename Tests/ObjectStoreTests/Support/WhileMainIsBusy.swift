import Dispatch
import TestSupport

@testable import ObjectStore

/// Lets a background context commit the edits of `body` while the main actor is in the middle of a step.
///
/// - Returns: Whether the commit finished, independently of the main actor.
@MainActor
@discardableResult
func whileMainIsBusy(_ store: Store, _ body: @escaping @Sendable (ObjectContext) async throws -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        try? await store.background(body)
        done.signal()
    }
    return done.wait(timeout: .now() + .seconds(Int(patience.components.seconds))) == .success
}

/// Gives the main actor up until the main context's step has ended, so that it reads the newest state in the next.
@MainActor
func endStep(_ store: Store) async {
    await until { store.main.reader?.isReading != true }
}

/// Waits outside of the concurrency pool, which may have only two threads.
func wait(for signal: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            signal.wait()
            continuation.resume()
        }
    }
}
