import Foundation
import Synchronization

/// Reads and writes dates by a pattern of UTS 35.
final class PatternFormatter: Sendable {
    let format: DateFormat
    /// Only one thread at a time may use a formatter.
    private let formatter: Mutex<DateFormatter>
    private let timeZone: TimeZone
    /// A formatter in GMT, where clocks skip no time; `nil` if texts include their zone.
    private let wallClock: Mutex<DateFormatter>?

    init(_ pattern: String, _ timeZone: TimeZone) {
        format = .pattern(pattern, timeZone: timeZone)
        formatter = Mutex(Self.formatter(pattern, timeZone))
        self.timeZone = timeZone
        let saysZone = !Set(Self.fields(of: pattern)).isDisjoint(with: "zZOvVXx")
        wallClock = saysZone ? nil : Mutex(Self.formatter(pattern, .gmt))
    }

    private static func formatter(_ pattern: String, _ timeZone: TimeZone) -> sending DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.calendar = Calendar(identifier: .gregorian)
        formatter.timeZone = timeZone
        formatter.dateFormat = pattern
        formatter.isLenient = false
        return formatter
    }

    func seconds(_ text: String) -> Double? {
        formatter.withLock { formatter in formatter.date(from: text)?.timeIntervalSince1970 } ?? skippedSeconds(text)
    }

    /// A time that the zone's clocks skip, as if they had continued.
    private func skippedSeconds(_ text: String) -> Double? {
        guard let time = wallClock?.withLock({ $0.date(from: text)?.timeIntervalSince1970 }) else { return nil }
        let before = Date(timeIntervalSince1970: time - 86_400)
        return time - Double(timeZone.secondsFromGMT(for: before))
    }

    func text(_ seconds: Double) -> String {
        formatter.withLock { formatter in formatter.string(from: Date(timeIntervalSince1970: seconds)) }
    }

    /// Whether a date's text is read back as the same day, which has at most 25 hours. Two digits of a year fail in
    /// other centuries.
    func determines(_ seconds: Double) -> Bool {
        self.seconds(text(seconds)).map { abs($0 - seconds) <= 25 * 3600 } ?? false
    }

    /// `nil` if texts are read back as the same day. The fields are those of
    /// https://unicode.org/reports/tr35/tr35-dates.html#Date_Field_Symbol_Table.
    static func problem(of pattern: String, _ timeZone: TimeZone) -> String? {
        let fields = Set(self.fields(of: pattern))
        if fields.isEmpty { return "it has no fields" }
        if let unknown = fields.subtracting("GyYuUrQqMLwWdDFgEecabBhHKkjmsSAzZOvVXx").sorted().first {
            return "\"\(unknown)\" is no field; put words in single quotes"
        }
        let hasHour = !fields.isDisjoint(with: "hHKk")
        if fields.contains("Y"), !fields.contains("w") { return "\"Y\" is the year of a week; a date's year is \"y\"" }
        if fields.contains("m"), !hasHour { return "\"m\" is minutes; a month is \"M\"" }
        if fields.contains("D"), fields.contains("M") { return "\"D\" is a day of the year; a month's is \"d\"" }
        if !fields.isDisjoint(with: "hK"), fields.isDisjoint(with: "abB") {
            return "\"h\" goes to 12 and needs \"a\"; hours to 23 are \"H\""
        }
        let formatter = PatternFormatter(pattern, timeZone)
        // All fields differ: 2026-11-23 17:42:58.125 UTC.
        let moment = 1_795_455_778.125
        let sample = formatter.text(moment)
        guard formatter.seconds(sample) != nil else { return "what it writes, \"\(sample)\", it can't read" }
        // The year's last days belong to a week of the next year.
        let days = Array(0..<8) + [36, 37, 38, 39]
        guard days.allSatisfy({ formatter.determines(moment + Double($0) * 86_400) }) else {
            return "it does not tell the day, month and year"
        }
        return nil
    }

    private static func fields(of pattern: String) -> [Character] {
        var isQuoted = false
        return pattern.filter { character in
            if character == "'" { isQuoted.toggle() }
            return !isQuoted && character.isASCII && character.isLetter
        }.map { $0 }
    }
}
