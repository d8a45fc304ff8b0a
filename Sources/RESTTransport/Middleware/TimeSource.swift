#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Clocks and randomness for all waits. Tests replace them.
package struct TimeSource: Sendable {
    /// The monotonic time since a fixed moment.
    package var elapsed: @Sendable () -> Duration
    /// Seconds since 1970 by the local clock.
    package var localTime: @Sendable () -> Int
    /// Seconds since 1970, with a fraction.
    package var exactLocalTime: @Sendable () -> Double
    /// Throws if the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// From 0 up to 1.
    package var fraction: @Sendable () -> Double
    /// From 0 up to 1: the part of an addition to a server's wait, which spreads clients.
    package var spread: @Sendable () -> Double

    /// - Parameters:
    ///   - exactLocalTime: nil to use `localTime`.
    ///   - spread: nil to use `fraction`.
    package init(
        elapsed: @escaping @Sendable () -> Duration, localTime: @escaping @Sendable () -> Int,
        exactLocalTime: (@Sendable () -> Double)? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void, fraction: @escaping @Sendable () -> Double,
        spread: (@Sendable () -> Double)? = nil
    ) {
        self.elapsed = elapsed
        self.localTime = localTime
        self.exactLocalTime = exactLocalTime ?? { Double(localTime()) }
        self.sleep = sleep
        self.fraction = fraction
        self.spread = spread ?? fraction
    }

    private static let start = ContinuousClock.now

    package static let system = TimeSource(
        elapsed: { ContinuousClock.now - start },
        localTime: { APIResponse.localTime },
        exactLocalTime: { Date().timeIntervalSince1970 },
        sleep: { try await Task.sleep(for: $0) },
        fraction: { .random(in: 0..<1) })
}

extension Duration {
    /// Rounded down.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
