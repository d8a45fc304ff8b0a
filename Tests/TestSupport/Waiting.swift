/// Waits until a condition holds that other tasks or threads bring about, as long as that takes.
///
/// A wait that counts turns or time ends too soon on a busy machine. The runner's time limit ends a wait for a
/// condition that never holds, and names the test.
///
/// A busy thread may miss a condition that holds for a while only, such as "a save is in flight". So hold the work
/// that ends it until the wait is over.
// swift-format-ignore: AmbiguousTrailingClosureOverload
package func until(_ isSo: () async throws -> Bool) async rethrows {
    while try await !isSo() { await Task.yield() }
}

/// Waits for a condition that is checked without a pause, on the caller's actor.
///
/// Swift 6.3 calls a synchronous closure that was passed as an asynchronous one on any thread once the caller has been
/// suspended. It would read an actor's objects in a race with the actor.
// swift-format-ignore: AmbiguousTrailingClosureOverload
package func until(_ isSo: () throws -> Bool) async rethrows {
    while try !isSo() { await Task.yield() }
}

/// Waits until the task is cancelled, and for nothing else.
package func untilCancelled() async {
    let (never, ending) = AsyncStream.makeStream(of: Never.self)
    for await _ in never {}
    withExtendedLifetime(ending) {}
}

/// Gives other tasks an opportunity to do something wrong, or to begin first.
///
/// On a busy machine the other tasks may let the opportunity pass, so a test's expectation must hold either way.
package func giveWay() async {
    for _ in 0..<100 { await Task.yield() }
}
