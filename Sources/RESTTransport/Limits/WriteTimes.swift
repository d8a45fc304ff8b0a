struct WriteTimes: Sendable {
    private static let minute = Duration.seconds(60)
    private static let hour = Duration.seconds(3600)

    private var last: Duration?
    /// The times of writes in the last hour, if their number is limited.
    private var times: [Duration] = []
    private var room = 128

    mutating func note(_ now: Duration, _ limits: RequestLimits) {
        last = now
        guard let most = [limits.writesPerMinute, limits.writesPerHour].compactMap(\.self).max() else { return }
        times.append(now)
        guard times.count > room else { return }
        times.removeAll { now - $0 >= Self.hour }
        times.removeFirst(max(0, times.count - most))
        // Doubling keeps the average cost constant.
        room = max(128, times.count * 2)
    }

    func next(_ limits: RequestLimits, at now: Duration) -> Duration {
        var time = last.map { $0 + limits.writeSpacing } ?? now
        time = max(time, afterWindow(of: Self.minute, limits.writesPerMinute) ?? time)
        return max(time, afterWindow(of: Self.hour, limits.writesPerHour) ?? time)
    }

    private func afterWindow(of length: Duration, _ most: Int?) -> Duration? {
        guard let most, times.count >= most else { return nil }
        return times[times.count - most] + length
    }
}
