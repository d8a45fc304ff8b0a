/// Whole seconds since 1970, in UTC, like all of GitHub's dates.
struct Timestamp: Comparable, Hashable, Sendable, JSONRepresentable {
    var seconds: Int

    static func < (left: Timestamp, right: Timestamp) -> Bool { left.seconds < right.seconds }

    func adding(days: Int = 0, hours: Int = 0, minutes: Int = 0, seconds more: Int = 0) -> Timestamp {
        Timestamp(seconds: seconds + days * 86_400 + hours * 3_600 + minutes * 60 + more)
    }

    var json: JSON { .string(iso8601) }

    /// As in bodies: `2011-04-10T20:09:31Z`.
    var iso8601: String {
        let date = CivilDate(daysSince1970: day)
        return "\(digits(date.year, 4))-\(digits(date.month))-\(digits(date.day))T\(clock)Z"
    }

    /// As in headers (RFC 9110, IMF-fixdate): `Sun, 10 Apr 2011 20:09:31 GMT`.
    var httpDate: String {
        let date = CivilDate(daysSince1970: day)
        let weekday = Timestamp.weekdays[(day % 7 + 11) % 7]  // 1970-01-01 was a Thursday
        let month = Timestamp.months[date.month - 1]
        return "\(weekday), \(digits(date.day)) \(month) \(digits(date.year, 4)) \(clock) GMT"
    }

    private var day: Int { Int((Double(seconds) / 86_400).rounded(.down)) }

    private var clock: String {
        let second = seconds - day * 86_400
        return "\(digits(second / 3_600)):\(digits(second / 60 % 60)):\(digits(second % 60))"
    }

    private func digits(_ number: Int, _ width: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
