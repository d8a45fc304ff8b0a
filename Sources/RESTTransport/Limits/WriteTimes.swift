/// When an account's last requests went out that change something.
struct WriteTimes: Sendable {
    private static let minute = Duration.seconds(60)
    private static let hour = Duration.seconds(3600)

    private var last: Duration?
    /// Those of the last hour; kept only where they are counted.
    private var times: [Duration] = []

    mutating func note(_ now: Duration, _ limits: RequestLimits) {
        last = now
        let most = max(limits.writesPerMinute ?? 0, limits.writesPerHour ?? 0)
        guard most > 0 else { return }
        times.append(now)
        // Twice as many are kept, so that most of the time none are moved.
        if times.count > 2 * most { times.removeFirst(times.count - most) }
    }

    /// When the next may go out.
    func next(_ limits: RequestLimits, at now: Duration) -> Duration {
        var time = last.map { $0 + limits.writeSpacing } ?? now
        time = max(time, afterWindow(of: Self.minute, limits.writesPerMinute) ?? time)
        return max(time, afterWindow(of: Self.hour, limits.writesPerHour) ?? time)
    }

    private func afterWindow(of length: Duration, _ most: Int?) -> Duration? {
        guard let most, times.count >= max(most, 1) else { return nil }
        return times[times.count - max(most, 1)] + length
    }
}
