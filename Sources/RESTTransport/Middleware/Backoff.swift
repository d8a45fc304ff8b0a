/// Exponential backoff with full jitter: a random time up to a bound that doubles, so that clients which failed together
/// do not come back together.
struct Backoff: Sendable {
    private let first: Double
    private let longest: Double

    /// Bounds the waits.
    ///
    /// - Parameters:
    ///   - first: The bound of the first wait.
    ///   - longest: The bound of all waits; at most a day.
    init(first: Duration, longest: Duration) {
        self.first = first.secondsAsDouble
        self.longest = min(longest.secondsAsDouble, 86_400)
    }

    /// The wait after the given attempt, counted from 1.
    ///
    /// - Parameter chance: A random number from 0 up to 1.
    func wait(_ attempt: Int, chance: Double) -> Duration {
        let doublings = Double(1 << min(max(attempt, 1) - 1, 30))
        return .seconds(min(first * doublings, longest) * chance)
    }
}

extension Duration {
    /// This many seconds, no fewer than zero.
    fileprivate var secondsAsDouble: Double {
        max(0, Double(components.seconds) + Double(components.attoseconds) / 1e18)
    }
}
